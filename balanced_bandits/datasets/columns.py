"""How the columns of a table are read: one pass that says for each what it is, how it is encoded and what looks wrong.

Encoding, ``balanced-bandits inspect``, ``balanced-bandits suite``, datasets.csv and the page all use its records. It
looks at all labelled rows, before any cap on rounds. Labels serve only to find suspicious columns, never to encode.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.datasets.missing import AMONG_NUMBERS, EVERYWHERE
from balanced_bandits.datasets.text_columns import WRITE_DATES, Meaning, are_like_dates, count_numbers, days, meaning

FEW = 20  # levels that are never too many, whatever they look like
MANY = 100  # levels from which on a category is reported
NEARLY = 0.9  # share of numbers from which on a text column should have been numeric
LONG = 30  # mean number of characters from which on different values are free text
BY_CHANCE = 1e-9  # probability of a coincidence that is not reported
LONGEST = 15  # digits up to which floating-point numbers hold all integers
IDENTIFIER = re.compile(
    r"(?i)^$|^unnamed|(^|[_\W])(p?id(num)?|ids|uid|uuid|guid|idx|index|key|serial|record|row(name|number|_?id)?s?)[#.]?$"
    r"|^(row_?)?(id|index|nr|no)[_\W]"
)


@dataclass(frozen=True)
class Rules:
    """How columns are read; the configuration describes the fields."""

    max_levels: int = 1000
    missing: Sequence[str] = EVERYWHERE
    missing_among_numbers: Sequence[str] = AMONG_NUMBERS


@dataclass(frozen=True)
class Column:
    """A column as it is read."""

    name: str
    type: str  # number, category, boolean, text, date, time or duration, decimal, empty, or what it holds
    missing: int
    levels: int  # the number of different values
    encoding: str  # in words
    columns: int  # after encoding
    suspicion: str = ""  # identifier, leak, date, free text, constant, ...
    warning: str = ""  # a sentence on what looks wrong; "" if nothing does, or if it does no harm
    refusal: str = ""  # a sentence on why the dataset can't be played with this column

    @property
    def used(self) -> bool:
        """Whether the column is encoded."""
        return not self.refusal and self.encoding != LEFT_OUT


LEFT_OUT, REFUSED = "left out", "can't be encoded"


def read_columns(
    features: pd.DataFrame, y: NDArray[np.int64] | None, rules: Rules
) -> tuple[pd.DataFrame, list[Column]]:
    """The columns to encode, each numeric or categorical, and a record of all columns.

    ``y`` are the labels as integers, if they are known.
    """
    records: list[Column] = []
    changed: dict[int, pd.Series[Any]] = {}
    for i in range(features.shape[1]):
        column = features.iloc[:, i]
        values, record = _read(str(features.columns[i]), column, rules)
        if y is not None and record.used:
            record = _with_leak(record, values, y)
        records.append(record)
        if values is not column:
            changed[i] = values
    kept = [i for i, record in enumerate(records) if record.used]
    if not changed:  # wide tables have tens of thousands of columns
        return (features if len(kept) == len(records) else features.iloc[:, kept]), records
    columns = [changed.get(i, features.iloc[:, i]) for i in kept]
    return (pd.concat(columns, axis=1) if columns else features.iloc[:, :0]), records


def warnings_of(records: Sequence[Column]) -> list[str]:
    """The warnings on columns, those of equal content once."""
    return list(_grouped(records))


def _grouped(records: Sequence[Column]) -> Iterator[str]:
    """One sentence per warning, with the names of all columns that it is about."""
    names: dict[str, list[str]] = {}
    for record in records:
        if record.warning:
            names.setdefault(record.warning, []).append(record.name)
    for warning, about in names.items():
        shown = ", ".join(repr(name) for name in about[:5]) + (f" and {len(about) - 5} more" if len(about) > 5 else "")
        yield f"column{'s' if len(about) > 1 else ''} {shown}: {warning}"


def summary(records: Sequence[Column], shown: int = 20) -> str:
    """All columns that are not plain numbers, in one line."""
    plain = sum(record.type == "number" and record.encoding == "number" for record in records)
    others = [f"{record.name}: {record.type}, {record.encoding}" for record in records
              if not (record.type == "number" and record.encoding == "number")]  # fmt: skip
    parts = ([f"{plain} number{'s' if plain > 1 else ''}"] if plain else []) + others[:shown]
    return "; ".join(parts + ([f"and {len(others) - shown} more"] if len(others) > shown else []))


def _read(name: str, column: "pd.Series[Any]", rules: Rules) -> "tuple[pd.Series[Any], Column]":
    """A column as numbers or as a category, and its record."""
    kind = column.dtype
    types = pd.api.types
    if types.is_bool_dtype(kind) and not isinstance(kind, pd.CategoricalDtype):
        return column, _category(name, "boolean", column, rules)
    if types.is_numeric_dtype(kind):
        record = _number(name, "number", column)
        return column, _with_long_identifier(record, column) if types.is_integer_dtype(kind) else record
    if isinstance(kind, pd.CategoricalDtype):
        return column, _category(name, "category", column, rules)
    if types.is_datetime64_any_dtype(kind) or isinstance(kind, pd.PeriodDtype):
        dates = column.dt.to_timestamp() if isinstance(kind, pd.PeriodDtype) else column
        return _typed(name, "date", column, days(dates), "days since 1970")
    if types.is_timedelta64_dtype(kind):
        return _typed(name, "duration", column, column.dt.total_seconds(), "seconds")
    return _read_objects(name, column, rules)


def _read_objects(name: str, column: "pd.Series[Any]", rules: Rules) -> "tuple[pd.Series[Any], Column]":
    """A column of Python objects, whatever they are."""
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind == "empty":
        return _typed(name, "empty", column, np.full(len(column), np.nan), "")
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        numbers = pd.to_numeric(column.astype(object).where(column.notna(), None).astype(float))
        return _typed(name, "decimal" if kind == "decimal" else "number", column, numbers, "")
    if kind == "boolean":
        return column, _category(name, "boolean", column, rules)
    if kind in ("date", "datetime", "datetime64"):
        return _typed(name, "date", column, days(pd.to_datetime(column, utc=True)), "days since 1970")
    if kind in ("timedelta", "timedelta64"):
        return _typed(name, "duration", column, pd.to_timedelta(column).dt.total_seconds(), "seconds")
    if kind == "string":
        return _read_text(name, column, rules)
    present = column[column.notna()]
    if any(isinstance(value, list | tuple | dict | set | np.ndarray) for value in present):
        missing = int(column.isna().sum())
        refusal = f"column {name!r} holds lists or other nested values, which can't be encoded; drop it"
        return column, Column(name, "nested", missing, 0, REFUSED, 0, "nested", refusal=refusal)
    if kind == "bytes":
        present = present.map(lambda value: value.decode("utf-8", "replace"))
    return _read_text(name, present.map(str).reindex(column.index), rules)


def _read_text(name: str, column: "pd.Series[Any]", rules: Rules) -> "tuple[pd.Series[Any], Column]":
    """A text column that no format has declared as anything else."""
    column = column.astype("str").str.strip().astype(object)
    column = column.mask(column.isin(list(rules.missing)), None)
    codes, distinct = pd.factorize(column)
    if len(distinct) == 0:
        return _typed(name, "empty", column, np.full(len(column), np.nan), "")
    values = pd.Series(distinct, dtype=object).astype("str")
    found = meaning(values, rules.missing_among_numbers)
    if found is not None and found.numbers is not None:
        numbers = np.where(codes >= 0, found.numbers[codes], np.nan)
        return _typed(name, found.type, column, numbers, found.unit, _markers(found, values, codes))
    return column, _category(name, "text", column, rules, found)


def _markers(found: Meaning, values: "pd.Series[str]", codes: NDArray[Any]) -> str:
    """Which markers of missing values a column has, and how often, in words."""
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    at = {value: i for i, value in enumerate(values)}
    return ", ".join(f"{marker!r} ({counts[at[marker]]})" for marker in found.markers)


def _typed(
    name: str, kind: str, column: "pd.Series[Any]", numbers: Any, unit: str, markers: str = ""
) -> "tuple[pd.Series[Any], Column]":
    """Values that were converted to numbers, and their record."""
    values = pd.Series(np.asarray(numbers, dtype=float), index=column.index, name=column.name)
    record = _number(name, kind, values, unit, markers)
    return values, _with_long_identifier(record, column) if kind == "number" else record


def _number(name: str, kind: str, column: "pd.Series[Any]", unit: str = "", markers: str = "") -> Column:
    """The record of a column of numbers."""
    values = column.to_numpy(dtype=float, na_value=np.nan)
    finite = np.isfinite(values)
    missing = int(len(values) - finite.sum())
    levels = len(pd.unique(values[finite]))
    how = "number" + (f" ({unit})" if unit else "") + (f", missing where it says {markers}" if markers else "")
    made = int(levels > 1) + int(0 < missing < len(values))
    if levels < 2:
        return Column(name, kind if levels else "empty", missing, levels, "dropped, since it is constant" if made == 0
                      else "missing or not, as 0/1", made, "constant")  # fmt: skip
    record = Column(name, kind, missing, levels, how, made)
    if kind in ("number", "decimal") and levels == len(values) > FEW:
        return _with_identifier(record, values)
    return record


def _with_identifier(record: Column, values: NDArray[np.float64]) -> Column:
    """The record of a column whose numbers all differ, with a warning if they look like identifiers."""
    if not (values == np.floor(values)).all():
        return record
    named = IDENTIFIER.search(record.name) is not None
    if (np.diff(values) == 1).all():
        said = "counts the rows"
        if named:
            said += ": left out as an identifier"
            return replace(record, encoding=LEFT_OUT, columns=0, suspicion="identifier", warning=said)
    elif values.max() - values.min() == len(values) - 1:
        said = "numbers the rows"
    elif named:
        said = "a different integer in every row"
    else:
        return record
    said += ": looks like an identifier, but is used as a number; drop it if it is one"
    return replace(record, suspicion="identifier", warning=said)


def _with_long_identifier(record: Column, column: "pd.Series[Any]") -> Column:
    """The record of integers as given; if all differ but are too long for floating-point numbers, they are left out."""
    if pd.api.types.is_integer_dtype(column.dtype):
        present = column.dropna()
        if present.empty or max(-int(present.min()), int(present.max())) < 10**LONGEST:
            return record
    text = column.astype(str)
    if not (len(text) > FEW and text.str.len().max() > LONGEST and text.str.fullmatch(r"[+-]?\d+").all()
            and text.is_unique):  # fmt: skip
        return record
    said = f"a different integer of more than {LONGEST} digits in every row: looks like an identifier, left out"
    return replace(record, encoding=LEFT_OUT, columns=0, suspicion="identifier", warning=said)


def _category(name: str, kind: str, column: "pd.Series[Any]", rules: Rules, found: Meaning | None = None) -> Column:
    """The record of a categorical column; ``found`` is what its values may mean, if there is a doubt."""
    missing = column.isna().to_numpy()
    text = column[~missing].astype(str)
    counts = text.value_counts(sort=False)
    levels, rows = len(counts), len(text)
    made = (0 if levels < 2 else 1 if levels == 2 else levels) + int(0 < missing.sum() < len(column))
    how = "dropped, since it is constant" if made == 0 else "0/1" if made == 1 else f"0/1, {made} columns"
    record = Column(name, kind, int(missing.sum()), levels, how, made, "constant" if levels < 2 else "")
    if levels <= 2:
        return record
    if found is not None and found.doubt:
        refusal = f"column {name!r}: {found.doubt}; or drop the column"
        return _refused(replace(record, type=found.type), found.type, refusal)
    numbers = 0
    words = pd.Series(counts.index, dtype=object).astype("str")
    if kind == "text":
        are_numbers = count_numbers(words)
        numbers = int(counts.to_numpy()[are_numbers].sum())
        others = ", ".join(repr(word) for word in words[~are_numbers][:3])
        if NEARLY * rows <= numbers < rows:
            said = f"{numbers} of {rows} values are numbers, but not {others}"
            if levels > FEW:
                refusal = (f"column {name!r}: {said}; correct these values, add them to missing_values in the "
                           "configuration if they mean missing, or drop the column")  # fmt: skip
                return _refused(record, "nearly numeric", refusal)
            return replace(record, suspicion="nearly numeric", warning=f"{said}: encoded as {levels} levels")
    if kind == "text" and levels > FEW and are_like_dates(words):
        warning = f"looks like dates in an unknown notation, left out; {WRITE_DATES}"
        return replace(record, encoding=LEFT_OUT, columns=0, suspicion="date", warning=warning)
    if levels > FEW and levels > rows / 2:
        what, why = _too_many(text, levels, numbers)
        return replace(record, encoding=LEFT_OUT, columns=0, suspicion=what, warning=f"{why}, left out")
    if levels > rules.max_levels:
        refusal = (
            f"column {name!r} is categorical with {levels} levels, more than max_levels = {rules.max_levels} in the "
            "configuration; drop it if it identifies rows, make it numeric if it holds numbers, or raise max_levels"
        )
        return _refused(record, "many levels", refusal)
    if levels > MANY:
        return replace(
            record, suspicion="many levels", warning=f"has {levels} levels and becomes {made} columns of 0/1"
        )
    return record


def _too_many(text: "pd.Series[str]", levels: int, numbers: int) -> tuple[str, str]:
    """What a column with too many different values for a category may be, and why, in words."""
    rows = len(text)
    some = f", {numbers} of them numbers" if numbers > rows / 4 else ""
    if text.str.len().mean() > LONG:
        return "free text", f"{levels} different values in {rows} rows{some}: looks like free text"
    if levels == rows:
        return "identifier", f"differs in every row{some}: looks like an identifier"
    return "many levels", f"{levels} different values in {rows} rows{some}: too many for a category"


def _refused(record: Column, suspicion: str, refusal: str) -> Column:
    """The record of a column that can't be encoded."""
    return replace(record, encoding=REFUSED, columns=0, suspicion=suspicion, refusal=refusal)


def _with_leak(record: Column, values: "pd.Series[Any]", y: NDArray[np.int64]) -> Column:
    """The record with a warning if each value of the column occurs with one class only."""
    if record.warning or not 2 <= record.levels <= len(y) / 5 or record.missing == len(y):
        return record
    codes = pd.factorize(values)[0]
    present = codes >= 0
    pairs = len(np.unique(codes[present].astype(np.int64) * (int(y.max()) + 1) + y[present]))
    if pairs > record.levels:
        return record
    # The probability that this happens to a column that is independent of the class.
    shares, sizes = np.bincount(y[present]) / present.sum(), np.bincount(codes[present])
    with np.errstate(divide="ignore"):  # probabilities of thousands of rows may be too small for a number
        chance = np.log((shares[:, None] ** sizes).sum(axis=0)).sum()
    if chance > np.log(BY_CHANCE):
        return record
    said = f"each of its {record.levels} values occurs with one class only: it may give the class away"
    return replace(record, suspicion="leak", warning=said)
