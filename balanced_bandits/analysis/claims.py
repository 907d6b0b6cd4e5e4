"""What the paper claims of its Figure 4, held against our counts: over all datasets, and by their size."""

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd

from balanced_bandits.analysis.counts import SIGNIFICANT, summaries
from balanced_bandits.analysis.paper import CLAIMS

# The classes of the paper's Table 2: by column, the largest value of each class.
STRATA = {"n": [100, 1000, 10000], "d": [10, 100], "K": [2, 10]}


def claimed(pairs: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table by pairs that the paper claims something of, the better bandit as ``row``, in its order."""
    places = {pair: place for place, pair in enumerate(CLAIMS)}
    order = np.array([places.get(pair, -1) for pair in zip(pairs["row"], pairs["column"], strict=True)], dtype=int)
    ordered = np.argsort(order, kind="stable")
    return pairs.iloc[ordered[order[ordered] >= 0]]


def claims(counts: pd.DataFrame) -> pd.DataFrame:
    """Each claim under each reading and protocol, with its counts and a verdict."""
    table = claimed(counts)
    numbers = table[["wins", "losses", "win_share_low", "win_share_high", "p_sign_holm"]].to_numpy(dtype=float)
    verdicts = [verdict(*row) for row in numbers]
    table = table.rename(columns={"row": "better", "column": "worse"}).assign(verdict=verdicts)
    first = ["better", "worse", "reading", "protocol", "verdict"]
    return table[first + [name for name in table if name not in first]].reset_index(drop=True)


def verdict(wins: float, losses: float, low: float, high: float, p: float) -> str:
    """Whether a claim holds over datasets.

    holds: the 95 % interval of the win share lies above one half and the sign test's p after Holm's correction is
    below 0.05; reversed: the interval lies below one half and p is below 0.05; otherwise holds weakly if there are more
    wins than losses, and does not hold if there are not.

    >>> verdict(40, 20, 0.55, 0.78, 0.04), verdict(40, 20, 0.55, 0.78, 0.06), verdict(20, 20, 0.4, 0.6, 1.0)
    ('holds', 'holds weakly', 'does not hold')
    """
    if p < SIGNIFICANT and low > 0.5:
        return "holds"
    if p < SIGNIFICANT and high < 0.5:
        return "reversed"
    return "holds weakly" if wins > losses else "does not hold"


def strata(pairs: pd.DataFrame, datasets: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The counts of each claim by classes of n, d (before encoding) and K, as those of the paper's Table 2.

    A row for each column, class with datasets in it, reading, protocol and claim, with what ``summaries`` gives.
    """
    kept = claimed(pairs)
    sizes = datasets.set_index("name")
    tables = []
    for column in STRATA:
        for label, low, high in classes(column):
            size = kept["dataset"].map(sizes[column])
            within = kept[(size > low) & (size <= high)]
            if len(within):
                tables.append(summaries(within, rng).assign(column_of=column, stratum=label))
    empty = kept[:0].assign(column_of="", stratum="", datasets=0)
    table = pd.concat(tables or [empty], ignore_index=True)
    table = table.rename(columns={"row": "better", "column": "worse", "column_of": "by"})
    first = ["by", "stratum"]
    return table[first + [name for name in table if name not in first]]


def classes(column: str) -> Iterator[tuple[str, float, float]]:
    """The classes of a column: a label, and the numbers above which and up to which it goes.

    >>> [label for label, _, _ in classes("K")], [label for label, _, _ in classes("n")]
    (['2', '3–10', '> 10'], ['≤ 100', '101–1,000', '1,001–10,000', '> 10,000'])
    """
    ends = [1 if column == "K" else 0, *STRATA[column]]
    first = f"{ends[1]}" if column == "K" else f"≤ {ends[1]}"  # a dataset has two classes at least
    labels = [first, *(f"{low + 1:,}–{high:,}" for low, high in itertools.pairwise(ends[1:])), f"> {ends[-1]:,}"]
    yield from zip(labels, ends, [*ends[1:], np.inf], strict=True)
