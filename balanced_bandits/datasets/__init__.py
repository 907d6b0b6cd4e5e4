"""Datasets: their sources (one module per source), the readers of file formats, and the encoding.

A source is a module with two functions:

    fetch(row, folder, cache) -> bytes     the raw bytes of the dataset, verified against row.sha256 or, if that is
                                           unknown, against the checksum that the source itself publishes;
                                           ``folder`` is the folder of the suite, ``cache`` is for downloads
    table(row, raw, missing) -> Table      these bytes as features and labels; raises ``RejectedError`` if the dataset
                                           is not available; ``missing`` are the words that mean a missing value
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

SOURCES = {
    "sklearn": "balanced_bandits.datasets.sources.sklearn",
    "archive": "balanced_bandits.datasets.sources.archive",
    "file": "balanced_bandits.datasets.sources.file",
    "openml": "balanced_bandits.datasets.sources.openml",
}


class Source(Protocol):
    """The interface of every module in ``SOURCES``."""

    def fetch(self, row: Row, folder: Path, cache: Path) -> bytes: ...  # noqa: D102
    def table(self, row: Row, raw: bytes, missing: Sequence[str] = ...) -> Table: ...  # noqa: D102


def source_of(row: Row) -> Source:
    """Return the source named in a row of a suite."""
    return cast(Source, importlib.import_module(SOURCES[row.source]))
