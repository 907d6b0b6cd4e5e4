"""Tables and arrays on disk: one way to write them, and one way to read them back unchanged."""

from pathlib import Path
from typing import Any

import pandas as pd

from balanced_bandits.core.files import read_arrays, whole_file

# Columns that are always text, whatever they look like: a dataset may be called 1999 or NA, and a reason may be empty.
TEXT = ("bandit", "better", "column", "columns_read", "dataset", "differences", "family", "groups", "left_out",
        "licence", "locator", "name", "protocol", "reading", "row", "rows", "rule", "setting", "setting_column",
        "setting_row", "sha256", "source", "warnings", "worse")  # fmt: skip


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table atomically, as Parquet if the path ends in .parquet and as CSV otherwise."""
    with whole_file(path) as temporary:
        if path.suffix == ".parquet":
            table.to_parquet(temporary, index=False)
        else:
            table.to_csv(temporary, index=False, lineterminator="\n")


def read_table(path: Path) -> pd.DataFrame:
    """Read what ``write_table`` wrote. In a CSV file, an empty cell is "" in a text column and missing elsewhere."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    table = pd.read_csv(path, dtype=dict.fromkeys(TEXT, str), keep_default_na=False, na_values=[""])
    return table.fillna({name: "" for name in TEXT if name in table})


def read(path: Path) -> Any:
    """The content of a results file: a table, or the record and the arrays of an npz file."""
    return read_arrays(path) if path.suffix == ".npz" else read_table(path)
