"""Datasets: where they come from (a module a source), how they are read, how they are encoded.

A source is a module with two functions:

    fetch(row, folder, cache) -> bytes     the raw bytes of the dataset, checked against row.sha256 or, where that is
                                           unknown, against the checksum that the source itself gives;
                                           ``folder`` is the suite's, ``cache`` is for downloads
    table(row, raw) -> Table               those bytes as features and labels; raises ``RejectedError`` for a dataset
                                           that can't be had
"""

import importlib
from pathlib import Path
from typing import Protocol, cast

from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

SOURCES = {
    "sklearn": "balanced_bandits.datasets.source_sklearn",
    "wheel": "balanced_bandits.datasets.source_wheel",
    "file": "balanced_bandits.datasets.source_file",
    "openml": "balanced_bandits.datasets.source_openml",
}


class Source(Protocol):
    """What every module of ``SOURCES`` offers."""

    def fetch(self, row: Row, folder: Path, cache: Path) -> bytes: ...  # noqa: D102
    def table(self, row: Row, raw: bytes) -> Table: ...  # noqa: D102


def source_of(row: Row) -> Source:
    """The source that the row of a suite names."""
    return cast(Source, importlib.import_module(SOURCES[row.source]))
