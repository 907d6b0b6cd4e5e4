"""From the raw bytes of a suite's row to the npz file that bandits play."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.caps import Caps, capped
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.encoding import encode
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table
from balanced_bandits.errors import InputError, RejectedError
from balanced_bandits.files import read_arrays, write_arrays

NO_CAPS = Caps(max_rounds=None, max_features=None, seed=0)


def prepare(row: Row, raw: Path, output: Path, max_levels: int, caps: Caps = NO_CAPS) -> dict[str, Any]:
    """Read, check, cap and encode one dataset; gives the record that ``output`` holds beside X and y.

    Its n, d and K are those of what is played; where they differ from the suite's, the account of the encoding says so.
    A dataset that can't be played is a result, too: a record with the reason under ``rejected``, and no rows.
    """
    record: dict[str, Any] = {**asdict(row), "rejected": None}
    account: dict[str, Any] = {}
    try:
        table = source_of(row).table(row, read_raw(row, raw))
        account["differences"] = check_counts(row, table)
        record |= counts(table)
        table, cut = capped(table, caps, row.name)
        account |= cut
        record |= counts(table)
        encoded = encode(table, max_levels)
    except RejectedError as reason:
        record |= {"rejected": str(reason), "encoding": account}
        write_arrays(output, record, X=np.empty((0, 0)), y=np.empty(0, dtype=np.int64))
        return record
    record |= {"classes": encoded.classes, "encoding": encoded.account | account}
    write_arrays(output, record, X=encoded.X, y=encoded.y)
    return record


def read_raw(row: Row, path: Path) -> bytes:
    """The bytes that were fetched; what the disk made of them since is noticed here, and not in a figure."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"dataset {row.name}: {path} can't be read ({error.strerror}); delete it and run again."
        ) from error
    # What source openml fetches is an archive, with checksums of its own.
    if row.source != "openml" and sha256(raw) != row.sha256:
        raise InputError(f"dataset {row.name}: {path} is not what was fetched any more; delete it and run again.")
    return raw


def admit(datasets: Iterable[Path]) -> list[str]:
    """The names of encoded datasets, if all can be played; raises with the reasons of those that can't."""
    records = [read_arrays(path)[0] for path in datasets]
    left_out = [f"{record['name']}: {record['rejected']}" for record in records if record["rejected"]]
    if left_out:
        raise InputError(
            "strict is set, and not all datasets can be played:\n  " + "\n  ".join(left_out) + "\nTake them out "
            "(`datasets` in the configuration, or the rows of the suite), or set strict to false to go on without them."
        )
    return [record["name"] for record in records]


def counts(table: Table) -> dict[str, int]:
    """Rows with a label, features, and classes."""
    return {"n": int(table.labels.notna().sum()), "d": table.features.shape[1], "K": int(table.labels.nunique())}


def check_counts(row: Row, table: Table) -> str:
    """Hold what came against what the suite expects.

    Bytes with a checksum can't have changed, so the row itself is wrong and that is an error. Where no checksum is
    known, the difference is given back in words, to be reported.
    """
    wrong = ", ".join(f"{key} = {value} where the suite says {getattr(row, key)}"
                      for key, value in counts(table).items() if value != getattr(row, key))  # fmt: skip
    if wrong and row.has_checksum:
        raise InputError(f"dataset {row.name}: {wrong}; mend the row, or look at what the file holds.")
    return wrong
