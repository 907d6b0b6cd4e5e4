"""Readers of file formats, chosen by the extension of the file.

Each takes the raw bytes and returns a ``Table``. A file that can't be read raises ``InputError`` with its name.
"""

import gzip
import io
import itertools
import re
import warnings
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import arff
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import check_arrays
from balanced_bandits.datasets.tables import Table

MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "<null>", "null"]
LARGEST_TEXT = 2**31  # bytes after decompression; larger files are refused
LARGEST_FILLING = 2**27  # cells of a table that its file does not write out in full; larger tables are refused


def read_table(name: str, raw: bytes, target: str) -> Table:
    """Read ``raw``, the content of a file called ``name`` with the class in column ``target``."""
    lower = name.lower()
    for ending, reader in READERS.items():
        if lower.endswith((ending, f"{ending}.gz")):
            try:
                return reader(name, unpacked(name, raw), target)
            except InputError:
                raise
            except Exception as error:  # on broken bytes the libraries raise anything, such as zlib.error or TypeError
                raise InputError(f"{name} can't be read as {ending} ({type(error).__name__}: {error}).") from error
    raise InputError(f"{name}: unknown file extension; it must be one of {', '.join(READERS)}, also with .gz.")


def read_delimited(name: str, raw: bytes, target: str, skip_lines: int = 0) -> Table:
    """CSV and similar, separated by commas, semicolons or tabs (the first line decides; .tsv has tabs).

    An integer ``target`` is the position of the column, and the file then has no header.
    """
    text = "\n".join(_lines(raw)[skip_lines:])
    header = None if re.fullmatch(r"-?\d+", target) else 0
    first = text.partition("\n")[0]
    separator = "\t" if ".tsv" in name.lower() else max(",;\t", key=first.count)
    # Short rows are padded; each cell that is written out takes at least one character.
    _check_filling(name, text.count("\n") + 1, first.count(separator) + 1, written=len(text))
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
        frame = pd.read_csv(
            io.StringIO(text), sep=separator, header=header, keep_default_na=False, na_values=MISSING,
            skipinitialspace=True, low_memory=False, index_col=False,
        )  # fmt: skip
    return split_target(name, frame, target)


def read_keel(name: str, raw: bytes, target: str) -> Table:
    """KEEL .dat: ``@attribute`` lines, ``@data``, then comma-separated rows; or the rows alone."""
    lines = _lines(raw)
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == "@data"), None)
    if start is None:
        if any(line.lstrip().startswith("@") for line in lines):
            raise InputError(f"{name} is not a complete KEEL file: it has a header but no @data line.")
        return read_delimited(name, raw, target)
    columns: list[str] = []
    nominal: set[str] = set()
    for line in lines[:start]:
        found = re.match(r"\s*@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{\[]+)\s*(.*)", line, flags=re.IGNORECASE)
        if found:
            columns.append(found[1].strip("'\""))
            if found[2].startswith("{"):
                nominal.add(columns[-1])
    rows = [[field.strip() for field in line.split(",")] for line in lines[start + 1 :] if line.strip()]
    return split_target(name, _typed(name, columns, nominal, rows), target)


def read_arff(name: str, raw: bytes, target: str) -> Table:
    """ARFF, dense or sparse (a value omitted in a sparse row is 0, or the first declared one)."""
    return split_target(name, arff_frame(name, raw), target)


def arff_frame(name: str, raw: bytes) -> pd.DataFrame:
    """All columns of an ARFF file: floats if numeric, else strings or None; those of sparse files stay sparse.

    Rows become arrays while they are read, since Python objects would take several times the memory.
    """
    lines = _lines(raw)
    sparse = _is_sparse(lines)
    try:
        content = arff.ArffDecoder().decode(
            lines, encode_nominal=True, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN
        )
        attributes = [
            (column, kind if isinstance(kind, list) else kind.upper()) for column, kind in content["attributes"]
        ]
        return _sparse_frame(name, attributes, content["data"]) if sparse else _dense_frame(attributes, content["data"])
    except arff.ArffException as error:
        raise InputError(f"{name} is not a complete ARFF file ({error}).") from error


def read_ts(name: str, raw: bytes, target: str) -> Table:
    """Time series of equal length (.ts): dimensions separated by colons, the class last; flattened to columns."""
    rows, labels = [], []
    for line in _lines(raw):
        if line.strip() and not line.lstrip().startswith(("@", "#")):
            *dimensions, label = line.strip().split(":")
            rows.append([field.strip() for dimension in dimensions for field in dimension.split(",")])
            labels.append(label.strip())
    if not rows or {len(row) for row in rows} != {len(rows[0])} or not rows[0]:
        raise InputError(f"{name}: the series differ in length, or there are none; all must have the same length.")
    frame = pd.DataFrame(np.array([[np.nan if v in MISSING else float(v) for v in row] for row in rows]))
    frame.columns = [f"t{i}" for i in range(frame.shape[1])]
    return _labelled(name, frame, labels, target)


def read_npz(name: str, raw: bytes, target: str) -> Table:
    """NumPy archive with two arrays: the labels, called ``target``, and the features, (n, ...)."""
    check_arrays(io.BytesIO(raw), LARGEST_TEXT)
    with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
        if len(archive.files) != 2 or target not in archive.files:
            raise InputError(f"{name} holds {', '.join(archive.files)}; expected two arrays, one called {target!r}.")
        labels = archive[target].ravel()
        features = archive[next(other for other in archive.files if other != target)]
    if features.shape[:1] != labels.shape:
        raise InputError(f"{name}: {len(labels)} labels do not match features of shape {features.shape}.")
    frame = pd.DataFrame(features.reshape(len(labels), -1)).add_prefix("x")
    return _labelled(name, frame, labels, target)


def read_parquet(name: str, raw: bytes, target: str) -> Table:
    """Parquet."""
    return split_target(name, parquet_frame(name, raw), target)


def parquet_frame(name: str, raw: bytes) -> pd.DataFrame:
    """All columns of a Parquet file."""
    from pyarrow.parquet import ParquetFile  # slow to import, and few files are Parquet

    about = ParquetFile(io.BytesIO(raw)).metadata
    _check_filling(name, about.num_rows, about.num_columns, written=len(raw))
    size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    if size > LARGEST_TEXT:
        raise InputError(f"{name} unpacks to more than {LARGEST_TEXT} bytes, the largest size allowed.")
    return pd.read_parquet(io.BytesIO(raw))


READERS: dict[str, Callable[[str, bytes, str], Table]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".dat": read_keel,
    ".arff": read_arff,
    ".ts": read_ts,
    ".npz": read_npz,
    ".parquet": read_parquet,
}


def unpacked(name: str, raw: bytes) -> bytes:
    """Return ``raw``, decompressed if the name ends in .gz."""
    if not name.lower().endswith(".gz"):
        return raw
    text = bytearray()
    try:
        with gzip.open(io.BytesIO(raw)) as opened:
            while part := opened.read(2**20):  # in parts, so that the size is checked as it grows
                text += part
                if len(text) > LARGEST_TEXT:
                    raise InputError(f"{name} unpacks to more than {LARGEST_TEXT} bytes, the largest size allowed.")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not a complete gzip file ({error}).") from error
    return bytes(text)


def _check_filling(name: str, rows: int, columns: int, written: int = 0) -> None:
    """Refuse a small file that declares a huge table; as many cells as bytes ``written`` are fine."""
    if rows * columns > max(LARGEST_FILLING, written):
        raise InputError(f"{name} would expand to {rows} rows and {columns} columns from few bytes, so it is not read.")


def _text(raw: bytes) -> str:
    """The text of a file in UTF-8 or, failing that, Latin-1."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _lines(raw: bytes) -> list[str]:
    """The lines of a file, with any line ending; str.splitlines would also split at 0x85 and other characters."""
    return io.StringIO(_text(raw), newline=None).read().split("\n")


def _is_sparse(lines: list[str]) -> bool:
    """Whether the first row after @data is in braces, as in sparse ARFF."""
    rest = itertools.dropwhile(lambda line: not line.strip().lower().startswith("@data"), lines)
    rows = (line.strip() for line in itertools.islice(rest, 1, None))
    return next((row.startswith("{") for row in rows if row and not row.startswith("%")), False)


Attributes = list[tuple[str, Any]]  # names, each with the list of its nominal values or with its type
NUMERIC = ("NUMERIC", "REAL", "INTEGER")


def _dense_frame(attributes: Attributes, rows: Iterator[list[Any]]) -> pd.DataFrame:
    """Rows as a frame; they are converted in chunks, one array per column."""
    parts: list[list[NDArray[Any]]] = []
    while part := list(itertools.islice(rows, 1000)):
        parts.append(
            [_column(values, kind) for values, (_, kind) in zip(zip(*part, strict=True), attributes, strict=True)]
        )
    columns = (
        [np.concatenate(pieces) for pieces in zip(*parts, strict=True)] if parts else [np.empty(0)] * len(attributes)
    )
    return pd.DataFrame(
        {name: pd.Series(column, dtype=column.dtype) for (name, _), column in zip(attributes, columns, strict=True)}
    )


def _column(values: Sequence[Any], kind: Any) -> NDArray[Any]:
    """Values of one attribute: floats, or strings, to which the codes of nominal values are mapped."""
    if kind in NUMERIC:
        return np.array(values, dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = [None if value is None else kind[value] for value in values] if isinstance(kind, list) else values
    return column


def _sparse_frame(name: str, attributes: Attributes, rows: Iterator[dict[int, Any]]) -> pd.DataFrame:
    """Rows of non-zero values as a frame whose numeric columns are sparse."""
    from scipy.sparse import coo_array  # slow to import, and few files are sparse

    kinds = [kind for _, kind in attributes]
    others: dict[int, list[Any]] = {i: [] for i, kind in enumerate(kinds) if kind not in NUMERIC}
    row_of, column_of, values = array("q"), array("q"), array("d")
    n = 0
    for row in rows:
        for i, column in others.items():
            # liac-arff fills in omitted values only in dense rows: the first declared one, or the text 0.
            column.append(row.get(i, 0 if isinstance(kinds[i], list) else "0"))
        for i, value in row.items():
            if i not in others:
                row_of.append(n)
                column_of.append(i)
                values.append(np.nan if value is None else value)
        n += 1
        _check_filling(name, n, len(others))
    matrix = coo_array((np.array(values), (np.array(row_of), np.array(column_of))), shape=(n, len(kinds))).tocsc()
    accessor: Any = pd.DataFrame.sparse
    frame: pd.DataFrame = accessor.from_spmatrix(matrix)
    for i, column in others.items():
        frame[i] = pd.Series(_column(column, kinds[i]), dtype=object)
    return frame.set_axis([name for name, _ in attributes], axis=1)


def _typed(name: str, columns: list[str], nominal: set[str], rows: list[list[str]]) -> pd.DataFrame:
    """Text fields as a frame with the declared columns, floats unless declared nominal."""
    odd = next((i for i, row in enumerate(rows) if len(row) != len(columns)), None)
    if odd is not None:
        raise InputError(
            f"{name}: row {odd + 1} has {len(rows[odd])} fields, but {len(columns)} attributes are declared."
        )
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    frame = frame.mask(frame.isin(MISSING), None)
    for column in columns:
        if column not in nominal:
            try:
                frame[column] = frame[column].astype(float)
            except ValueError as error:
                raise InputError(f"{name}: column {column!r} is declared numeric, but: {error}.") from error
    return frame


def split_target(name: str, frame: pd.DataFrame, target: str) -> Table:
    """Separate the target from the features; labels become strings, equal numbers equal strings."""
    columns = list(frame.columns)
    if re.fullmatch(r"-?\d+", target) and target not in columns:
        position = int(target)
        if not -len(columns) <= position < len(columns):
            raise InputError(f"{name} has {len(columns)} columns, so column {target} can't be the target.")
        target_at = position % len(columns)
    elif columns.count(target) == 1:
        target_at = columns.index(target)
    else:
        near = ", ".join(str(column) for column in columns[:10])
        raise InputError(f"{name} must have exactly one column {target!r}, the target; its first columns are: {near}.")
    labels = frame.iloc[:, target_at]
    features = frame.iloc[:, [i for i in range(len(columns)) if i != target_at]]
    features.columns = pd.Index([str(column) for column in features.columns])
    return Table(features, labels.map(_label, na_action="ignore").astype(object))


def _labelled(name: str, frame: pd.DataFrame, labels: Any, target: str) -> Table:
    """A table from features that were named here and labels, which are called ``target``."""
    if target in frame.columns:
        raise InputError(f"{name}: {target!r} is the name of a feature; choose another name for the target.")
    return split_target(name, frame.assign(**{target: labels}), target)


def _label(value: object) -> str:
    """A label as a string; floats with integer values become integers, so that 1 and 1.0 are the same label."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
