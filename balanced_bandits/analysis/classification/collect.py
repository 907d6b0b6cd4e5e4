"""Collect the results of the classification jobs into tidy tables."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from balanced_bandits.analysis.results import faults_of_classification, read_result
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.settings import name_of

RUN_COLUMNS = ["dataset", "bandit", "reading", "setting", "copy", "shuffle", "n", "regret", "clipped"]
CURVE_COLUMNS = ["dataset", "bandit", "reading", "setting", "mean", "error"]


class Collected(NamedTuple):
    """The tables of all jobs.

    ``runs``: one row per dataset, bandit, reading of the variance, setting, copy and shuffle, with the normalised
    cumulative regret (1/n) sum (1 - r_t) and, for balanced bandits, the share of rounds whose propensity is below gamma
    (``clipped``). The reading of a bandit that uses no variance is ``any``.
    ``curves``: one row per dataset, bandit, reading and setting: the number of wrong rounds by each of
    ``environments.classification.spaced_rounds``, its mean over shuffles and the standard error (of the first copy).
    ``datasets``: one row each, with what was done to it, or the reason why it was left out.
    """

    runs: pd.DataFrame
    curves: pd.DataFrame
    datasets: pd.DataFrame


def collect(results: Iterable[Path], families: Mapping[str, str]) -> Collected:
    """Read the results of jobs; ``families`` are those of the datasets by name.

    A file that can't be a result (``analysis.results``) is refused, so that nothing wrong gets into a table.
    """
    runs: list[tuple[Any, ...]] = []
    curves: list[tuple[Any, ...]] = []
    datasets: dict[str, dict[str, Any]] = {}
    seen: dict[tuple[str, ...], Path] = {}
    for path in results:
        record, arrays = read_result(path, faults_of_classification)
        dataset = record["dataset"]
        name, n = dataset["name"], dataset["n"]
        job = name, record["bandit"]
        if name not in families or job in seen:
            where = f"as {seen[job]} does" if job in seen else "which was not asked for"
            raise InputError(f"{path} holds {record['bandit']} on {name}, {where}; delete it and run again.")
        seen[job] = path
        row = describe(dataset, record["options"]["shuffles"]) | {"family": families[name]}
        if datasets.setdefault(name, row) != row:
            raise InputError(
                f"{path} is not of the same data and shuffles as other results of {name}; delete them and run again."
            )
        if dataset["rejected"]:
            continue
        settings = [name_of(setting) for setting in record["settings"]]
        curve = arrays["curve"]
        for reading, setting, copy, shuffle in np.ndindex(curve.shape[:-1]):
            identity = *job, record["readings"][reading], settings[setting]
            at = reading, setting, copy, shuffle
            runs.append((*identity, copy, shuffle, n, curve[at][-1] / n, arrays["clipped"][at]))
            if copy == shuffle == 0:
                of = curve[reading, setting, 0]
                error = of.std(axis=0, ddof=1) / np.sqrt(len(of)) if len(of) > 1 else np.full(of.shape[1], np.nan)
                curves.append((*identity, of.mean(axis=0).round(3), error.round(3)))
    return Collected(
        pd.DataFrame(runs, columns=RUN_COLUMNS),
        pd.DataFrame(curves, columns=CURVE_COLUMNS),
        pd.DataFrame(list(datasets.values())),
    )


def describe(dataset: dict[str, Any], shuffles: int) -> dict[str, Any]:
    """One dataset as a row: its identity, its size, what encoding did to it, and whether it was left out."""
    identity = {key: dataset[key] for key in ("name", "source", "locator", "licence", "sha256", "n", "d", "K")}
    played = {"shuffles": shuffles, "left_out": dataset["rejected"] or ""}
    return identity | dict(dataset.get("encoding", {})) | played
