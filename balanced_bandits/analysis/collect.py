"""Collect the results of the classification jobs into one tidy table."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.files import read_arrays
from balanced_bandits.simulation.settings import name_of

RUN_COLUMNS = ["dataset", "bandit", "setting", "shuffle", "n", "regret", "correct"]


def collect(results: Iterable[Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the results of jobs; gives the runs and the datasets.

    Runs: a row for each dataset, bandit, setting and shuffle, with the normalised cumulative regret
    (1/n) sum (1 - r_t) and the rounds that were right (``correct``: packed bits).
    Datasets: a row each, with what was done to it, or the reason why it was left out.
    """
    runs: list[dict[str, Any]] = []
    datasets: dict[str, dict[str, Any]] = {}
    for path in results:
        record, arrays = read_arrays(path)
        dataset = record["dataset"]
        datasets[dataset["name"]] = describe(dataset)
        if dataset["rejected"]:
            continue
        n = dataset["n"]
        for i, setting in enumerate(record["settings"]):
            for shuffle, bits in enumerate(arrays["correct"][i]):
                right = int(np.unpackbits(bits, count=n).sum())
                run = (dataset["name"], record["bandit"], name_of(setting), shuffle, n, 1.0 - right / n, bits.tobytes())
                runs.append(dict(zip(RUN_COLUMNS, run, strict=True)))
    return pd.DataFrame(runs, columns=RUN_COLUMNS), pd.DataFrame(list(datasets.values()))


def describe(dataset: dict[str, Any]) -> dict[str, Any]:
    """One dataset as a row: its identity, its shape, what the encoding did, and whether it was left out."""
    identity = {key: dataset[key] for key in ("name", "source", "locator", "licence", "sha256", "n", "d", "K")}
    return identity | dict(dataset.get("encoding", {})) | {"left_out": dataset["rejected"] or ""}
