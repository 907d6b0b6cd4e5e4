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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import check_array, check_arrays, check_unpacking
from balanced_bandits.datasets import reading
from balanced_bandits.datasets.arff_files import arff_frame
from balanced_bandits.datasets.delimited import read_delimited
from balanced_bandits.datasets.missing import EVERYWHERE
from balanced_bandits.datasets.options import Options
from balanced_bandits.datasets.reading import (
    COMPRESSED,
    How,
    as_word,
    check_filling,
    labelled,
    lines_of,
    split_target,
    unpacked,
    without,
)
from balanced_bandits.datasets.tables import Table


@dataclass(frozen=True)
class Part:
    """A file of a dataset: its name and its content."""

    name: str
    raw: bytes


def read_table(
    name: str,
    raw: bytes,
    target: str | None,
    missing: Sequence[str] = EVERYWHERE,
    options: Options = Options(),  # noqa: B008
) -> Table:
    """Read ``raw``, the content of a file called ``name`` with the class in column ``target`` (None: not known yet).

    ``missing`` are the words that mean a missing value.
    """
    return read_parts([Part(name, raw)], [], target, missing, options)


def read_parts(
    parts: Sequence[Part],
    labels: Sequence[Part],
    target: str | None,
    missing: Sequence[str] = EVERYWHERE,
    options: Options = Options(),  # noqa: B008
    drop: Sequence[str] = (),
) -> Table:
    """Read a table from one or several files, the rows of which follow one another.

    If the class is not among their columns, it is column ``target`` of the files ``labels``, one label per row in the
    same order. ``drop`` matters only if the table is transposed: it then names columns of the files, which are rows.
    """
    header = not reading.is_position(target)
    if options.transpose and not labels:
        raise InputError(f"{parts[0].name}: a transposed table needs its labels in a file of their own.")
    if not labels:
        how = How(target, missing, header=header, skip=options.skip, short=options.short)
        return _matched(_joined(parts, [_read(part, how, options.format) for part in parts]), options.label)
    answers = [_read(part, How(target, missing, header=header, labels=True)) for part in labels]
    rows = [len(answer.labels) for answer in answers] if len(answers) == len(parts) else [None] * len(parts)
    how = How(None, missing, header=header, skip=options.skip, short=options.short)
    tables = []
    for part, count in zip(parts, rows, strict=True):
        table = _read(part, replace(how, rows=None if options.transpose else count), options.format)
        tables.append(transposed(part.name, table, drop) if options.transpose else table)
    features = _joined(parts, tables).features
    answer = pd.concat([answer.labels for answer in answers], ignore_index=True)
    if len(answer) != len(features):
        raise InputError(f"{labels[0].name} has {len(answer)} labels for the {len(features)} rows of {parts[0].name}.")
    return _matched(Table(features, answer), options.label)


def _read(part: Part, how: How, form: str = "") -> Table:
    """Read one file by its extension, or as if its extension were ``form``."""
    name = part.name
    bare = name.lower()
    if ending := next((ending for ending in COMPRESSED if bare.endswith(ending)), None):
        bare = bare.removesuffix(ending)
    found = f".{form}" if form else next((known for known in READERS if bare.endswith(known)), "")
    if found not in READERS:
        wrong = f"unknown format {form!r}" if form else "unknown file extension"
        raise InputError(f"{name}: {wrong}; it must be one of {', '.join(READERS)}, also with {', '.join(COMPRESSED)}.")
    try:
        return READERS[found](name, unpacked(name, part.raw), replace(how, ending=found))
    except InputError:
        raise
    except Exception as error:  # on broken bytes the libraries raise anything, such as zlib.error or TypeError
        raise InputError(f"{name} can't be read as {found} ({type(error).__name__}: {error}).") from error


def _joined(parts: Sequence[Part], tables: Sequence[Table]) -> Table:
    """The rows of all tables, one after the other."""
    if len(tables) == 1:
        return tables[0]
    columns = list(tables[0].features.columns)
    for part, table in zip(parts[1:], tables[1:], strict=True):
        if list(table.features.columns) != columns:
            odd = sorted(set(columns) ^ set(table.features.columns))[:5]
            said = ", ".join(odd) if odd else "their order"
            raise InputError(f"{parts[0].name} and {part.name} must have the same columns, but differ in: {said}.")
    kinds = zip(*(table.features.dtypes for table in tables), strict=True)
    texts = [i for i, kind in enumerate(kinds) if not all(pd.api.types.is_numeric_dtype(each) for each in kind)]
    features = pd.concat([_with_text(table.features, texts) for table in tables], ignore_index=True)
    for i in texts:
        if any(isinstance(table.features.dtypes.iloc[i], pd.CategoricalDtype) for table in tables):
            features.isetitem(i, features.iloc[:, i].astype("category"))  # type: ignore[arg-type]
    return Table(features, pd.concat([table.labels for table in tables], ignore_index=True))


def _with_text(frame: pd.DataFrame, texts: Sequence[int]) -> pd.DataFrame:
    """The frame with these columns as objects, numbers as text, since they are no numbers in another file."""
    frame = frame.copy(deep=False)
    for i in texts:
        column = frame.iloc[:, i]
        numeric = pd.api.types.is_numeric_dtype(column.dtype)
        text = column.astype(object).map(as_word, na_action="ignore") if numeric else column
        frame.isetitem(i, text.astype(object))  # type: ignore[arg-type]
    return frame


def transposed(name: str, table: Table, drop: Sequence[str]) -> Table:
    """The table whose rows are the columns of the given one, without the columns in ``drop``."""
    features = without(table, drop, name).features
    words = [column for column, kind in features.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    if words:
        raise InputError(f"{name} is to be transposed, but column {words[0]!r} is not numeric; drop it or correct it.")
    frame = pd.DataFrame(features.to_numpy(dtype=float).T).add_prefix("x")
    return Table(frame, pd.Series([None] * len(frame), dtype=object))


def _matched(table: Table, pattern: str) -> Table:
    """The table with the part of each label that ``pattern`` finds ("other" if there is none) as its label."""
    if not pattern:
        return table
    expression = re.compile(pattern)

    def part(label: str) -> str:
        found = expression.search(label)
        parts = (found.groups() or (found[0],)) if found else ()
        return next(filter(None, parts), "other")

    return Table(table.features, table.labels.map(part, na_action="ignore").astype(object))


def read_keel(name: str, raw: bytes, how: How) -> Table:
    """KEEL .dat: ``@attribute`` lines, ``@data``, then comma-separated rows; or the rows alone."""
    lines = lines_of(name, raw)
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if start is None:
        if any(line.lstrip().startswith("@") for line in lines):
            raise InputError(f"{name} is not a complete KEEL file: it has a header but no @data line.")
        return read_delimited(name, raw, how)
    columns: list[str] = []
    nominal: set[str] = set()
    for line in lines[:start]:
        found = re.match(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{\[]+)\s*(.*)", line, flags=re.IGNORECASE)
        if found:
            columns.append(found[1].strip("'\""))
            if found[2].startswith("{"):
                nominal.add(columns[-1])
    rows = [[field.strip() for field in line.split(",")] for line in lines[start + 1 :] if line.strip()]
    return split_target(name, _typed(name, columns, nominal, rows, how.missing), how.target, how.missing)


def read_arff(name: str, raw: bytes, how: How) -> Table:
    """ARFF, dense or sparse (a value omitted in a sparse row is 0, or the first declared one)."""
    return split_target(name, arff_frame(name, raw), how.target, how.missing)


def read_ts(name: str, raw: bytes, how: How) -> Table:
    """Time series of equal length (.ts): dimensions separated by colons, the class last; flattened to columns."""
    rows, labels = [], []
    for line in lines_of(name, raw):
        if line.strip() and not line.lstrip().startswith(("@", "#")):
            *dimensions, label = line.strip().split(":")
            rows.append([field.strip() for dimension in dimensions for field in dimension.split(",")])
            labels.append(label.strip())
    if not rows or {len(row) for row in rows} != {len(rows[0])} or not rows[0]:
        raise InputError(f"{name}: the series differ in length, or there are none; all must have the same length.")
    frame = pd.DataFrame(np.array([[np.nan if v in how.missing else float(v) for v in row] for row in rows]))
    frame.columns = [f"t{i}" for i in range(frame.shape[1])]
    return labelled(name, frame, labels, how.target or "class")


def read_npz(name: str, raw: bytes, how: How) -> Table:
    """NumPy archive with two arrays: the labels, called ``target``, and the features, (n, ...)."""
    check_arrays(io.BytesIO(raw), reading.LARGEST_TEXT)
    with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
        if len(archive.files) != 2 or how.target not in archive.files:
            wanted = "" if how.target is None else f", one called {how.target!r}"
            raise InputError(f"{name} holds {', '.join(archive.files)}; expected two arrays{wanted}, the target.")
        labels = archive[how.target].ravel()
        features = archive[next(other for other in archive.files if other != how.target)]
    if features.shape[:1] != labels.shape:
        raise InputError(f"{name}: {len(labels)} labels do not match features of shape {features.shape}.")
    frame = pd.DataFrame(features.reshape(len(labels), -1)).add_prefix("x")
    return labelled(name, frame, labels, how.target)


def read_npy(name: str, raw: bytes, how: How) -> Table:
    """One NumPy array: the columns of a table, (n, d), or labels, of any shape.

    If the number of rows is known from the labels, the leading axes make the rows and the others the columns, as in an
    image (height, width, d) of which each pixel has a label.
    """
    check_array(io.BytesIO(raw), len(raw))
    array = np.load(io.BytesIO(raw), allow_pickle=False)
    if array.dtype.names or array.ndim == 0:
        raise InputError(f"{name} holds {array.dtype} of shape {array.shape}; expected an array of numbers or strings.")
    if how.labels:
        array = array.reshape(-1, 1)
    elif how.rows is not None:
        if how.rows not in np.cumprod(array.shape):
            raise InputError(f"{name}: {how.rows} labels do not match features of shape {array.shape}.")
        array = array.reshape(how.rows, -1)
    if array.ndim != 2:
        raise InputError(
            f"{name} has the shape {array.shape}; without labels in a file of their own it must be (n, d)."
        )
    return split_target(name, pd.DataFrame(array), how.target, how.missing)


def read_libsvm(name: str, raw: bytes, how: How) -> Table:
    """LIBSVM: lines of a label and pairs INDEX:VALUE; values that are left out are 0, and # begins a comment.

    Columns are called x1, x2, ... A label may be a list of several, such as 0,4, which stays one label.
    """
    labels: list[str] = []
    places: list[tuple[int, int, float]] = []
    for number, line in enumerate(lines_of(name, raw), start=1):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        label = "" if ":" in fields[0] else fields.pop(0)
        try:
            pairs = [(int(index), float(value)) for index, value in (field.split(":") for field in fields)]
        except ValueError as error:
            raise InputError(f"{name}, line {number} is not a label and pairs INDEX:VALUE ({error}).") from error
        if any(index < 1 for index, _ in pairs) or len({index for index, _ in pairs}) < len(pairs):
            raise InputError(f"{name}, line {number}: indices must be different integers of at least 1.")
        places += [(len(labels), index - 1, value) for index, value in pairs]
        labels.append(label)
    width = max((column for _, column, _ in places), default=0) + 1
    check_filling(name, len(labels), width, written=len(raw))
    values = np.zeros((len(labels), width))
    if places:
        rows, columns, given = zip(*places, strict=True)
        values[list(rows), list(columns)] = given
    frame = pd.DataFrame(values, columns=[f"x{i + 1}" for i in range(width)])
    found = labelled(name, frame, labels, how.target or "class")
    return Table(found.features, found.labels.mask(found.labels.isin(how.missing), None))


def read_parquet(name: str, raw: bytes, how: How) -> Table:
    """Parquet."""
    return split_target(name, parquet_frame(name, raw), how.target, how.missing)


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


def read_jsonl(name: str, raw: bytes, how: How) -> Table:
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
    return split_target(name, pd.DataFrame(rows, columns=list(columns)), how.target, how.missing)


def read_stata(name: str, raw: bytes, how: How) -> Table:
    """Stata; values with labels are categories."""
    return split_target(name, pd.read_stata(io.BytesIO(raw)), how.target, how.missing)


def read_excel(name: str, raw: bytes, how: How) -> Table:
    """The first sheet of an Excel workbook, with a header unless the target is a number."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        check_unpacking(archive, reading.LARGEST_TEXT)
    frame = pd.read_excel(
        io.BytesIO(raw), header=0 if how.header else None, skiprows=how.skip, keep_default_na=False,
        na_values=list(how.missing),
    )  # fmt: skip
    return split_target(name, frame, how.target, how.missing)


READERS: dict[str, Callable[[str, bytes, How], Table]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".data": read_delimited,
    ".labels": read_delimited,
    ".dat": read_keel,
    ".arff": read_arff,
    ".ts": read_ts,
    ".npz": read_npz,
    ".npy": read_npy,
    ".libsvm": read_libsvm,
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
