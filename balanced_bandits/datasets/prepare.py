"""From the raw bytes of a dataset to the npz file that bandits play."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.caps import fewer_features, fewer_rows
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.columns import Column, Rules, read_columns, summary, warnings_of
from balanced_bandits.datasets.encoding import Encoded, encode, label_codes, labelled_rows
from balanced_bandits.datasets.missing import AMONG_NUMBERS, EVERYWHERE
from balanced_bandits.datasets.reading import without
from balanced_bandits.datasets.suite import LISTS, Row
from balanced_bandits.datasets.tables import Table
from balanced_bandits.datasets.target import binarised, warning_on_classes, with_missing


@dataclass(frozen=True)
class Preparation:
    """How datasets are prepared; the configuration describes each field."""

    max_levels: int = 1000
    standardise: str = "whole"
    max_rounds: int | None = None
    max_features: int | None = None
    missing_values: Mapping[str, Sequence[str]] = field(
        default_factory=lambda: {"everywhere": EVERYWHERE, "among_numbers": AMONG_NUMBERS}
    )
    seed: int = 0  # by which caps draw

    @property
    def rules(self) -> Rules:
        """How columns are read."""
        return Rules(self.max_levels, self.missing_values["everywhere"], self.missing_values["among_numbers"])


@dataclass(frozen=True)
class Inspected:
    """A table whose columns were read: all labelled rows, the columns to encode, a record of every column."""

    table: Table
    columns: list[Column]
    warnings: list[str]

    @property
    def refusals(self) -> list[str]:
        """Why the dataset can't be played with some of its columns."""
        return [column.refusal for column in self.columns if column.refusal]


def prepare(row: Row, raw: Path, output: Path, how: Preparation = Preparation()) -> dict[str, Any]:  # noqa: B008
    """Read, check, cap and encode one dataset; returns the record that ``output`` holds along with X and y.

    Its n, d and K are those of the data that is played; differences from the suite are in the account of the encoding.
    A dataset that can't be played also yields a record, with the reason under ``rejected`` and no rows. Warnings are
    printed on standard error.
    """
    record: dict[str, Any] = asdict(row) | {key: list(getattr(row, key)) for key in LISTS} | {"rejected": None}
    account: dict[str, Any] = {}
    try:
        table = table_of(row, read_raw(row, raw), how)
        account["differences"] = check_counts(row, table)
        record |= counts(table)
        encoded = encoded_table(table, row.name, how, account)
    except RejectedError as reason:
        account.pop("features", None)
        record |= {"rejected": str(reason), "encoding": account}
        write_arrays(output, record, X=np.empty((0, 0)), y=np.empty(0, dtype=np.int64))
        return record
    record |= {"n": len(encoded.y), "d": account.pop("features"), "K": len(encoded.classes)}
    record |= {"classes": encoded.classes, "encoding": encoded.account | account}
    write_arrays(output, record, X=encoded.X, y=encoded.y)
    return record


def table_of(row: Row, raw: bytes, how: Preparation) -> Table:
    """The table in the raw bytes of a dataset, changed as its row in the suite asks."""
    table = source_of(row).table(row, raw, how.missing_values["everywhere"])
    drop = () if row.options.transpose else row.drop  # these were columns of the file
    return changed(with_missing(table, row.missing, row.target, row.locator), drop, row.binarise, row.locator)


def changed(table: Table, drop: Sequence[str], binarise: str, name: str) -> Table:
    """The table without the columns to drop and with its target cut into classes, as a suite or a user asks."""
    return binarised(without(table, drop, name), binarise, name)


def inspect(table: Table, rules: Rules) -> Inspected:
    """Read the columns of the labelled rows (of all rows if none has a label)."""
    table = labelled_rows(table) if table.labels.notna().any() else table
    y = label_codes(table.labels)[0] if table.labels.notna().all() else None
    features, columns = read_columns(table.features, y, rules)
    about_classes = warning_on_classes(table.labels)
    return Inspected(Table(features, table.labels), columns, warnings_of(columns) + about_classes)


def encoded_table(table: Table, name: str, how: Preparation, account: dict[str, Any]) -> Encoded:
    """Cap and encode a table; adds to ``account`` what was done, also if it raises ``RejectedError``.

    Columns are read before rows are capped: a name that occurs once in 1,000 rows is no category because 300 are drawn.
    """
    features = table.features.shape[1]
    table = fewer_features(table, how.max_features, how.seed, name)
    account |= {
        "features": table.features.shape[1],
        "features_capped_from": features if features > table.features.shape[1] else None,
        "rows_capped_from": None,
        "rows_without_label": int(table.labels.isna().sum()),
    }
    if not table.labels.notna().any():
        raise RejectedError("no row has a label")
    found = inspect(table, how.rules)
    account |= {"columns_read": summary(found.columns), "warnings": "; ".join(found.warnings),
                "columns_left_out": sum(not column.used for column in found.columns)}  # fmt: skip
    for warning in found.warnings:
        print(f"warning: dataset {name}: {warning}", file=sys.stderr)
    if found.refusals:
        raise RejectedError("; ".join(found.refusals))
    rows = len(found.table.labels)
    played = fewer_rows(found.table, how.max_rounds, how.seed, name)
    account["rows_capped_from"] = rows if rows > len(played.labels) else None
    return encode(played, how.standardise)


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
