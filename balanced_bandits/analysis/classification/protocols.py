"""Tuning protocols: which of a bandit's settings stands for it on a dataset, and what its regret is then.

A bandit plays every setting of its grid on every shuffle of a dataset. A protocol turns these regrets, a matrix
(settings, shuffles), into one regret per shuffle:

    paper      the best setting on each shuffle, in hindsight; the more settings, the more luck
    held_out   on each shuffle, the setting with the smallest mean regret on the other shuffles of the dataset
    typical    the mean over all settings
    fixed      one setting for all shuffles: that with the smallest mean regret on the datasets of all other families

``vocabulary.PROTOCOLS`` says what each is fair to.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DIGITS = 12  # regrets are rounded to this many digits, so that equal ones are equal and ties go to the first setting
ALL_SETTINGS = "all settings"
COLUMNS = ["protocol", "bandit", "dataset", "shuffle", "setting", "regret"]


class Played(NamedTuple):
    """The regrets of a bandit on a dataset."""

    settings: list[str]
    shuffles: list[int]
    regrets: NDArray[np.float64]  # (settings, shuffles)


class Chosen(NamedTuple):
    """What a protocol makes of them, for each shuffle."""

    settings: list[str]
    regrets: NDArray[np.float64]  # (shuffles,)


def scores(runs: pd.DataFrame, families: Mapping[str, str]) -> pd.DataFrame:
    """One row per protocol, bandit, dataset and shuffle: the setting that stands for the bandit, and its regret.

    ``runs`` are those of one reading, with the columns dataset, bandit, setting, shuffle and regret; ``families`` are
    those of the datasets by name. A dataset with a single shuffle has no held-out regret.
    """
    played = matrices(runs)
    fixed = fixed_settings(played, families)
    tables = []
    for (bandit, dataset), of in played.items():
        for protocol, chosen in {
            "paper": paper(of),
            "held_out": held_out(of),
            "typical": typical(of),
            "fixed": at(of, [fixed[bandit, dataset]] * len(of.shuffles)),
        }.items():
            if chosen is not None:
                tables.append((protocol, bandit, dataset, of.shuffles, chosen.settings, chosen.regrets))
    table = pd.DataFrame(tables, columns=COLUMNS)
    return table.explode(["shuffle", "setting", "regret"], ignore_index=True).astype({"shuffle": int, "regret": float})


def matrices(runs: pd.DataFrame) -> dict[tuple[str, str], Played]:
    """The regrets of each bandit on each dataset; settings are in the order of the grid."""
    found = {}
    for (bandit, dataset), of in runs.groupby(["bandit", "dataset"], sort=False):
        setting, settings = pd.factorize(of["setting"])
        shuffle, shuffles = pd.factorize(of["shuffle"], sort=True)
        regrets = np.full((len(settings), len(shuffles)), np.nan)
        regrets[setting, shuffle] = of["regret"].round(DIGITS)
        assert not np.isnan(regrets).any(), f"{bandit} on {dataset}: not every setting has played every shuffle"
        found[str(bandit), str(dataset)] = Played(list(settings), [int(each) for each in shuffles], regrets)
    return found


def at(played: Played, settings: list[int]) -> Chosen:
    """One setting per shuffle, by its place in the grid."""
    regrets = played.regrets[settings, range(len(played.shuffles))]
    return Chosen([played.settings[i] for i in settings], regrets)


def paper(played: Played) -> Chosen:
    """The best setting on each shuffle, in hindsight."""
    return at(played, [int(i) for i in played.regrets.argmin(axis=0)])


def held_out(played: Played) -> Chosen | None:
    """The setting that is best on all other shuffles; None if there are no others."""
    if len(played.shuffles) < 2:
        return None
    others = (played.regrets.sum(axis=1, keepdims=True) - played.regrets).round(DIGITS - 2)
    return at(played, [int(i) for i in others.argmin(axis=0)])


def typical(played: Played) -> Chosen:
    """The mean over settings."""
    return Chosen([ALL_SETTINGS] * len(played.shuffles), played.regrets.mean(axis=0))


def fixed_settings(played: Mapping[tuple[str, str], Played], families: Mapping[str, str]) -> dict[tuple[str, str], int]:
    """The setting of each bandit with the smallest mean regret over the datasets of all families but the dataset's own.

    Without another family it is the first setting.
    """
    chosen: dict[tuple[str, str], int] = {}
    for bandit in dict.fromkeys(bandit for bandit, _ in played):
        datasets = [dataset for other, dataset in played if other == bandit]
        means = np.array([played[bandit, dataset].regrets.mean(axis=1) for dataset in datasets])
        family, names = pd.factorize(pd.Series([families[dataset] for dataset in datasets]))
        sums = np.zeros((len(names), means.shape[1]))
        np.add.at(sums, family, means)
        others = (means.sum(axis=0) - sums)[family].round(DIGITS - 3)
        chosen |= {(bandit, dataset): int(i) for dataset, i in zip(datasets, others.argmin(axis=1), strict=True)}
    return chosen
