"""Other encodings of a dataset than that of the experiment, to see whether results depend on it.

The experiment has one column per level of a categorical column (``encoding``). Others leave out a level, or use the
levels' numbers as if they were quantities.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import RejectedError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.datasets.caps import fewer_features, fewer_rows
from balanced_bandits.datasets.encoding import encode, labelled_rows
from balanced_bandits.datasets.prepare import Preparation, inspect, read_raw, table_of
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

INDICATORS, REFERENCE, ORDINAL = "indicators", "reference", "ordinal"
# What of the account of an encoding depends on how columns are encoded.
RECODED = ("constant_columns_dropped", "encoded_columns", "standardise", "rotated_from")


def prepare_otherwise(
    row: Row, raw: Path, usual: Path, output: Path, how: Preparation, categoricals: str = INDICATORS
) -> None:
    """Encode a dataset as ``how`` and ``categoricals`` say; ``usual`` is its file as the experiment encodes it.

    The rows, the labels and their order are those of ``usual``. A dataset that can't be played stays so.
    """
    record, arrays = read_arrays(usual)
    if not record["rejected"]:
        try:
            table = fewer_features(table_of(row, read_raw(row, raw), how), how.max_features, how.seed, row.name)
            played = fewer_rows(inspect(table, how.rules).table, how.max_rounds, how.seed, row.name)
            encoded = encode(recoded(labelled_rows(played), categoricals), how.standardise)
            arrays = {"X": encoded.X, "y": encoded.y}
            record["encoding"] |= {key: encoded.account[key] for key in RECODED}
            record["encoding"] |= {} if categoricals == INDICATORS else {"categoricals": categoricals}
        except RejectedError as reason:
            record |= {"rejected": str(reason)}
            arrays = {"X": np.empty((0, 0)), "y": np.empty(0, dtype=np.int64)}
    write_arrays(output, record, **arrays)


def recoded(table: Table, categoricals: str) -> Table:
    """The table with its categorical columns as numbers.

    ``indicators``: unchanged, since ``encode`` makes one column per level. ``reference``: one column per level but the
    first in alphabetical order, and one for missing values, which count as the most frequent level. ``ordinal``: one
    column with the places of the levels in alphabetical order.
    """
    if categoricals == INDICATORS:
        return table
    columns: list[pd.Series[Any]] = []
    for i in range(table.features.shape[1]):
        column = table.features.iloc[:, i]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            columns.append(column)
        else:
            columns += _numbers(column, categoricals)
    return Table(pd.concat(columns, axis=1, ignore_index=True), table.labels)


def _numbers(column: "pd.Series[Any]", categoricals: str) -> "list[pd.Series[Any]]":
    """A categorical column as one or more numeric columns."""
    missing = column.isna().to_numpy()
    text = column.astype(str).to_numpy(dtype=object)
    levels, places = np.unique(text[~missing].astype(str), return_inverse=True)
    codes = np.full(len(text), np.nan)
    codes[~missing] = places
    if categoricals == ORDINAL or len(levels) < 2:
        return [pd.Series(codes, index=column.index)]
    codes[missing] = np.bincount(places).argmax()
    shown = [(codes == place).astype(float) for place in range(1, len(levels))]
    if missing.any():
        shown.append(missing.astype(float))
    return [pd.Series(values, index=column.index) for values in shown]
