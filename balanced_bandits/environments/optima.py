"""The optimal assignments of the synthetic example, with which policies are compared; computed from its rewards.

    truth         the arm with the largest expected reward at each context
    predictors    the arm with the largest best linear prediction of its reward
    value         the arm chosen by the best linear policy: of all policies that give each context the arm with the
                  largest of three linear scores, the one with the largest expected reward over N(0, 1)^2

The value of a linear policy needs no sampling. For a given x0 the scores are three lines in x1, so the arm is constant
between their intersections. There the reward, a quadratic in x1, is integrated in closed form. One numerical integral
over x0 remains.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from balanced_bandits.core.files import write_arrays
from balanced_bandits.core.tables import write_table
from balanced_bandits.environments import synthetic

REACH = 8.0  # beyond it, the normal density is below 1e-14
COARSE, FINE = 121, 1001  # nodes over x0: for the search, and for the refined and reported values
STARTS = 40
POLISHED = 3
SMALLEST = 1e-4  # norm of the coefficients of arm 2 relative to arm 0
DRAWN = 3.5  # half the side of the square in the figures
GRID_SIDE = 281
SURFACE_SIDE = 61


def policy_value(theta: NDArray[np.float64], nodes: int = FINE) -> float:
    """Expected reward over N(0, 1)^2 of the policy that plays the arm with the largest score, for scores (3, 3)."""
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
    # Moments 0, 1 and 2 of the standard normal on each interval.
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

    A quasi-Newton method runs from many starting points, and the best results are refined. Policies depend on the
    differences of scores and not on their scale, so arm 1 has score 0 and the coefficients of arm 0 have norm 1. The
    contexts given arm 0 form a convex set, but the true optimum gives it the outside of a disc. The value therefore
    increases as that set grows to a half-plane, the rest of which arms 1 and 2 share. The coefficients of arm 2 would
    shrink to zero; their norm is bounded below by 1e-4. The rewards, and hence the values, are symmetric in x0 and x1.
    Of an optimum and its mirror image, the one whose arm 0 depends more on x0 is returned.
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
    rounded: NDArray[np.float64] = np.round(leaning, 9)  # further digits depend on the machine's rounding
    return rounded


def mirrored(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores with the two features swapped."""
    return theta[:, [0, 2, 1]]


def _scores(free: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (3, 3) from seven free numbers: the directions of arms 0 and 2, and log10 of the norm of arm 2."""
    first, last = free[:3] / np.linalg.norm(free[:3]), free[3:6] / np.linalg.norm(free[3:6])
    return np.vstack([first, np.zeros(3), max(10.0 ** min(free[6], 4.0), SMALLEST) * last])


def _loss(free: NDArray[np.float64], nodes: int) -> float:
    return -policy_value(_scores(free), nodes)


def write_optima(optima: Path, surfaces: Path) -> None:
    """Compute the optima; write them with their arms on a grid of contexts, and the reward surfaces (Figure 1).

    Arrays: ``theta_predictors`` and ``theta_value`` (3, 3); ``grid`` (g, 2), regular over [-3.5, 3.5]^2, x1 varying
    fastest; ``arms_true``, ``arms_predictors`` and ``arms_value`` (g,), the optimal arms on the grid.
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
    write_table(surfaces, table)


def square(side: int) -> NDArray[np.float64]:
    """A regular grid (side^2, 2) over the square in the figures; x1 varies fastest."""
    axis = np.linspace(-DRAWN, DRAWN, side)
    return np.column_stack([np.repeat(axis, side), np.tile(axis, side)])
