"""How the bandits stand over all datasets: mean ranks, how far each is from the best, mean regrets by size."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from balanced_bandits.analysis.bootstrap import intervals
from balanced_bandits.analysis.claims import STRATA, classes
from balanced_bandits.analysis.counts import SIGNIFICANT

DIGITS = 12  # regrets are rounded to so many, so that equal ones are equal
VIEW = ["reading", "protocol"]


def regrets_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """The regret of every bandit on every dataset: reading, protocol, bandit, dataset, family, regret."""
    own = pairs.drop_duplicates([*VIEW, "row", "dataset"])
    named = own.rename(columns={"row": "bandit", "regret_row": "regret"})
    return named[[*VIEW, "bandit", "dataset", "family", "regret"]].round({"regret": DIGITS}).reset_index(drop=True)


def ranks(regrets: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Mean rank of each bandit over datasets (1: the smallest regret; equal ones share their ranks), the best first.

    ``p_friedman``: of Friedman's test that all are alike, with three bandits or more. ``groups``: the numbers of the
    groups a bandit belongs to, with spaces between. A group is a longest row of neighbours by rank of which no two are
    told apart by Wilcoxon's signed-rank test after Holm's correction, as critical-difference diagrams show them.
    """
    rows: list[tuple[Any, ...]] = []
    for view, of in regrets.groupby(VIEW, sort=False):
        wide = of.pivot(index="dataset", columns="bandit", values="regret")[list(dict.fromkeys(of["bandit"]))]
        mean = wide.rank(axis=1).mean().sort_values(kind="stable")
        several = wide.shape[1] >= 3 and len(wide) > 1
        # Where all regrets are equal the statistic is 0/0: there is nothing to tell apart.
        alike = bool((wide.nunique(axis=1) == 1).all())
        p = float(stats.friedmanchisquare(*wide.to_numpy().T).pvalue) if several and not alike else np.nan
        here = counts[(counts["reading"] == view[0]) & (counts["protocol"] == view[1])]
        told = {frozenset(pair) for *pair, holm in here[["row", "column", "p_wilcoxon_holm"]].itertuples(index=False)
                if holm < SIGNIFICANT}  # fmt: skip
        joined = groups([str(bandit) for bandit in mean.index], told)
        for bandit, rank in mean.items():
            member = " ".join(str(i + 1) for i, group in enumerate(joined) if bandit in group)
            rows.append((*view, bandit, len(wide), rank, p, member))
    return pd.DataFrame(rows, columns=[*VIEW, "bandit", "datasets", "mean_rank", "p_friedman", "groups"])


def groups(ordered: list[str], told: set[frozenset[Any]]) -> list[list[str]]:
    """The longest rows of neighbours, two at least, with no pair that is told apart.

    >>> groups(["a", "b", "c", "d"], {frozenset("ac"), frozenset("ad")})
    [['a', 'b'], ['b', 'c', 'd']]
    """
    found: list[list[str]] = []
    last = 0
    for start in range(len(ordered)):
        end = start + 1
        while end < len(ordered) and not any(frozenset((ordered[end], one)) in told for one in ordered[start:end]):
            end += 1
        if end > max(last, start + 1):
            found.append(ordered[start:end])
            last = end
    return found


def profiles(regrets: pd.DataFrame) -> pd.DataFrame:
    """Performance profiles: the share of datasets on which a bandit is at most ``distance`` from the best of them.

    A row for each distance at which the share grows. Distances are differences of normalised regrets and not ratios,
    which mean little where the best bandit is hardly ever wrong.
    """
    best = regrets.groupby([*VIEW, "dataset"], sort=False)["regret"].transform("min")
    distance = (regrets["regret"] - best).round(DIGITS)
    tables = []
    for keys, of in distance.groupby([regrets[key] for key in (*VIEW, "bandit")], sort=False):
        values, counted = np.unique(of, return_counts=True)
        names: Any = dict(zip((*VIEW, "bandit"), keys, strict=True))
        tables.append(pd.DataFrame(names | {"distance": values, "share": counted.cumsum() / len(of)}))
    return pd.concat(tables, ignore_index=True)


def mean_regrets(regrets: pd.DataFrame, datasets: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Mean regret of each bandit over all datasets and by classes of n, d and K, as those of the paper's Table 2.

    With 95 % intervals by bootstrap over families of datasets; ``by`` is ``all`` for all of them.
    """
    wide = regrets.pivot(index="dataset", columns=[*VIEW, "bandit"], values="regret")
    sizes = datasets.set_index("name").loc[wide.index]
    family = regrets.drop_duplicates("dataset").set_index("dataset")["family"].loc[wide.index]
    strata = [("all", "all", np.ones(len(wide), dtype=bool))]
    for column in STRATA:
        size = sizes[column].to_numpy(dtype=float)
        strata += [(column, label, (size > low) & (size <= high)) for label, low, high in classes(column)]
    tables = []
    for by, stratum, inside in strata:
        if inside.any():
            low, high = intervals(wide[inside].to_numpy(), list(family[inside]), rng)
            table = wide[inside].mean().rename("regret").reset_index().assign(regret_low=low, regret_high=high)
            tables.append(table.assign(by=by, stratum=stratum, datasets=int(inside.sum())))
    first = ["by", "stratum", "datasets"]
    joined = pd.concat(tables, ignore_index=True)
    return joined[first + [name for name in joined if name not in first]]
