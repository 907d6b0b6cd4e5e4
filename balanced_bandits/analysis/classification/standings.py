"""How the bandits stand over all datasets: mean regrets and ranks, distance from the best, differences by size."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from balanced_bandits.analysis.classification.counts import VIEW
from balanced_bandits.analysis.resampling import Bootstrap
from balanced_bandits.vocabulary import QUANTITIES, SIGNIFICANT

DIGITS = 12  # regrets are rounded to this many digits, so that equal ones are equal


def regrets_of(scores: pd.DataFrame, families: dict[str, str]) -> pd.DataFrame:
    """The mean regret over shuffles of every bandit on every dataset: reading, protocol, bandit, dataset, family."""
    keys = [*VIEW, "bandit", "dataset"]
    table = scores.groupby(keys, sort=False)["regret"].mean().round(DIGITS).reset_index()
    return table.assign(family=table["dataset"].map(families))


def ranks(regrets: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Mean regret and mean rank of each bandit over datasets (1: smallest regret; ties share ranks), best rank first.

    ``p_friedman``: of Friedman's test that all are alike, for three bandits or more. ``groups``: the numbers of the
    groups a bandit belongs to, separated by spaces. A group is a longest run of neighbours by rank of which no two are
    significantly different by Wilcoxon's signed-rank test after Holm's correction, as in critical-difference diagrams.
    """
    rows: list[tuple[Any, ...]] = []
    for view, of in regrets.groupby(VIEW, sort=False):
        wide = of.pivot(index="dataset", columns="bandit", values="regret")[list(dict.fromkeys(of["bandit"]))]
        mean = wide.rank(axis=1).mean().sort_values(kind="stable")
        several = wide.shape[1] >= 3 and len(wide) > 1
        # Where all regrets are equal the statistic is 0/0: there is no difference to test.
        alike = bool((wide.nunique(axis=1) == 1).all())
        p = float(stats.friedmanchisquare(*wide.to_numpy().T).pvalue) if several and not alike else np.nan
        here = counts[(counts["reading"] == view[0]) & (counts["protocol"] == view[1])]
        told = {frozenset(pair) for *pair, holm in here[["row", "column", "p_holm"]].itertuples(index=False)
                if holm < SIGNIFICANT}  # fmt: skip
        joined = groups([str(bandit) for bandit in mean.index], told)
        for bandit, rank in mean.items():
            member = " ".join(str(i + 1) for i, group in enumerate(joined) if bandit in group)
            rows.append((*view, bandit, len(wide), wide[bandit].mean(), rank, p, member))
    return pd.DataFrame(rows, columns=[*VIEW, "bandit", "datasets", "regret", "mean_rank", "p_friedman", "groups"])


def groups(ordered: list[str], told: set[frozenset[Any]]) -> list[list[str]]:
    """The longest runs of at least two neighbours with no pair that differs.

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

    One row per distance at which the share grows. Distances are differences of normalised regrets and not ratios, which
    mean little where the best bandit is hardly ever wrong.
    """
    best = regrets.groupby([*VIEW, "dataset"], sort=False)["regret"].transform("min")
    distance = (regrets["regret"] - best).round(DIGITS)
    tables = []
    for keys, of in distance.groupby([regrets[name] for name in (*VIEW, "bandit")], sort=False):
        values, counted = np.unique(of.to_numpy(), return_counts=True)
        names: Any = dict(zip((*VIEW, "bandit"), keys, strict=True))
        tables.append(pd.DataFrame(names | {"distance": values, "share": counted.cumsum() / len(of)}))
    return pd.concat(tables, ignore_index=True)


def differences_by_size(
    regrets: pd.DataFrame, datasets: pd.DataFrame, reference: str, rng: np.random.Generator
) -> pd.DataFrame:
    """Mean regret of each bandit minus that of the bandit ``reference`` on the same datasets, overall and by size.

    By classes of n, d and K as those of the paper's Table 2; ``by`` is ``all`` for all datasets. With 95 % intervals by
    bootstrap over families; ``regret`` is the mean regret itself. Datasets differ far more than bandits do, so the
    interval of a mean regret would say nothing about a difference.
    """
    wide = regrets.pivot(index="dataset", columns=[*VIEW, "bandit"], values="regret")
    columns: list[Any] = list(wide)
    base = wide[[(reading, protocol, reference) for reading, protocol, _ in columns]].set_axis(wide.columns, axis=1)
    sizes = datasets.set_index("name").loc[wide.index]
    family = regrets.drop_duplicates("dataset").set_index("dataset")["family"].loc[wide.index]
    strata = [("all", "all", np.ones(len(wide), dtype=bool))]
    for column, quantity in QUANTITIES.items():
        size = sizes[column].to_numpy(dtype=float)
        strata += [(column, stratum.label, stratum.contains(size)) for stratum in quantity.strata]
    tables = []
    for by, stratum, inside in strata:
        if inside.any():
            here = wide[inside].dropna(axis=1, how="all")  # datasets with a single shuffle have no held-out regret
            bootstrap = Bootstrap((here - base[list(here)][inside]).to_numpy(), list(family[inside]), rng)
            low, high = (np.clip(end, -1.0, 1.0) for end in bootstrap.pointwise())  # regrets are between 0 and 1
            table = here.mean().rename("regret").reset_index()
            table = table.assign(difference=bootstrap.means, difference_low=low, difference_high=high)
            tables.append(table.assign(by=by, stratum=stratum, datasets=here.notna().sum().to_numpy()))
    first = ["by", "stratum", "datasets"]
    joined = pd.concat(tables, ignore_index=True)
    return joined[first + [name for name in joined if name not in first]]
