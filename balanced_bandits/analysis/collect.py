"""Collect the results of the classification jobs into one tidy table."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.analysis.sanity import faults_of_classification, read_result
from balanced_bandits.errors import InputError
from balanced_bandits.simulation.settings import name_of

RUN_COLUMNS = ["dataset", "bandit", "reading", "setting", "repeat", "shuffle", "n", "regret", "clipped", "correct"]


def collect(results: Iterable[Path], families: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the results of jobs; gives the runs and the datasets, whose families are given by name.

    Runs: a row for each dataset, bandit, reading of the variance, setting, repeat and shuffle, with the normalised
    cumulative regret (1/n) sum (1 - r_t), for balanced bandits the share of rounds whose propensity is below gamma
    (``clipped``), and the rounds that were right (``correct``: packed bits). The reading of a bandit that uses no
    variance is ``any``.
    Datasets: a row each, with what was done to it, or the reason why it was left out.

    A result that can't be one (``sanity``) is refused, so that nothing wrong gets into a table or a figure.
    """
    runs: list[tuple[Any, ...]] = []
    datasets: dict[str, dict[str, Any]] = {}
    seen: dict[tuple[str, ...], Path] = {}
    for path in results:
        record, arrays = read_result(path, faults_of_classification)
        dataset = record["dataset"]
        name, n = dataset["name"], dataset["n"]
        job = name, record["bandit"], *record["readings"]
        if name not in families or job in seen:
            where = f"as {seen[job]} does" if job in seen else "which was not asked for"
            raise InputError(f"{path} holds {record['bandit']} on {name}, {where}; delete it and run again.")
        seen[job] = path
        datasets[name] = describe(dataset) | {"family": families[name]}
        if dataset["rejected"]:
            continue
        settings = [name_of(setting) for setting in record["settings"]]
        right = np.bitwise_count(arrays["correct"]).sum(axis=-1, dtype=np.int64)
        for index in np.ndindex(right.shape):
            reading, setting, repeat, shuffle = index
            identity = name, record["bandit"], record["readings"][reading], settings[setting], repeat, shuffle
            bits = arrays["correct"][index].tobytes()
            runs.append((*identity, n, 1.0 - right[index] / n, arrays["clipped"][index], bits))
    return pd.DataFrame(runs, columns=RUN_COLUMNS), pd.DataFrame(list(datasets.values()))


def describe(dataset: dict[str, Any]) -> dict[str, Any]:
    """One dataset as a row: its identity, its shape, what the encoding did, and whether it was left out."""
    identity = {key: dataset[key] for key in ("name", "source", "locator", "licence", "sha256", "n", "d", "K")}
    return identity | dict(dataset.get("encoding", {})) | {"left_out": dataset["rejected"] or ""}
