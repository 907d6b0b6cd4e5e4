"""How significant the difference between two bandits on one dataset is."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def paired_p(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Two-sided p-value that two bandits are right equally often, given which of the same rounds each got right.

    The exact form of McNemar's test: rounds that both got right or both got wrong say nothing; of the others,
    each bandit would have half.
    """
    only_first = int((first & ~second).sum())
    only_second = int((second & ~first).sum())
    if only_first + only_second == 0:
        return 1.0
    return float(stats.binomtest(only_first, only_first + only_second).pvalue)
