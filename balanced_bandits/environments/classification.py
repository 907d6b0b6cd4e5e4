"""A classification dataset as a bandit problem (section 4.2): one arm per class, reward 1 for the correct class."""

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.rotation import rotated
from balanced_bandits.core.streams import stream

ROUNDS_PER_DECADE = 10


def rewards_of(y: NDArray[np.int64], arms: int) -> NDArray[np.float64]:
    """Rewards (n, K): r_t(a) = 1 if a is the class of row t, else 0."""
    rewards = np.zeros((len(y), arms))
    rewards[np.arange(len(y)), y] = 1.0
    return rewards


def shuffled(n: int, seed: int, dataset: str, shuffle: int) -> NDArray[np.int64]:
    """The order of the rows in shuffle number ``shuffle``; it is the same for all bandits and settings."""
    return stream(seed, "classification", dataset, "order", shuffle).permutation(n)


def spaced_rounds(n: int) -> NDArray[np.int64]:
    """Rounds from 1 to n at which the cumulative regret is recorded, evenly spaced on a logarithmic scale.

    >>> spaced_rounds(10).tolist()
    [1, 2, 3, 4, 5, 6, 8, 10]
    """
    count = 1 + int(np.ceil(ROUNDS_PER_DECADE * np.log10(n)))
    return np.unique(np.geomspace(1, n, count).round().astype(np.int64))


def standardised_so_far(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Contexts (n, d) in the order of play, each standardised by the mean and deviation of the contexts up to it.

    A column that has been constant so far is 0. With more columns than rows, the result is rotated into the space of
    the rows.
    """
    count = np.arange(1, len(X) + 1)[:, None]
    shifted = X - X[:1]  # changes no deviation, and keeps the digits of columns that are far from 0
    mean = shifted.cumsum(axis=0) / count
    variance = (shifted**2).cumsum(axis=0) / count - mean**2
    deviation = np.sqrt(np.maximum(variance, 0.0))
    least = 1e-7 * np.maximum.accumulate(np.abs(shifted))  # below this, a deviation is a rounding error
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(deviation > least, (shifted - mean) / deviation, 0.0)
    return rotated(scaled) if X.shape[1] > X.shape[0] else scaled
