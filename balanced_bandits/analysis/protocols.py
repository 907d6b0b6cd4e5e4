"""Tuning protocols by name: which of a bandit's runs on a dataset stands for it."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

# What a figure says of a protocol.
WORDS = {
    "paper": "each bandit at its best setting on each dataset, in hindsight",
    "matched": "each bandit at the best of {runs} runs on each dataset, in hindsight",
    "fixed": "each bandit at one setting, chosen on the datasets of other families",
}


def paper(runs: pd.DataFrame, families: Mapping[str, str], number: int) -> pd.DataFrame:
    """The best setting for each dataset in hindsight, one run a setting: 12 settings have more luck than 3."""
    return _best(runs[runs["repeat"] == 0])


def matched(runs: pd.DataFrame, families: Mapping[str, str], number: int) -> pd.DataFrame:
    """The best of the first ``number`` runs in hindsight; where there are fewer settings, these are further repeats."""
    ordered = runs.sort_values("repeat", kind="stable")
    return _best(ordered[ordered.groupby(["dataset", "bandit"]).cumcount() < number])


def fixed(runs: pd.DataFrame, families: Mapping[str, str], number: int) -> pd.DataFrame:
    """One setting for each bandit: that of smallest mean regret over the datasets of all other families.

    Nothing is chosen in hindsight. Where there is no other family, it is the first setting.
    """
    first = runs[runs["repeat"] == 0]
    chosen = []
    for _, of_bandit in first.groupby("bandit", sort=False):
        settings = list(dict.fromkeys(of_bandit["setting"]))
        wide = of_bandit.pivot(index="dataset", columns="setting", values="regret")[settings]
        family = wide.index.map(families)
        others = wide.sum().to_numpy() - wide.groupby(family).transform("sum").to_numpy()
        # Rounded: equal regrets, added up in another order, stay equal, and the first setting is taken.
        best = np.asarray(settings)[np.round(others, 9).argmin(axis=1)]
        chosen.append(of_bandit.merge(pd.DataFrame({"dataset": wide.index, "setting": best})))
    return pd.concat(chosen, ignore_index=True)


PROTOCOLS: dict[str, Callable[[pd.DataFrame, Mapping[str, str], int], pd.DataFrame]] = {
    "paper": paper,
    "matched": matched,
    "fixed": fixed,
}


def choose(protocol: str, runs: pd.DataFrame, families: Mapping[str, str], number: int) -> pd.DataFrame:
    """The setting and repeat that stand for each bandit on each dataset, by the protocol of that name.

    ``runs`` are those of one reading; a setting is judged by its mean regret over shuffles, and of equal ones the first
    in the grid is taken. ``families`` are those of the datasets by name, ``number`` is that of runs a bandit has.
    Columns: dataset, bandit, setting, repeat, regret.
    """
    keys = ["dataset", "bandit", "setting", "repeat"]
    mean = runs.groupby(keys, sort=False)["regret"].mean().round(12).reset_index()
    return PROTOCOLS[protocol](mean, families, number)


def _best(means: pd.DataFrame) -> pd.DataFrame:
    """The row of smallest regret for each dataset and bandit, of equal ones the first."""
    means = means.reset_index(drop=True)
    return means.loc[means.groupby(["dataset", "bandit"], sort=False)["regret"].idxmin()].reset_index(drop=True)
