"""Tests over many datasets."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def wilcoxon(differences: NDArray[np.float64]) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test for differences (datasets,); ignores zeros.

    Differences are rounded to 12 digits, so that equal differences have equal ranks. Up to 50 differences, the exact
    distribution is used even with ties, for which SciPy would spend minutes on permutations. Beyond 50, the normal
    approximation is used.
    """
    some = np.round(differences, 12)
    some = some[some != 0.0]
    if some.size > 50:
        result: Any = stats.wilcoxon(some)
        return float(result.pvalue)
    # Twice the ranks are integers. probability[w]: probability that twice the ranks with a positive sign sum to w.
    doubled = np.rint(2.0 * stats.rankdata(np.abs(some))).astype(int)
    probability = np.ones(1)
    for rank in doubled:
        probability = 0.5 * (np.pad(probability, (0, rank)) + np.pad(probability, (rank, 0)))
    positive = doubled[some > 0.0].sum()
    return float(min(1.0, 2.0 * min(probability[: positive + 1].sum(), probability[positive:].sum())))


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's correction of p-values (tests,) for multiple testing."""
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps * p[order]))
    return adjusted
