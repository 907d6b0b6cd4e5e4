"""From the raw bytes of a suite's row to the npz file that bandits play."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.encoding import RejectedError, encode
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table
from balanced_bandits.errors import InputError
from balanced_bandits.files import write_arrays


def prepare(row: Row, raw: Path, output: Path, max_levels: int) -> dict[str, Any]:
    """Read, check and encode one dataset; gives the record that ``output`` holds beside X and y.

    A dataset that can't be played is a result, too: a record with the reason under ``rejected``, and no rows.
    """
    table = source_of(row).table(row, raw.read_bytes())
    check_counts(row, table)
    record: dict[str, Any] = {**asdict(row), "rejected": None}
    try:
        encoded = encode(table, max_levels)
    except RejectedError as reason:
        record["rejected"] = str(reason)
        write_arrays(output, record, X=np.empty((0, 0)), y=np.empty(0, dtype=np.int64))
        return record
    record |= {"classes": encoded.classes, "encoding": encoded.account}
    write_arrays(output, record, X=encoded.X, y=encoded.y)
    return record


def check_counts(row: Row, table: Table) -> None:
    """Hold what came against what the suite expects."""
    found = {"n": int(table.labels.notna().sum()), "d": table.features.shape[1], "K": int(table.labels.nunique())}
    wrong = [f"{key} = {value} where the suite says {getattr(row, key)}" for key, value in found.items()
             if value != getattr(row, key)]  # fmt: skip
    if wrong:
        raise InputError(f"dataset {row.name}: {', '.join(wrong)}; mend the row, or look at what the file holds.")
