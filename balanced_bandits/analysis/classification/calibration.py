"""How often each protocol and test sees a difference where there is none: pairs of copies of one bandit.

The copies have the same settings and the same orders of the rows, and other random numbers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.analysis.classification.counts import matrix
from balanced_bandits.analysis.classification.pairs import compare
from balanced_bandits.analysis.classification.protocols import scores
from balanced_bandits.analysis.intervals import wilson
from balanced_bandits.analysis.resampling import Bootstrap
from balanced_bandits.analysis.significance import wilcoxon
from balanced_bandits.vocabulary import SIGNIFICANT

TESTS = {
    "dataset": "paired t test across the shuffles of one dataset",
    "wilcoxon": "Wilcoxon's signed-rank test over datasets",
    "interval": "the 95 % interval of the mean difference excludes zero",
}


def calibration(
    runs: pd.DataFrame, families: Mapping[str, str], sizes: Mapping[str, int], rng: np.random.Generator
) -> pd.DataFrame:
    """Rejection rates at 5 %: one row per test, protocol, reading and bandit, and one for all bandits together.

    ``rejected`` of ``tests`` with p below 0.05, in percent with Wilson's 95 % interval. Copies are paired without
    overlap (0 with 1, 2 with 3, ...), so that pairs are independent.
    """
    pairs = pd.concat(list(_pairs(runs, families, sizes)), ignore_index=True)
    rows: list[dict[str, Any]] = []
    for (protocol, reading, bandit), of in pairs.groupby(["protocol", "reading", "bandit"], sort=False):
        known = {"protocol": protocol, "reading": reading, "bandit": bandit}
        tested = of["p"].dropna()
        rows.append(known | {"test": "dataset", "rejected": int((tested < SIGNIFICANT).sum()), "tests": len(tested)})
        wide = matrix(of, "pair", "difference")
        bootstrap = Bootstrap(wide.to_numpy(), [families[str(name)] for name in wide.index], rng)
        low, high = bootstrap.pointwise()
        over = {"wilcoxon": [wilcoxon(wide[pair].to_numpy()) < SIGNIFICANT for pair in wide],
                "interval": list((low > 0) | (high < 0))}  # fmt: skip
        for test, found in over.items():
            rows.append(known | {"test": test, "rejected": int(sum(found)), "tests": len(found)})
    table = pd.DataFrame(rows)
    together = table.groupby(["test", "protocol"], sort=False)[["rejected", "tests"]].sum().reset_index()
    table = pd.concat([together.assign(reading="all", bandit="all"), table], ignore_index=True)
    counted = table[["rejected", "tests"]].to_numpy()
    ends = [wilson(rejected, tests) if tests else (0.0, 1.0) for rejected, tests in counted]
    table["percent"] = 100.0 * table["rejected"] / table["tests"]
    table["low"], table["high"] = 100.0 * np.array(ends).T
    return table[["test", "protocol", "reading", "bandit", "rejected", "tests", "percent", "low", "high"]]


def _pairs(runs: pd.DataFrame, families: Mapping[str, str], sizes: Mapping[str, int]) -> Iterator[pd.DataFrame]:
    """The comparisons of copy 0 with copy 1, 2 with 3, and so on, of each bandit under each reading."""
    keys: Any
    for keys, own in runs.groupby(["reading", "bandit"], sort=False):
        reading, bandit = keys
        for first in range(0, int(own["copy"].max()), 2):
            two = own[own["copy"].isin([first, first + 1])]
            named = two.assign(bandit=np.where(two["copy"] == first, "one", "other"))
            table = compare(scores(named, families), families, sizes, [("one", "other")])
            yield table.assign(reading=reading, bandit=bandit, pair=first // 2)
