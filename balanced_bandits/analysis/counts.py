"""Wins, losses and ties of each pair of bandits over datasets, with intervals and tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.analysis.bootstrap import intervals
from balanced_bandits.analysis.significance import TESTS, holm, sign_test, wilcoxon

SIGNIFICANT = 0.05
PAIR = ["reading", "protocol", "row", "column"]


def count(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A row for each reading, protocol and ordered pair of bandits.

    What ``summaries`` gives; wins and losses with p below 0.05 on the dataset, by each test; the p-values of the sign
    test and of Wilcoxon's signed-rank test over datasets, and the same after Holm's correction for all pairs of the
    reading and protocol. Both take datasets as independent, which versions of one dataset are not.
    """
    table = summaries(pairs, rng)
    groups = pairs.groupby(PAIR, sort=False)
    for test in TESTS:
        for outcome, name in (("win", "wins"), ("loss", "losses")):
            sure = (pairs["outcome"] == outcome) & (pairs[f"p_{test}"] < SIGNIFICANT)
            table[f"{name}_{test}"] = sure.groupby([pairs[key] for key in PAIR], sort=False).sum().to_numpy()
    table["p_sign"] = [sign_test(wins, losses) for wins, losses in zip(table["wins"], table["losses"], strict=True)]
    table["p_wilcoxon"] = [wilcoxon((of["regret_row"] - of["regret_column"]).to_numpy()) for _, of in groups]
    for test in ("sign", "wilcoxon"):
        table[f"p_{test}_holm"] = np.nan
        for _, of in table.groupby(["reading", "protocol"], sort=False):
            # A pair and its reverse are one test.
            unordered = [frozenset(pair) for pair in zip(of["row"], of["column"], strict=True)]
            first = of[~pd.Series(unordered, index=of.index).duplicated()]
            corrected = dict(zip([frozenset(pair) for pair in zip(first["row"], first["column"], strict=True)],
                                 holm(first[f"p_{test}"].to_numpy()), strict=True))  # fmt: skip
            table.loc[of.index, f"p_{test}_holm"] = [corrected[pair] for pair in unordered]
    return table


def summaries(pairs: pd.DataFrame, rng: np.random.Generator, keys: Sequence[str] = PAIR) -> pd.DataFrame:
    """Counts of each group of pairs by ``keys``, with intervals by bootstrap over families of datasets.

    Columns: datasets, families; wins, losses and ties of the row bandit; win_share, where a tie is half a win (0.5: no
    difference), and regret_difference, the mean of row minus column (below 0: the row bandit is better), each with its
    95 % interval. All groups have the same datasets.
    """
    wide = pairs.assign(
        score=pairs["outcome"].map({"win": 1.0, "tie": 0.5, "loss": 0.0}),
        difference=pairs["regret_row"] - pairs["regret_column"],
    )
    wide["group"] = wide.groupby(list(keys), sort=False).ngroup()
    family = wide.drop_duplicates("dataset").set_index("dataset")["family"]
    table = wide.drop_duplicates("group")[list(keys)].reset_index(drop=True)
    table["datasets"], table["families"] = len(family), family.nunique()
    for name, outcome in (("wins", "win"), ("losses", "loss"), ("ties", "tie")):
        table[name] = (wide["outcome"] == outcome).groupby(wide["group"]).sum().to_numpy()
    values = [wide.pivot(index="dataset", columns="group", values=name).loc[family.index].to_numpy()
              for name in ("score", "difference")]  # fmt: skip
    low, high = intervals(np.hstack(values), list(family), rng)
    for i, name in enumerate(("win_share", "regret_difference")):
        part: Any = slice(i * len(table), (i + 1) * len(table))
        table[name] = values[i].mean(axis=0)
        table[f"{name}_low"], table[f"{name}_high"] = low[part], high[part]
    return table
