"""Delimited text (CSV and similar): which separator and which decimal mark it has, and where it is broken."""

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.reading import How, check_filling, lines_of, split_target
from balanced_bandits.datasets.tables import Table

SEPARATORS = "\t;|,"
SAMPLE = 20  # lines that decide on the separator
ORANGE_TYPES = {"c", "d", "s", "t", "continuous", "discrete", "string", "time", "basket"}
ORANGE_FLAGS = {"class", "multiclass", "meta", "ignore", "c", "m", "i"}
ORANGE_LEFT_OUT = {"meta", "ignore", "m", "i"}


def read_delimited(name: str, raw: bytes, how: How) -> Table:
    """Read delimited text, separated by commas, semicolons, tabs or vertical bars (.tsv and .tab: by tabs).

    In files that are not called .csv, .tsv or .tab, columns may also be separated by any number of blanks and tabs. The
    header of Orange, three lines, is understood.
    """
    lines = lines_of(name, raw)[how.skip :]
    separator = "\t" if how.ending in (".tsv", ".tab") else separator_of(lines)
    if how.ending not in (".csv", ".tsv", ".tab") and _separated_by_blanks(lines):
        lines, separator = [" ".join(line.split()) for line in lines], " "
    declared = None
    if how.header and (declared := orange_header(lines, separator, is_tab=how.ending == ".tab")):
        lines = [lines[0], *lines[3:]]
    text = "\n".join(lines)
    widest = max((_fields(line, separator) for line in lines[:SAMPLE]), default=1)
    # Short rows are padded; each cell that is written out takes at least one character.
    check_filling(name, len(lines), widest, written=len(text))
    options: dict[str, Any] = {
        "sep": separator, "header": 0 if how.header else None, "keep_default_na": False,
        "na_values": list(how.missing), "skipinitialspace": True, "low_memory": False, "index_col": False,
    }  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
            frame = pd.read_csv(io.StringIO(text), **options)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise InputError(f"{name}{_ragged(text, separator) or f' is not a table ({error})'}.") from error
    if not how.short and len(frame) and frame.iloc[:, -1].isna().any() and (odd := _ragged(text, separator)):
        raise InputError(f"{name}{odd}.")
    if frame.shape[1] == 1 and len(frame) and not how.labels:
        raise InputError(
            f"{name} has only one column, {str(frame.columns[0])[:60]!r}; columns must be separated by commas, "
            "semicolons, tabs or vertical bars; blanks are separators in files called .txt."
        )
    if not how.header and (hidden := _hidden_header(frame)):
        raise InputError(
            f"{name}: line 1 looks like a header, since it has {hidden} above numbers; with a header, the target is "
            "given by its name, not by its number."
        )
    if separator == ";":
        frame = _with_decimal_commas(name, frame, text, options)
    if declared:
        frame = _as_declared(frame, declared, how.target)
    return split_target(name, frame, how.target, how.missing)


def _separated_by_blanks(lines: Sequence[str]) -> bool:
    """Whether all of the first lines have the same number of words, more than one, and no other separator.

    Tabs are another separator if there are equally many in each line.
    """
    sample = [line for line in lines[:SAMPLE] if line.strip()]
    tabs = {line.count("\t") for line in sample}
    words = {len(line.split()) for line in sample}
    others = any(separator in line for line in sample for separator in ";|,")
    return not others and len(words) == 1 and words != {1} and (tabs == {0} or len(tabs) > 1)


@dataclass(frozen=True)
class Declared:
    """What lines 2 and 3 of a file of Orange say: the discrete columns, and those that are no features."""

    discrete: frozenset[int]
    left_out: frozenset[int]


def orange_header(lines: Sequence[str], separator: str, is_tab: bool) -> Declared | None:
    """The declarations in a file of Orange, whose second and third lines hold types and flags; None in other files.

    ``is_tab``: whether the file is called so; in others, letters alone are data, and a type is no list of values.
    """
    if len(lines) < 3:
        return None
    header, types, flags = ([field.strip() for field in line.split(separator)] for line in lines[:3])
    known = [kind in ORANGE_TYPES or (is_tab and len(kind.split()) > 1) for kind in types if kind]
    words = {word for flag in flags for word in flag.split()}
    if not is_tab and all(len(word) == 1 for word in words.union(types)):
        return None
    if not known or not all(known) or not words <= ORANGE_FLAGS or max(len(types), len(flags)) > len(header):
        return None
    discrete = {i for i, kind in enumerate(types) if kind in ("d", "discrete") or len(kind.split()) > 1}
    left_out = {i for i, flag in enumerate(flags) if ORANGE_LEFT_OUT & set(flag.split())}
    return Declared(frozenset(discrete), frozenset(left_out))


def _as_declared(frame: pd.DataFrame, declared: Declared, target: str | None) -> pd.DataFrame:
    """The frame with categories, and without columns that are ignored or meta attributes, unless one is the target."""
    kept = [i for i, column in enumerate(frame.columns) if i not in declared.left_out or column == target]
    columns: list[pd.Series[Any]] = [
        frame.iloc[:, i].map(str, na_action="ignore").astype("category") if i in declared.discrete else frame.iloc[:, i]
        for i in kept
    ]
    return pd.concat(columns, axis=1) if columns else frame.iloc[:, :0]


def separator_of(lines: Sequence[str]) -> str:
    """The separator that occurs equally often in each of the first lines, or else the most frequent one in the first.

    Tabs and semicolons come before commas, which are decimal marks in some files.
    """
    sample = [line for line in lines[:SAMPLE] if line.strip()]
    if not sample:
        return ","
    counts = {separator: [_fields(line, separator) for line in sample] for separator in SEPARATORS}
    regular = [separator for separator, each in counts.items() if each[0] > 1 and len(set(each)) == 1]
    if regular and regular[0] in "\t;":
        return regular[0]
    # With a title above the header, the last line of the sample tells more than the first.
    return max(regular or ",;\t|", key=lambda separator: (counts[separator][0], counts[separator][-1]))


def _fields(line: str, separator: str) -> int:
    """The number of fields of a line, where quoted separators do not count."""
    return re.sub(r'"[^"]*"', "", line).count(separator) + 1


def _rows(text: str, separator: str) -> Iterator[tuple[int, int]]:
    """The line and the number of fields of each row that is not blank."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    before = 0
    for row in reader:
        if row:
            yield before + 1, len(row)
        before = reader.line_num


def _ragged(text: str, separator: str) -> str:
    """Where rows differ in their number of fields, in words; "" if they do not."""
    try:
        rows = list(_rows(text, separator))
    except csv.Error:
        return ""
    if not rows:
        return ""
    first, width = rows[0]
    odd = next(((line, count) for line, count in rows if count != width), None)
    if odd is None:
        return ""
    said = f", line {odd[0]}: {odd[1]} field{'s' if odd[1] > 1 else ''}, but line {first} has {width}"
    others = {count for _, count in rows[1:]}
    if others == {width + 1} and width > 1:
        return said + "; if the first column holds row names, give it a name in the header"
    if len(others) == 1 or (width == 1 and max(others) > 1):
        return said + "; remove titles and comments above the header"
    return said + "; correct the row, or quote fields that contain the separator"


def _hidden_header(frame: pd.DataFrame) -> str:
    """The first value of a column that would be numeric without it; "" if there is none."""
    for i in range(frame.shape[1] if len(frame) > 2 else 0):
        column = frame.iloc[:, i]
        if pd.api.types.is_numeric_dtype(column.dtype) or pd.isna(column.iloc[0]):
            continue
        numbers = pd.to_numeric(column, errors="coerce")
        if pd.isna(numbers.iloc[0]) and numbers.notna().any() and (numbers.notna() | column.isna())[1:].all():
            return repr(column.iloc[0])
    return ""


def _with_decimal_commas(name: str, frame: pd.DataFrame, text: str, options: dict[str, Any]) -> pd.DataFrame:
    """The frame with its text columns read again, where a comma may be the decimal mark."""
    with_commas = [
        i for i, kind in enumerate(frame.dtypes)
        if not pd.api.types.is_numeric_dtype(kind) and frame.iloc[:, i].astype(str).str.contains(",", regex=False).any()
    ]  # fmt: skip
    if not with_commas:
        return frame
    again = pd.read_csv(io.StringIO(text), **options | {"decimal": ",", "usecols": with_commas})
    found = {
        i: again.iloc[:, at] for at, i in enumerate(with_commas) if pd.api.types.is_numeric_dtype(again.dtypes.iloc[at])
    }
    if not found:
        return frame
    written = pd.read_csv(io.StringIO(text), **options | {"dtype": str})
    for i, column in enumerate(written):
        values = written.iloc[:, i].dropna()
        grouped = values.str.fullmatch(r"[+-]?\d{1,3}(\.\d{3})*")
        points = values.str.contains(".", regex=False)
        if i not in found and len(values) and grouped.all() and points.any():
            raise InputError(
                f"{name}, column {column!r}: {values[points].iloc[0]} may be a number of "
                "thousands, since other columns have decimal commas; remove the points."
            )
    columns: list[pd.Series[Any]] = [found.get(i, frame.iloc[:, i]) for i in range(frame.shape[1])]
    return pd.concat(columns, axis=1)
