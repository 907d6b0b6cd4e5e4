"""Two bandits over all datasets: mean difference, wins, losses and ties, with intervals and tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.analysis.resampling import Bootstrap
from balanced_bandits.analysis.significance import holm, wilcoxon
from balanced_bandits.vocabulary import SIGNIFICANT

VIEW = ["reading", "protocol"]
PAIR = [*VIEW, "row", "column"]


def count(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """One row per reading, protocol and pair of bandits: what ``summaries`` returns, and tests over datasets.

    ``sure_wins`` and ``sure_losses`` are those with p < 0.05 by the paired test across the shuffles of the dataset, out
    of ``tested`` datasets with enough shuffles. ``p_wilcoxon`` is the p-value of Wilcoxon's signed-rank test over
    datasets, ``p_holm`` the same after Holm's correction for all rows of the table. The test assumes
    independent datasets, which versions of the same dataset are not; intervals do not.
    """
    table = summaries(pairs, rng)
    groups = pairs.groupby(PAIR, sort=False)
    table["tested"] = groups["p"].count().to_numpy()
    for outcome, name in (("win", "sure_wins"), ("loss", "sure_losses")):
        sure = (pairs["outcome"] == outcome) & (pairs["p"] < SIGNIFICANT)
        table[name] = sure.groupby([pairs[key] for key in PAIR], sort=False).sum().to_numpy()
    table["p_wilcoxon"] = [wilcoxon(of["difference"].to_numpy()) for _, of in groups]
    table["p_holm"] = holm(table["p_wilcoxon"].to_numpy())
    return table


def summaries(pairs: pd.DataFrame, rng: np.random.Generator, keys: Sequence[str] = PAIR) -> pd.DataFrame:
    """One row per group of pairs by ``keys``, with 95 % intervals by bootstrap over families of datasets.

    Columns: datasets, families; wins, losses and ties of the row bandit; ``difference``, the mean regret of row minus
    column (below 0: the row bandit is better), and ``win_share``, where a tie is half a win, each with its interval.
    """
    wide = pairs.assign(win_share=pairs["outcome"].map({"win": 1.0, "tie": 0.5, "loss": 0.0}))
    wide["group"] = wide.groupby(list(keys), sort=False).ngroup()
    groups = wide.groupby("group")
    table = wide.drop_duplicates("group")[list(keys)].reset_index(drop=True)
    table["datasets"], table["families"] = groups.size().to_numpy(), groups["family"].nunique().to_numpy()
    for name, outcome in (("wins", "win"), ("losses", "loss"), ("ties", "tie")):
        table[name] = (wide["outcome"] == outcome).groupby(wide["group"]).sum().to_numpy()
    family = wide.drop_duplicates("dataset").set_index("dataset")["family"]
    measures = ("difference", "win_share")
    values = [matrix(wide, "group", name).loc[family.index].to_numpy() for name in measures]
    bootstrap = Bootstrap(np.hstack(values), list(family), rng)
    low, high = bootstrap.pointwise()
    for i, name in enumerate(measures):
        part: Any = slice(i * len(table), (i + 1) * len(table))
        least = -1.0 if name == "difference" else 0.0  # regrets and shares are between 0 and 1
        ends = (np.clip(end[part], least, 1.0) for end in (low, high))
        table[name] = bootstrap.means[part]
        table[f"{name}_low"], table[f"{name}_high"] = ends
    return table


def matrix(pairs: pd.DataFrame, columns: str, values: str) -> pd.DataFrame:
    """A table with one row per dataset, in the order of ``pairs``, and one column per value of ``columns``."""
    wide = pairs.pivot(index="dataset", columns=columns, values=values)
    return wide.loc[list(dict.fromkeys(pairs["dataset"]))]
