"""Intervals by bootstrap over datasets, in clusters: versions of one dataset are drawn together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 4000


def intervals(
    values: NDArray[np.float64], families: Sequence[str], rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends (columns,) of the 95 % percentile intervals of the mean of each column of ``values`` (datasets, columns).

    A resample draws as many families as there are, with replacement, and takes all datasets of each. Columns share
    the resamples. With a single family the interval is the mean itself.
    """
    names, member = np.unique(np.asarray(families), return_inverse=True)
    sums = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, member, values)
    drawn = rng.multinomial(len(names), np.full(len(names), 1.0 / len(names)), size=resamples).astype(float)
    means = (drawn @ sums) / (drawn @ np.bincount(member))[:, None]
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    return low, high
