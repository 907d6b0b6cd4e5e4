"""How often each protocol and test sees a difference where there is none: pairs of copies of one bandit.

The copies have the same settings and the same orders of the rows, and other random numbers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from balanced_bandits.analysis.classification.pairs import compare
from balanced_bandits.analysis.classification.protocols import Played, chosen_by_all, fixed_settings, matrices, scores
from balanced_bandits.analysis.intervals import wilson
from balanced_bandits.analysis.resampling import LEVEL, Bootstrap
from balanced_bandits.analysis.significance import wilcoxon
from balanced_bandits.vocabulary import SIGNIFICANT

TESTS = {
    "dataset": "paired t test across the shuffles of one dataset",
    "wilcoxon": "Wilcoxon's signed-rank test over datasets",
    "interval": "the 95 % interval of the mean difference excludes zero",
}
REPETITIONS = 200  # of the tests over datasets, for each bandit and reading
COLUMNS = ["test", "protocol", "reading", "bandit", "rejected", "tests", "percent", "low", "high"]


def calibration(
    runs: pd.DataFrame, families: Mapping[str, str], sizes: Mapping[str, int], rng: np.random.Generator
) -> pd.DataFrame:
    """Rejection rates at 5 %: one row per test, protocol, reading and bandit, and one for all bandits together.

    ``rejected`` of ``tests`` have p below 0.05. On one dataset, copies are paired without overlap (0 with 1, 2 with 3,
    ...), so that pairs are independent; ``low`` and ``high`` are Wilson's 95 % interval in percent.

    There is only one set of datasets, so tests over datasets are repeated: each time, two of the copies are drawn for
    every dataset, which is as likely as any other way to name them. These repetitions are not independent. The interval
    of all bandits together is therefore the t interval over bandits and readings, and single bandits have none.
    """
    rows: list[dict[str, Any]] = []
    keys: Any
    for keys, own in runs.groupby(["reading", "bandit"], sort=False):
        known = dict(zip(("reading", "bandit"), keys, strict=True))
        pairs = pd.concat(list(_disjoint_pairs(own, families, sizes)), ignore_index=True)
        for protocol, of in pairs.groupby("protocol", sort=False):
            tested = of["p"].dropna()
            count = {"rejected": int((tested < SIGNIFICANT).sum()), "tests": len(tested)}
            rows.append(known | {"protocol": protocol, "test": "dataset"} | count)
        for protocol, test, rejected in _over_datasets(own, families, rng):
            rows.append(known | {"protocol": protocol, "test": test, "rejected": rejected, "tests": REPETITIONS})
    table = pd.DataFrame(rows)
    table["percent"] = 100.0 * table["rejected"] / table["tests"]
    together = table.groupby(["test", "protocol"], sort=False)[["rejected", "tests"]].sum().reset_index()
    together["percent"] = 100.0 * together["rejected"] / together["tests"]
    both = pd.concat([together.assign(reading="all", bandit="all"), table], ignore_index=True)
    both["low"], both["high"] = np.nan, np.nan
    row: Any
    for i, row in enumerate(both.itertuples()):
        if row.test == "dataset":
            low, high = wilson(row.rejected, row.tests) if row.tests else (0.0, 1.0)
            both.loc[i, ["low", "high"]] = [100.0 * low, 100.0 * high]
        elif row.bandit == "all":
            here = table[(table["test"] == row.test) & (table["protocol"] == row.protocol)]["percent"]
            both.loc[i, ["low", "high"]] = _around(here.to_numpy())
    return both[COLUMNS]


def _disjoint_pairs(own: pd.DataFrame, families: Mapping[str, str], sizes: Mapping[str, int]) -> Iterator[pd.DataFrame]:
    """The comparisons of copy 0 with copy 1, 2 with 3, and so on, of one bandit under one reading."""
    for first in range(0, int(own["copy"].max()), 2):
        two = own[own["copy"].isin([first, first + 1])]
        named = two.assign(bandit=np.where(two["copy"] == first, "one", "other"))
        yield compare(scores(named, families), families, sizes, [("one", "other")])


def _over_datasets(
    own: pd.DataFrame, families: Mapping[str, str], rng: np.random.Generator
) -> Iterator[tuple[str, str, int]]:
    """Protocol, test and number of rejections of tests over datasets, with two copies drawn for every dataset."""
    copies = [matrices(own[own["copy"] == copy]) for copy in range(int(own["copy"].max()) + 1)]
    names = list(copies[0])
    rejected: dict[tuple[str, str], int] = {}
    for _ in range(REPETITIONS):
        drawn = [rng.permutation(len(copies))[:2] for _ in names]
        regrets = [_regrets({name: copies[int(two[side])][name] for name, two in zip(names, drawn, strict=True)},
                            families) for side in (0, 1)]  # fmt: skip
        for protocol, first in regrets[0].items():
            datasets = list(first)
            differences = np.array([first[name] - regrets[1][protocol][name] for name in datasets]).round(12)
            low, high = Bootstrap(differences[:, None], [families[name] for name in datasets], rng).pointwise()
            seen = {"wilcoxon": wilcoxon(differences) < SIGNIFICANT, "interval": bool(low[0] > 0 or high[0] < 0)}
            for test, found in seen.items():
                rejected[protocol, test] = rejected.get((protocol, test), 0) + found
    for (protocol, test), number in rejected.items():
        yield protocol, test, number


def _regrets(played: Mapping[tuple[str, str], Played], families: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """The mean regret of a bandit on each dataset, by protocol."""
    fixed = fixed_settings(played, families)
    found: dict[str, dict[str, float]] = {}
    for (bandit, dataset), of in played.items():
        for protocol, chosen in chosen_by_all(of, fixed[bandit, dataset]).items():
            found.setdefault(protocol, {})[dataset] = float(chosen.regrets.mean())
    return found


def _around(percent: NDArray[np.float64]) -> list[float]:
    """The 95 % t interval of a mean percentage; everything from a single one."""
    if len(percent) < 2:
        return [0.0, 100.0]
    reach = special.stdtrit(len(percent) - 1, (1 + LEVEL) / 2) * percent.std(ddof=1) / np.sqrt(len(percent))
    return [max(0.0, float(percent.mean() - reach)), min(100.0, float(percent.mean() + reach))]
