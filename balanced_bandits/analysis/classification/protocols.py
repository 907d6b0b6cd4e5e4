"""Tuning protocols: which of a bandit's settings represents it on a dataset, and what its regret is then.

A bandit plays every setting of its grid on every shuffle of a dataset. A protocol turns these regrets, a matrix
(settings, shuffles), into one regret per shuffle:

    paper      the best setting on each shuffle, in hindsight; the more settings, the more luck
    held_out   the best setting on another shuffle: shuffles come in pairs, each chooses the setting for the other
    typical    the mean over all settings
    fixed      the setting with the smallest mean regret on the datasets of all other families, on shuffles with odd
               numbers for those with even numbers and vice versa

Regrets of different ``units`` are independent, as tests assume: a unit is a shuffle or, under held_out, a pair of them.
Choosing a setting on all other shuffles, or on the same shuffles of other datasets, would make regrets depend on each
other: two copies of one bandit then differ "significantly" in about 20 % of cases instead of 5 %. Pairs also give every
dataset the same amount of data to tune on, however often it is played.

``vocabulary.PROTOCOLS`` describes whom each protocol is fair to.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DIGITS = 12  # regrets are rounded to this many digits, so that equal ones are equal and ties go to the first setting
ALL_SETTINGS = "all settings"
COLUMNS = ["protocol", "bandit", "dataset", "shuffle", "unit", "setting", "regret"]


class Played(NamedTuple):
    """The regrets of a bandit on a dataset."""

    settings: list[str]
    shuffles: list[int]
    regrets: NDArray[np.float64]  # (settings, shuffles)


class Chosen(NamedTuple):
    """The settings and regrets that a protocol selects, for each shuffle that it uses."""

    shuffles: list[int]
    units: list[int]
    settings: list[str]
    regrets: NDArray[np.float64]  # (shuffles,)


def scores(runs: pd.DataFrame, families: Mapping[str, str]) -> pd.DataFrame:
    """One row per protocol, bandit, dataset and shuffle: the setting that represents the bandit, and its regret.

    ``runs`` are those of one reading, with the columns dataset, bandit, setting, shuffle and regret; ``families`` are
    those of the datasets by name. A dataset with a single shuffle has no held-out regret.
    """
    played = matrices(runs)
    fixed = fixed_settings(played, families)
    tables = []
    for (bandit, dataset), of in played.items():
        for protocol, chosen in chosen_by_all(of, fixed[bandit, dataset]).items():
            tables.append((protocol, bandit, dataset, *chosen))
    names = [*COLUMNS[:3], "shuffle", "unit", "setting", "regret"]
    table = pd.DataFrame(tables, columns=names).explode(names[3:], ignore_index=True)
    return table.astype({"shuffle": int, "unit": int, "regret": float})


def chosen_by_all(played: Played, fixed: list[int]) -> dict[str, Chosen]:
    """What each protocol selects; ``fixed`` are the settings of the protocol of that name."""
    found = {
        "paper": paper(played),
        "held_out": held_out(played),
        "typical": typical(played),
        "fixed": at(played, fixed),
    }
    return {protocol: chosen for protocol, chosen in found.items() if chosen.shuffles}


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
    return Chosen(played.shuffles, played.shuffles, [played.settings[i] for i in settings], regrets)


def paper(played: Played) -> Chosen:
    """The best setting on each shuffle, in hindsight."""
    return at(played, [int(i) for i in played.regrets.argmin(axis=0)])


def held_out(played: Played) -> Chosen:
    """The best setting on the other shuffle of a pair; a last shuffle without another one is not used."""
    pairs = len(played.shuffles) // 2
    best = played.regrets.argmin(axis=0)[: 2 * pairs].reshape(pairs, 2)
    scored = Played(played.settings, played.shuffles[: 2 * pairs], played.regrets[:, : 2 * pairs])
    chosen = at(scored, [int(i) for i in best[:, ::-1].ravel()])
    return chosen._replace(units=[place // 2 for place in range(2 * pairs)])


def typical(played: Played) -> Chosen:
    """The mean over settings."""
    shuffles = played.shuffles
    return Chosen(shuffles, shuffles, [ALL_SETTINGS] * len(shuffles), played.regrets.mean(axis=0))


def fixed_settings(
    played: Mapping[tuple[str, str], Played], families: Mapping[str, str]
) -> dict[tuple[str, str], list[int]]:
    """The setting of each bandit on each shuffle of a dataset, as its place in the grid.

    For shuffles with even numbers it is the setting with the smallest mean regret on the shuffles with odd numbers of
    the datasets of all families but the dataset's own, and vice versa. If no dataset has a second shuffle, settings are
    chosen on the first one; without another family, it is the first setting.
    """
    chosen: dict[tuple[str, str], list[int]] = {}
    for bandit in dict.fromkeys(bandit for bandit, _ in played):
        datasets = {dataset: of for (other, dataset), of in played.items() if other == bandit}
        family, names = pd.factorize(pd.Series([families[dataset] for dataset in datasets]))
        best = []
        for parity in (0, 1):
            halves = [of.regrets[:, parity::2] for of in datasets.values()]
            means = np.array([half.mean(axis=1) if half.size else np.zeros(len(half)) for half in halves])
            sums = np.zeros((len(names), means.shape[1]))
            np.add.at(sums, family, means)
            best.append((means.sum(axis=0) - sums)[family].round(DIGITS - 3).argmin(axis=1))
        several = any(len(of.shuffles) > 1 for of in datasets.values())
        for i, (dataset, of) in enumerate(datasets.items()):
            chosen[bandit, dataset] = [int(best[(place + several) % 2][i]) for place in range(len(of.shuffles))]
    return chosen
