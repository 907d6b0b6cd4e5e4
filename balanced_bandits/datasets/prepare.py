"""From the raw bytes of a dataset to the npz file that bandits play."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.caps import Caps, capped
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.encoding import encode
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table


@dataclass(frozen=True)
class Preparation:
    """How datasets are prepared; the configuration describes each field."""

    max_levels: int = 1000
    standardise: str = "whole"
    max_rounds: int | None = None
    max_features: int | None = None
    seed: int = 0  # by which caps draw


def prepare(row: Row, raw: Path, output: Path, how: Preparation = Preparation()) -> dict[str, Any]:  # noqa: B008
    """Read, check, cap and encode one dataset; returns the record that ``output`` holds along with X and y.

    Its n, d and K are those of the data that is played; differences from the suite are in the account of the encoding.
    A dataset that can't be played also yields a record, with the reason under ``rejected`` and no rows.
    """
    record: dict[str, Any] = {**asdict(row), "rejected": None}
    account: dict[str, Any] = {}
    try:
        table = source_of(row).table(row, read_raw(row, raw))
        account["differences"] = check_counts(row, table)
        record |= counts(table)
        table, cut = capped(table, Caps(how.max_rounds, how.max_features, how.seed), row.name)
        account |= cut
        record |= counts(table)
        encoded = encode(table, how.max_levels, how.standardise)
    except RejectedError as reason:
        record |= {"rejected": str(reason), "encoding": account}
        write_arrays(output, record, X=np.empty((0, 0)), y=np.empty(0, dtype=np.int64))
        return record
    record |= {"classes": encoded.classes, "encoding": encoded.account | account}
    write_arrays(output, record, X=encoded.X, y=encoded.y)
    return record


def read_raw(row: Row, path: Path) -> bytes:
    """Read the bytes that were fetched, and check that they have not changed on disk since."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"dataset {row.name}: {path} can't be read ({error.strerror}); delete it and run again."
        ) from error
    # Source openml stores an archive, which has its own checksums.
    if row.source != "openml" and sha256(raw) != row.sha256:
        raise InputError(f"dataset {row.name}: {path} has changed since it was fetched; delete it and run again.")
    return raw


def admit(datasets: Iterable[Path]) -> list[str]:
    """Return the names of encoded datasets if all can be played; raise with the reasons otherwise."""
    records = [read_arrays(path)[0] for path in datasets]
    left_out = [f"{record['name']}: {record['rejected']}" for record in records if record["rejected"]]
    if left_out:
        raise InputError(
            "strict is set, but some datasets can't be played:\n  " + "\n  ".join(left_out) + "\nRemove them "
            "(from `datasets` in the configuration, or from the suite), or set strict to false to leave them out."
        )
    return [record["name"] for record in records]


def counts(table: Table) -> dict[str, int]:
    """The numbers of labelled rows, features and classes."""
    return {"n": int(table.labels.notna().sum()), "d": table.features.shape[1], "K": int(table.labels.nunique())}


def check_counts(row: Row, table: Table) -> str:
    """Compare the counts of a table with those in the suite.

    With a checksum, the bytes can't have changed, so a difference means that the row is wrong, which is an error.
    Without one, the difference is returned in words, to be reported.
    """
    wrong = ", ".join(f"{key} = {value} where the suite says {getattr(row, key)}"
                      for key, value in counts(table).items() if value != getattr(row, key))  # fmt: skip
    if wrong and row.has_checksum:
        raise InputError(f"dataset {row.name}: {wrong}; correct the row, or check the file.")
    return wrong
