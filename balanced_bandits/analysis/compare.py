"""Compare the bandits pairwise on every dataset, for every reading of the variance and tuning protocol."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.analysis.protocols import PROTOCOLS, choose
from balanced_bandits.analysis.significance import TESTS, Rounds
from balanced_bandits.simulation.readings import ANY

PAIR_COLUMNS = ["reading", "protocol", "row", "column", "dataset", "family", "setting_row", "setting_column",
                "repeat_row", "repeat_column", "regret_row", "regret_column", *(f"p_{test}" for test in TESTS),
                "outcome"]  # fmt: skip


def compare(
    runs: pd.DataFrame, families: Mapping[str, str], bandits: list[str], readings: list[str], number: int
) -> pd.DataFrame:
    """Hold every bandit against every other on each dataset.

    A row for each reading, protocol, ordered pair of bandits (``row``, ``column``) and dataset: settings, repeats and
    regrets of both, the p-value of the difference by each test, and the outcome for the row bandit (win, loss or tie).
    ``number`` is that of runs which the protocol ``matched`` takes.
    """
    tables = []
    for reading in readings:
        own = runs[runs["reading"].isin([reading, ANY])]
        where = own.groupby(["dataset", "bandit", "setting", "repeat"], sort=False).indices
        cache: dict[Any, NDArray[np.bool_]] = {}
        for protocol in PROTOCOLS:
            chosen = choose(protocol, own, families, number)
            rounds = {}
            for run in chosen.itertuples():
                key = run.dataset, run.bandit, run.setting, run.repeat
                if key not in cache:
                    cache[key] = _rounds(own.iloc[where[key]])
                rounds[run.dataset, run.bandit] = run.setting, run.repeat, cache[key]
            table = _pairs(rounds, list(dict.fromkeys(chosen["dataset"])), bandits)
            tables.append(table.assign(reading=reading, protocol=protocol, family=table["dataset"].map(families)))
    return pd.concat(tables, ignore_index=True)[PAIR_COLUMNS]


def _rounds(runs: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rounds were right, the shuffles one after the other."""
    bits = [np.unpackbits(np.frombuffer(correct, dtype=np.uint8), count=n)
            for correct, n in zip(runs["correct"], runs["n"], strict=True)]  # fmt: skip
    return np.concatenate(bits).astype(bool)


def _pairs(rounds: dict[Any, Any], datasets: list[str], bandits: list[str]) -> pd.DataFrame:
    """Both orders of each pair on each dataset, given setting, repeat and rounds by dataset and bandit."""
    known, counted = [], []
    for (one, other), dataset in itertools.product(itertools.combinations(bandits, 2), datasets):
        setting, repeat, right = rounds[dataset, one]
        setting_other, repeat_other, right_other = rounds[dataset, other]
        known.append((one, other, dataset, setting, setting_other, repeat, repeat_other))
        both = np.count_nonzero(right & right_other)
        first, second = np.count_nonzero(right), np.count_nonzero(right_other)
        counted.append((first - both, second - both, first, second, len(right)))
    names = ["row", "column", "dataset", "setting_row", "setting_column", "repeat_row", "repeat_column"]
    table = pd.DataFrame(known, columns=names)
    counts = Rounds(*np.array(counted, dtype=np.int64).reshape(-1, 5).T)
    table["regret_row"], table["regret_column"] = 1.0 - counts.first / counts.all, 1.0 - counts.second / counts.all
    for test, p_of in TESTS.items():
        table[f"p_{test}"] = p_of(counts)
    table["outcome"] = np.select([counts.first > counts.second, counts.first < counts.second], ["win", "loss"], "tie")
    swapped = {name: name.replace("row", "column") for name in map(str, table) if "row" in name}
    reverse = table.rename(columns=swapped | {new: old for old, new in swapped.items()})
    reverse["outcome"] = reverse["outcome"].map({"win": "loss", "loss": "win", "tie": "tie"})
    both_ways = pd.concat([table, reverse[table.columns]])
    order = {pair: i for i, pair in enumerate(itertools.permutations(bandits, 2))}
    place = [order[pair] for pair in zip(both_ways["row"], both_ways["column"], strict=True)]
    return both_ways.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)
