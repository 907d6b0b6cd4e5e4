"""Readers of file formats, chosen by the extension of the file.

Each takes the raw bytes and returns a ``Table``. A file that can't be read raises ``InputError`` with its name. Readers
only keep what a format declares: nominal values become categories, dates become dates. What the values of a text column
are is decided in ``columns``, for all formats alike.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import check_arrays, check_unpacking
from balanced_bandits.datasets import reading
from balanced_bandits.datasets.arff_files import arff_frame
from balanced_bandits.datasets.delimited import read_delimited
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.reading import check_filling, labelled, lines_of, split_target, unpacked
from balanced_bandits.datasets.tables import Table


def read_table(name: str, raw: bytes, target: str | None, missing: Sequence[str] = EVERYWHERE) -> Table:
    """Read ``raw``, the content of a file called ``name`` with the class in column ``target`` (None: not known yet).

    ``missing`` are the words that mean a missing value.
    """
    lower = name.lower()
    for ending, reader in READERS.items():
        if lower.endswith((ending, f"{ending}.gz")):
            try:
                return reader(name, unpacked(name, raw), target, missing)
            except InputError:
                raise
            except Exception as error:  # on broken bytes the libraries raise anything, such as zlib.error or TypeError
                raise InputError(f"{name} can't be read as {ending} ({type(error).__name__}: {error}).") from error
    raise InputError(f"{name}: unknown file extension; it must be one of {', '.join(READERS)}, also with .gz.")


def read_keel(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """KEEL .dat: ``@attribute`` lines, ``@data``, then comma-separated rows; or the rows alone."""
    lines = lines_of(name, raw)
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if start is None:
        if any(line.lstrip().startswith("@") for line in lines):
            raise InputError(f"{name} is not a complete KEEL file: it has a header but no @data line.")
        return read_delimited(name, raw, target, missing)
    columns: list[str] = []
    nominal: set[str] = set()
    for line in lines[:start]:
        found = re.match(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{\[]+)\s*(.*)", line, flags=re.IGNORECASE)
        if found:
            columns.append(found[1].strip("'\""))
            if found[2].startswith("{"):
                nominal.add(columns[-1])
    rows = [[field.strip() for field in line.split(",")] for line in lines[start + 1 :] if line.strip()]
    return split_target(name, _typed(name, columns, nominal, rows, missing), target, missing)


def read_arff(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """ARFF, dense or sparse (a value omitted in a sparse row is 0, or the first declared one)."""
    return split_target(name, arff_frame(name, raw), target, missing)


def read_ts(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """Time series of equal length (.ts): dimensions separated by colons, the class last; flattened to columns."""
    rows, labels = [], []
    for line in lines_of(name, raw):
        if line.strip() and not line.lstrip().startswith(("@", "#")):
            *dimensions, label = line.strip().split(":")
            rows.append([field.strip() for dimension in dimensions for field in dimension.split(",")])
            labels.append(label.strip())
    if not rows or {len(row) for row in rows} != {len(rows[0])} or not rows[0]:
        raise InputError(f"{name}: the series differ in length, or there are none; all must have the same length.")
    frame = pd.DataFrame(np.array([[np.nan if v in missing else float(v) for v in row] for row in rows]))
    frame.columns = [f"t{i}" for i in range(frame.shape[1])]
    return labelled(name, frame, labels, target or "class")


def read_npz(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """NumPy archive with two arrays: the labels, called ``target``, and the features, (n, ...)."""
    check_arrays(io.BytesIO(raw), reading.LARGEST_TEXT)
    with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
        if len(archive.files) != 2 or target not in archive.files:
            wanted = "" if target is None else f", one called {target!r}"
            raise InputError(f"{name} holds {', '.join(archive.files)}; expected two arrays{wanted}, the target.")
        labels = archive[target].ravel()
        features = archive[next(other for other in archive.files if other != target)]
    if features.shape[:1] != labels.shape:
        raise InputError(f"{name}: {len(labels)} labels do not match features of shape {features.shape}.")
    frame = pd.DataFrame(features.reshape(len(labels), -1)).add_prefix("x")
    return labelled(name, frame, labels, target)


def read_parquet(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """Parquet."""
    return split_target(name, parquet_frame(name, raw), target, missing)


def parquet_frame(name: str, raw: bytes) -> pd.DataFrame:
    """All columns of a Parquet file, including those that pandas would make its index."""
    from pyarrow.parquet import ParquetFile  # slow to import, and few files are Parquet

    about = ParquetFile(io.BytesIO(raw)).metadata
    check_filling(name, about.num_rows, about.num_columns, written=len(raw))
    size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    if size > reading.LARGEST_TEXT:
        raise InputError(f"{name} unpacks to more than {reading.LARGEST_TEXT} bytes, the largest size allowed.")
    frame = pd.read_parquet(io.BytesIO(raw))
    named = [level for level in frame.index.names if level is not None]
    return (frame.reset_index(named) if named else frame).reset_index(drop=True)


def read_jsonl(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """JSON lines: one object per row."""
    rows = []
    for number, line in enumerate(lines_of(name, raw), start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError as error:
            raise InputError(f"{name}, line {number} is not JSON ({error}).") from error
        if row is not None and not isinstance(row, dict):
            raise InputError(f"{name}, line {number} is not a JSON object, which would begin with a brace.")
        rows += [row] if row else []
    columns = {column: None for row in rows for column in row}
    check_filling(name, len(rows), len(columns), written=len(raw))
    return split_target(name, pd.DataFrame(rows, columns=list(columns)), target, missing)


def read_stata(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """Stata; values with labels are categories."""
    return split_target(name, pd.read_stata(io.BytesIO(raw)), target, missing)


def read_excel(name: str, raw: bytes, target: str | None, missing: Sequence[str]) -> Table:
    """The first sheet of an Excel workbook, with a header unless the target is a number."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        check_unpacking(archive, reading.LARGEST_TEXT)
    header = None if reading.is_position(target) else 0
    frame = pd.read_excel(io.BytesIO(raw), header=header, keep_default_na=False, na_values=list(missing))
    return split_target(name, frame, target, missing)


READERS: dict[str, Callable[[str, bytes, str | None, Sequence[str]], Table]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".dat": read_keel,
    ".arff": read_arff,
    ".ts": read_ts,
    ".npz": read_npz,
    ".parquet": read_parquet,
    ".jsonl": read_jsonl,
    ".xlsx": read_excel,
    ".dta": read_stata,
}


def _typed(
    name: str, columns: list[str], nominal: set[str], rows: list[list[str]], missing: Sequence[str]
) -> pd.DataFrame:
    """Text fields as a frame with the declared columns, floats unless declared nominal."""
    odd = next((i for i, row in enumerate(rows) if len(row) != len(columns)), None)
    if odd is not None:
        raise InputError(
            f"{name}: row {odd + 1} has {len(rows[odd])} fields, but {len(columns)} attributes are declared."
        )
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    frame = frame.mask(frame.isin(list(missing)), None)
    typed: list[pd.Series[Any]] = []
    for i, column in enumerate(columns):
        try:
            typed.append(frame.iloc[:, i].astype("category" if column in nominal else float))
        except ValueError as error:
            raise InputError(f"{name}: column {column!r} is declared numeric, but: {error}.") from error
    return pd.concat(typed, axis=1) if typed else frame
