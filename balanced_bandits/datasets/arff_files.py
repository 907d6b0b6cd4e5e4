"""ARFF files, dense and sparse, read with liac-arff; dates, which it does not know, are read here."""

import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import arff
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.reading import check_filling, lines_of

Attributes = list[tuple[str, Any]]  # names, each with the list of its nominal values or with its type
NUMERIC = ("NUMERIC", "REAL", "INTEGER")
NAME = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s{},%]+)"""
TYPED = re.compile(rf"\s*@attribute\s+{NAME}\s+(date|relational)\b\s*(.*)", flags=re.IGNORECASE)
ISO_8601 = "yyyy-MM-dd'T'HH:mm:ss"  # the format of dates for which none is given
# The letters of Java's date formats, longest first, and what they are to strptime.
DATES = {"yyyy": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
         "HH": "%H", "H": "%H", "mm": "%M", "ss": "%S", "SSS": "%f", "EEE": "%a", "a": "%p", "hh": "%I"}  # fmt: skip


def arff_frame(name: str, raw: bytes) -> pd.DataFrame:
    """All columns of an ARFF file: floats if numeric, categories if nominal, else strings, dates or None.

    Columns of sparse files stay sparse. Rows become arrays while they are read, since Python objects would take several
    times the memory.
    """
    lines = lines_of(name, raw)
    lines, dates = _without_dates(name, lines)
    sparse = _is_sparse(lines)
    reached = [0]
    try:
        content = arff.ArffDecoder().decode(
            _counted(lines, reached), encode_nominal=True, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN
        )
        attributes = [
            (column, kind if isinstance(kind, list) else kind.upper()) for column, kind in content["attributes"]
        ]
        frame = (_sparse_frame if sparse else _dense_frame)(name, attributes, content["data"])
    except arff.ArffException as error:
        if not any(line.strip().lower().startswith("@data") for line in lines):
            raise InputError(f"{name} is not a complete ARFF file: it has no @data line.") from error
        error.line = reached[0]  # the package does not know it once it reads rows
        raise InputError(f"{name}, line {reached[0]}: {_said(error)}.") from error
    for column, form in dates.items():
        frame[column] = _dates(name, column, form, frame[column])
    return frame


def _said(error: Any) -> str:
    """The message of an exception of liac-arff without its line, which is given elsewhere."""
    said = re.sub(r",? at line -?\d+\.?", "", str(error)).strip(" .") or type(error).__name__
    if isinstance(error, arff.BadAttributeType):
        said += "; it must be numeric, string, date or values in braces, with quotes around those that contain blanks"
    return said


def _counted(lines: Sequence[str], reached: list[int]) -> Iterator[str]:
    """The lines, with the number of the current one in ``reached``."""
    for number, line in enumerate(lines, start=1):
        reached[0] = number
        yield line


def _without_dates(name: str, lines: list[str]) -> tuple[list[str], dict[str, str]]:
    """The lines with dates declared as strings, and the formats of these attributes by name."""
    lines, dates = list(lines), {}
    for i, line in enumerate(lines):
        if line.strip().lower().startswith("@data"):
            break
        if (found := TYPED.match(line)) is None:
            continue
        attribute, kind, rest = found[1].strip("'\""), found[2].lower(), found[3]
        if kind == "relational":
            raise InputError(
                f"{name}, line {i + 1}: attribute {attribute!r} is relational, that is, each row holds a table; such "
                "multi-instance data can't be read as one table."
            )
        dates[attribute] = rest.partition("%")[0].strip().strip("'\"") if rest.strip() else ISO_8601
        lines[i] = f"@attribute {found[1]} string"
    return lines, dates


def _dates(name: str, column: str, form: str, values: "pd.Series[Any]") -> "pd.Series[Any]":
    """The values of a date attribute in a format of Java."""
    pattern = "".join(
        DATES.get(token, token) if token[0].isalpha() else token.strip("'").replace("%", "%%")
        for token in (found[0] for found in re.finditer(r"'[^']*'|([A-Za-z])\1*|[^A-Za-z']+", form))
    )  # fmt: skip
    try:
        return pd.to_datetime(values, format=pattern)
    except ValueError as error:
        raise InputError(f"{name}: attribute {column!r} is a date of format {form!r}, but: {error}.") from error


def _is_sparse(lines: list[str]) -> bool:
    """Whether the first row after @data is in braces, as in sparse ARFF."""
    rest = itertools.dropwhile(lambda line: not line.strip().lower().startswith("@data"), lines)
    rows = (line.strip() for line in itertools.islice(rest, 1, None))
    return next((row.startswith("{") for row in rows if row and not row.startswith("%")), False)


def _dense_frame(name: str, attributes: Attributes, rows: Iterator[list[Any]]) -> pd.DataFrame:
    """Rows as a frame; they are converted in chunks, one array per column."""
    parts: list[list[NDArray[Any]]] = []
    while part := list(itertools.islice(rows, 1000)):
        parts.append(
            [_column(values, kind) for values, (_, kind) in zip(zip(*part, strict=True), attributes, strict=True)]
        )
    columns = (
        [np.concatenate(pieces) for pieces in zip(*parts, strict=True)] if parts else [np.empty(0)] * len(attributes)
    )
    return pd.DataFrame({name: _series(column, kind) for (name, kind), column in zip(attributes, columns, strict=True)})


def _column(values: Sequence[Any], kind: Any) -> NDArray[Any]:
    """Values of one attribute: floats, or strings, to which the codes of nominal values are mapped."""
    if kind in NUMERIC:
        return np.array(values, dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = [None if value is None else kind[value] for value in values] if isinstance(kind, list) else values
    return column


def _series(values: NDArray[Any], kind: Any) -> "pd.Series[Any]":
    """A column whose type says what was declared: nominal values are categories, even if they look like numbers."""
    return pd.Series(values, dtype="category" if isinstance(kind, list) else values.dtype)


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
        check_filling(name, n, len(others))
    matrix = coo_array((np.array(values), (np.array(row_of), np.array(column_of))), shape=(n, len(kinds))).tocsc()
    accessor: Any = pd.DataFrame.sparse
    frame: pd.DataFrame = accessor.from_spmatrix(matrix)
    for i, column in others.items():
        frame[i] = _series(_column(column, kinds[i]), kinds[i])
    return frame.set_axis([name for name, _ in attributes], axis=1)
