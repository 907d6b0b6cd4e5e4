"""The synthetic example (section 4.1): three arms, two features, a warm start from one corner.

    r(0) = 0.5 (x0 + 1)^2 + 0.5 (x1 + 1)^2 + e
    r(1) = 1 + e
    r(2) = 2 - 0.5 (x0 + 1)^2 - 0.5 (x1 + 1)^2 + e          e ~ N(0, 0.01), x ~ N(0, 1)^2

The 50 warm-start contexts are N(0, 1) truncated to (-1.15, -0.85) in both features, and their arms are drawn
uniformly. Well-specified models use linear and quadratic terms of the context, mis-specified models only linear terms.
"""

import statistics
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ARMS = 3
NOISE = 0.1  # standard deviation of the rewards
WARM_START = 50
WARM_INTERVAL = (-1.15, -0.85)
SPECIFICATIONS = ("well", "mis")
# Rounds after the warm start that Figures 2 and 3 show, including those mentioned in the text (20, 110 and 240).
SHOWN = (0, 20, 50, 110, 240, 1000, 10000)


def expected_rewards(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[r(a) | x] for contexts (n, 2), as an array (n, 3)."""
    bowl = 0.5 * (x[:, 0] + 1.0) ** 2 + 0.5 * (x[:, 1] + 1.0) ** 2
    return np.column_stack([bowl, np.ones(len(x)), 2.0 - bowl])


def features(x: NDArray[np.float64], specification: str, interaction: bool = True) -> NDArray[np.float64]:
    """The features of the outcome models for contexts (n, 2), without the intercept.

    ``interaction``: well-specified models have the term x0 x1, which the rewards do not need.
    """
    if specification == "mis":
        return x
    products = [x[:, 0] * x[:, 1]] if interaction else []
    return np.column_stack([x, x[:, 0] ** 2, *products, x[:, 1] ** 2])


class Scale(NamedTuple):
    """By what features (n, d) are standardised: their mean and deviation (d,)."""

    centre: NDArray[np.float64]
    spread: NDArray[np.float64]

    def standardised(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The features (n, d), standardised."""
        return (z - self.centre) / self.spread

    def coefficients(self, thetas: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same models on the features themselves: coefficients (..., 1 + d), the intercept first.

        ``thetas`` (..., p) are coefficients on standardised features, with an intercept (p = 1 + d) or without (p = d).
        """
        slopes = thetas[..., -len(self.centre) :] / self.spread
        level = thetas[..., : -len(self.centre)].sum(axis=-1) - slopes @ self.centre
        return np.concatenate([level[..., None], slopes], axis=-1)


def scale_of(z: NDArray[np.float64], standardise: str) -> Scale:
    """The scale of the features (50 + horizon, d) of a simulation: of all rows (whole) or of the warm start (warm)."""
    rows = z[:WARM_START] if standardise == "warm" else z
    return Scale(rows.mean(axis=0), rows.std(axis=0))


def truncated_normal(size: tuple[int, ...], low: float, high: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws from N(0, 1) truncated to (low, high), by inverse transform sampling."""
    normal = statistics.NormalDist()
    u = rng.uniform(normal.cdf(low), normal.cdf(high), size)
    draws: NDArray[np.float64] = np.vectorize(normal.inv_cdf)(u)
    return draws


def draw(horizon: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Draw one simulation: contexts (50 + horizon, 2), rewards of all arms, and the arms of the warm start."""
    warm = truncated_normal((WARM_START, 2), *WARM_INTERVAL, rng)
    x = np.vstack([warm, rng.standard_normal((horizon, 2))])
    rewards = expected_rewards(x) + NOISE * rng.standard_normal((len(x), 1))
    return x, rewards, rng.integers(0, ARMS, WARM_START)


def best_linear_predictors() -> NDArray[np.float64]:
    """Coefficients (3, 3) of the best linear predictor of each arm's reward over N(0, 1)^2, intercept first.

    They are computed by Gauss-Hermite quadrature, which is exact for polynomials of this degree.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(8)
    grid = np.array([(a, b) for a in nodes for b in nodes])
    weight = np.array([a * b for a in weights for b in weights])
    design = np.column_stack([np.ones(len(grid)), grid])
    gram = design.T @ (weight[:, None] * design)
    theta: NDArray[np.float64] = np.linalg.solve(gram, design.T @ (weight[:, None] * expected_rewards(grid))).T
    return theta


def assignments(
    x: NDArray[np.float64], predictors: NDArray[np.float64], value: NDArray[np.float64]
) -> dict[str, NDArray[np.int64]]:
    """The arms (n,) that each optimum assigns to contexts (n, 2), given the coefficients (3, 3) of the linear optima.

    The rewards are symmetric in x0 and x1, so the mirror image of the value-best policy is equally good.
    """
    return {
        "truth": expected_rewards(x).argmax(axis=1),
        "predictors": greedy_arms(x, predictors, "mis"),
        "value": greedy_arms(x, value, "mis"),
        "value_mirrored": greedy_arms(x[:, ::-1], value, "mis"),
    }


def design(
    x: NDArray[np.float64], specification: str, intercept: str = "unpenalised", interaction: bool = True
) -> NDArray[np.float64]:
    """The design matrix for contexts (n, 2): the features, with a leading column of ones if there is an intercept."""
    z = features(x, specification, interaction)
    return z if intercept == "none" else np.column_stack([np.ones(len(x)), z])


def greedy_arms(
    x: NDArray[np.float64], theta: NDArray[np.float64], specification: str, intercept: str = "unpenalised"
) -> NDArray[np.int64]:
    """The arm (..., n) with the largest estimated reward at contexts (n, 2), for coefficients (..., 3, p)."""
    arms: NDArray[np.int64] = (theta @ design(x, specification, intercept).T).argmax(axis=-2)
    return arms
