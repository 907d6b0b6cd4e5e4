"""The assignments that a policy of the synthetic example can be held against, computed from its rewards.

    truth         the arm with the largest expected reward at each context
    predictors    the arm that the best linear predictors of the rewards put first
    value         the arm that the best linear policy gives: of all policies that give each context the arm with the
                  largest of three linear scores, the one with the largest expected reward over N(0, 1)^2

The value of a linear policy needs no sampling. At a given x0 the scores are three lines in x1, so the arm is constant
between their crossings, where the reward, a quadratic in x1, is integrated in closed form; what is left is one integral
over x0.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from balanced_bandits.environments import synthetic
from balanced_bandits.files import whole_file, write_arrays

REACH = 8.0  # the normal density beyond it is below 1e-14
COARSE, FINE = 121, 1001  # nodes over x0: to search with, and to polish and report with
STARTS = 40
POLISHED = 3
SMALLEST = 1e-4  # norm of arm 2's scores beside arm 0's
DRAWN = 3.5  # half the side of the square that figures show
GRID_SIDE = 281
SURFACE_SIDE = 61


def policy_value(theta: NDArray[np.float64], nodes: int = FINE) -> float:
    """Expected reward over N(0, 1)^2 of the policy that gives the arm with the largest score, for scores (3, 3)."""
    x0 = np.linspace(-REACH, REACH, nodes)
    level, slope = theta[:, :1] + theta[:, 1:2] * x0, theta[:, 2:]
    crossings = np.empty((3, nodes))
    for i, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        steep = slope[b, 0] - slope[a, 0]
        crossings[i] = (level[a] - level[b]) / steep if abs(steep) > 1e-12 else REACH
    ends = np.vstack([np.full(nodes, -REACH), np.sort(np.clip(crossings, -REACH, REACH), axis=0),
                      np.full(nodes, REACH)])  # fmt: skip
    middle = (ends[1:] + ends[:-1]) / 2.0
    arms = (level[:, None] + slope[:, :, None] * middle).argmax(axis=0)
    # Moments 0, 1, 2 of the standard normal between neighbouring ends.
    density = np.exp(-0.5 * ends**2) / np.sqrt(2.0 * np.pi)
    mass = np.diff(special.ndtr(ends), axis=0)
    first = -np.diff(density, axis=0)
    second = mass - np.diff(ends * density, axis=0)
    bowl = 0.5 * (second + 2.0 * first + mass) + 0.5 * (x0 + 1.0) ** 2 * mass
    reward = np.choose(arms, [bowl, mass, 2.0 * mass - bowl]).sum(axis=0)
    weight = np.exp(-0.5 * x0**2) / np.sqrt(2.0 * np.pi) * (x0[1] - x0[0])
    return float(reward @ weight)


def value_best_policy(seed: int = 0) -> NDArray[np.float64]:
    """Scores (3, 3), intercept first, of the linear policy with the largest value.

    Many starts with a quasi-Newton method, the best of them polished. Policies depend on differences of scores and not
    on their scale, so arm 1 has score 0 and arm 0 coefficients of norm 1. The contexts given arm 0 form a convex set,
    while the truth gives it the outside of a disc, so values rise as that set grows into a half-plane, whose rest is
    shared by arms 1 and 2: arm 2's scores shrink without end, and are stopped at a norm of 1e-4. The rewards are
    symmetric in x0 and x1, and so are the values: of an optimum and its mirror image, the one whose arm 0 leans more
    to x0 is given.
    """
    rng = np.random.default_rng(seed)
    starts = [np.append(rng.standard_normal(6), rng.uniform(np.log10(SMALLEST), 1.0)) for _ in range(STARTS)]
    ends = [optimize.minimize(_loss, start, args=(COARSE,), method="BFGS", options={"gtol": 1e-4}) for start in starts]
    ends = [
        optimize.minimize(_loss, end.x, args=(FINE,), method="Nelder-Mead",
                          options={"xatol": 1e-6, "fatol": 1e-11, "maxfev": 3000, "adaptive": True})
        for end in sorted(ends, key=lambda end: end.fun)[:POLISHED]
    ]  # fmt: skip
    theta = _scores(min(ends, key=lambda end: end.fun).x)
    image = mirrored(theta)
    leaning = theta if abs(theta[0, 1]) >= abs(image[0, 1]) else image
    rounded: NDArray[np.float64] = np.round(leaning, 9)  # beyond, the end of a search is the machine's rounding
    return rounded


def mirrored(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same scores with the two features exchanged."""
    return theta[:, [0, 2, 1]]


def _scores(free: NDArray[np.float64]) -> NDArray[np.float64]:
    """Seven free numbers as scores (3, 3): the directions of arm 0's and arm 2's, and the latter's norm in decades."""
    first, last = free[:3] / np.linalg.norm(free[:3]), free[3:6] / np.linalg.norm(free[3:6])
    return np.vstack([first, np.zeros(3), max(10.0 ** min(free[6], 4.0), SMALLEST) * last])


def _loss(free: NDArray[np.float64], nodes: int) -> float:
    return -policy_value(_scores(free), nodes)


def write_optima(optima: Path, surfaces: Path) -> None:
    """Compute the optima; write them with their arms on a grid of contexts, and the reward surfaces (Figure 1).

    Arrays: ``theta_predictors`` and ``theta_value`` (3, 3); ``grid`` (g, 2), regular over [-3.5, 3.5]^2, x0 slow;
    ``arms_true``, ``arms_predictors`` and ``arms_value`` (g,), the arms there.
    """
    predictors, value = synthetic.best_linear_predictors(), value_best_policy()
    grid = square(GRID_SIDE)
    record = {
        "grid_side": GRID_SIDE,
        "values": {"predictors": policy_value(predictors), "value": policy_value(value)},
    }
    assigned = synthetic.assignments(grid, predictors, value)
    write_arrays(
        optima, record, theta_predictors=predictors, theta_value=value, grid=grid, arms_true=assigned["truth"],
        arms_predictors=assigned["predictors"], arms_value=assigned["value"],
    )  # fmt: skip
    shown = square(SURFACE_SIDE)
    rows = np.column_stack([np.repeat(shown, synthetic.ARMS, axis=0), np.tile(np.arange(synthetic.ARMS), len(shown)),
                            synthetic.expected_rewards(shown).ravel()])  # fmt: skip
    table = pd.DataFrame(rows, columns=["x0", "x1", "arm", "expected_reward"]).astype({"arm": int})
    with whole_file(surfaces) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def square(side: int) -> NDArray[np.float64]:
    """A regular grid (side^2, 2) over the square that figures show, x0 slow."""
    axis = np.linspace(-DRAWN, DRAWN, side)
    return np.column_stack([np.repeat(axis, side), np.tile(axis, side)])
