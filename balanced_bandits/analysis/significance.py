"""How significant the difference between two bandits is: on one dataset, and over all of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Counts = NDArray[np.int64]


class Rounds(NamedTuple):
    """On the same rounds of a dataset: how many a bandit alone got right, the other alone, each, and all there are.

    Numbers, or arrays (datasets,).
    """

    only_first: Counts
    only_second: Counts
    first: Counts
    second: Counts
    all: Counts


def paired_p(rounds: Rounds) -> NDArray[np.float64]:
    """Two-sided p-value that two bandits are right equally often, by what each got right of the same rounds.

    The exact form of McNemar's test: rounds that both got right or both got wrong say nothing; of the others,
    each bandit would have half.
    """
    fewer = np.minimum(rounds.only_first, rounds.only_second)
    p: NDArray[np.float64] = np.minimum(1.0, 2.0 * special.bdtr(fewer, rounds.only_first + rounds.only_second, 0.5))
    return p


def unpaired_p(rounds: Rounds) -> NDArray[np.float64]:
    """Two-sided p-value of the same, as if the two had played other rounds: P(|Z| > |z|) = erfc(|z| / sqrt 2)."""
    p: NDArray[np.float64] = special.erfc(_z(rounds) / np.sqrt(2.0))
    return p


def public_p(rounds: Rounds) -> NDArray[np.float64]:
    """What a public large-scale comparison computes, 1 - erf(|z|): without the root of 2, so its 0.05 is z > 1.39."""
    p: NDArray[np.float64] = special.erfc(_z(rounds))
    return p


def _z(rounds: Rounds) -> NDArray[np.float64]:
    """|x - y| / sqrt((x (1 - x) + y (1 - y)) / n) of the shares x and y of wrong rounds; 0 where they are equal."""
    n = np.asarray(rounds.all, dtype=float)
    x, y = 1.0 - rounds.first / n, 1.0 - rounds.second / n
    error = np.sqrt((x * (1.0 - x) + y * (1.0 - y)) / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        z: NDArray[np.float64] = np.where(x == y, 0.0, np.abs(x - y) / error)
    return z


TESTS: dict[str, Callable[[Rounds], NDArray[np.float64]]] = {
    "paired": paired_p,
    "unpaired": unpaired_p,
    "public": public_p,
}


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p-value that wins and losses over datasets are as likely; ties say nothing."""
    return float(min(1.0, 2.0 * special.bdtr(min(wins, losses), wins + losses, 0.5)))


def wilcoxon(differences: NDArray[np.float64]) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test over datasets (datasets,); zeros say nothing.

    Differences are rounded to 12 digits, so that equal ones are of equal rank. Up to 50 of them the distribution is the
    exact one, ties or not (with ties, scipy goes through permutations, for minutes); beyond, the normal one.
    """
    some = np.round(differences, 12)
    some = some[some != 0.0]
    if some.size > 50:
        result: Any = stats.wilcoxon(some)
        return float(result.pvalue)
    # Twice the ranks are whole numbers. probability[w]: that twice the ranks with a positive sign sum to w.
    doubled = np.rint(2.0 * stats.rankdata(np.abs(some))).astype(int)
    probability = np.ones(1)
    for rank in doubled:
        probability = 0.5 * (np.pad(probability, (0, rank)) + np.pad(probability, (rank, 0)))
    positive = doubled[some > 0.0].sum()
    return float(min(1.0, 2.0 * min(probability[: positive + 1].sum(), probability[positive:].sum())))


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's correction of p-values (tests,) for their number."""
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps * p[order]))
    return adjusted
