"""What is published: the tables, how their rows are identified, and the files on disk.

published/source.json       where the results are from, and the SHA-256 of every other file
published/SUITE/*           the tables of results/SUITE, and runs.parquet
published/synthetic/*       the tables of results/synthetic

Files have the bytes of those in results/. Tables of more than ``LARGE`` bytes are gzipped. ``runs.parquet`` is the part
of classification.parquet that everything else follows from: the number of wrong rounds of every run.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.tables import read_table

LARGE = 300_000  # bytes
RUN = ["dataset", "bandit", "reading", "setting", "copy", "shuffle"]  # what identifies a run
RUNS, SOURCE, RECORD = "runs.parquet", "source.json", "run.json"


class Content(NamedTuple):
    """A table."""

    keys: Sequence[str]  # the columns that identify a row
    main: str = ""  # the column that the others follow from; "": no column may differ
    by_dataset: str = ""  # the column with the name of the dataset, in tables with rows for each dataset


_VIEW = ("reading", "protocol")
_CRITERION = ("target", "when", "threshold")
ON_DATASETS = {
    "datasets": Content(["name", "left_out"], by_dataset="name"),
    "pairs": Content([*_VIEW, "row", "column", "dataset"], "difference", "dataset"),
    "counts": Content([*_VIEW, "row", "column"], "difference"),
    "claims": Content(["kind", *_VIEW, "better", "worse"], "difference"),
    "strata": Content(["by", "stratum", *_VIEW, "better", "worse"], "difference"),
    "ranks": Content([*_VIEW, "bandit"], "regret"),
    "differences": Content(["by", "stratum", *_VIEW, "bandit"], "regret"),
    "table2": Content(["quantity", "stratum"]),
    "scorecard": Content(["experiment", "rule", "claim", "where", *_VIEW], "ours"),
}
OF_SYNTHETIC = {
    "table1": Content(["spec", "bandit"], "percent"),
    "rates": Content(["spec", "bandit", "setting", *_CRITERION], "percent"),
    "criteria": Content(["spec", "bandit", *_CRITERION], "percent"),
    "orderings": Content(["spec", "better", "worse"], "difference"),
    "sooner": Content(["spec", "better", "worse"], "share"),
    "curves": Content(["spec", "bandit", "round"], "regret_mean"),
}
# The same as a table of this name, for readers.
TEXTS = {"table1": ("md", "tex"), "table2": ("md", "tex"), "scorecard": ("md",)}


def contents(suite: str) -> dict[str, dict[str, Content]]:
    """The tables of each experiment, by the name of its folder."""
    return {suite: ON_DATASETS, "synthetic": OF_SYNTHETIC}


def wrong_rounds(path: Path) -> pd.DataFrame:
    """The runs in a classification.parquet: what identifies each, and its number of wrong rounds, ``wrong``."""
    runs = _table(path, [*RUN, "n", "regret"])
    wrong = (runs["regret"] * runs["n"]).round()
    small = {"copy": np.int16, "shuffle": np.int16, "wrong": np.int32}
    return runs[RUN].assign(wrong=wrong).astype(small)


def published_table(folder: Path, name: str, content: Content) -> tuple[bytes, pd.DataFrame]:
    """The bytes of a table, unpacked, and the table."""
    path = folder / f"{name}.csv"
    packed = path.with_name(f"{name}.csv.gz")
    return own_table(packed if packed.exists() else path, content)


def own_table(path: Path, content: Content) -> tuple[bytes, pd.DataFrame]:
    """The bytes of a table, unpacked, and the table."""
    raw = bytes_of(path)
    try:
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    return raw, _table(path, list(content.keys))


def published_runs(path: Path) -> pd.DataFrame:
    """The table of ``wrong_rounds`` that was published."""
    return _table(path, [*RUN, "wrong"])


def record_in(path: Path) -> dict[str, Any]:
    """The content of a JSON file: a run's configuration and origin, or the source of what is published."""
    try:
        found = json.loads(bytes_of(path))
    except ValueError as error:
        raise _unreadable(path, error) from error
    if not isinstance(found, dict):
        raise _unreadable(path, "it is not a mapping of keys to values")
    return found


def bytes_of(path: Path) -> bytes:
    """The bytes of a file of results."""
    if not path.is_file():
        raise InputError(f"{path} does not exist; the run that writes it is not finished, or the file was removed.")
    return path.read_bytes()


def _table(path: Path, needed: list[str]) -> pd.DataFrame:
    """A table that has at least the columns ``needed``."""
    bytes_of(path)
    try:
        table = read_table(path)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    missing = [name for name in needed if name not in table]
    if missing:
        raise _unreadable(path, f"it has no column {', '.join(missing)}")
    return table


def _unreadable(path: Path, reason: object) -> InputError:
    return InputError(f"{path} can't be read ({reason}); restore it, or delete it and run again.")
