"""What the values of a text column are: numbers in some notation, dates, durations, or words.

A column is read as numbers, dates or durations only if all of its values are, apart from markers of missing values.
Each distinct value is parsed once.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SECONDS_PER_DAY = 86400.0
PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMAS = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?(,\d*)?([eE][+-]?\d+)?")  # 1.234,5
GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")  # 1,234.5
CLOCK = re.compile(r"([+-]?\d+ days?,? ?)?([+-]?\d{1,3}:\d{2}(:\d{2}(\.\d+)?)?)?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")
# Notations of days, each with the others that it could be confused with; a time of day may follow.
DAYS = (
    ("%Y/%m/%d",), ("%d.%m.%Y",), ("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"), ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%b-%Y",), ("%d %b %Y",), ("%d %B %Y",), ("%b %d, %Y",), ("%B %d, %Y",), ("%d-%b-%y",), ("%d.%m.%y",),
)  # fmt: skip
TIMES = ("", " %H:%M", " %H:%M:%S")


@dataclass(frozen=True)
class Meaning:
    """The values of a text column by distinct value, as numbers; ``type`` and ``unit`` in words.

    ``markers`` are the distinct values that mean missing. If the column can't be understood without a doubt,
    ``doubt`` says why, and ``numbers`` is None.
    """

    type: str
    numbers: NDArray[np.float64] | None
    unit: str = ""
    markers: tuple[str, ...] = ()
    doubt: str = ""


def meaning(values: "pd.Series[str]", markers: Collection[str]) -> Meaning | None:
    """What the distinct ``values`` mean, or None if they are words; ``markers`` mean missing among numbers."""
    stripped = values.str.strip()
    marked = stripped.str.lower().isin([marker.lower() for marker in markers]).to_numpy(dtype=bool)
    others = stripped[~marked]
    if others.empty or not others.str.contains(r"\d").all():
        return None
    found = next((found for read in (_numbers, _dates, _durations) if (found := read(others))), None)
    if found is None or found.numbers is None:
        return found
    numbers = np.full(len(values), np.nan)
    numbers[~marked] = found.numbers
    return Meaning(found.type, numbers, found.unit, tuple(values[marked]))


def count_numbers(values: "pd.Series[str]") -> NDArray[np.bool_]:
    """Which of the values are numbers in some notation."""
    bare = _bare(values.str.strip())
    return np.array([any(p.fullmatch(value) for p in (PLAIN, COMMAS, GROUPS)) and any(c.isdigit() for c in value)
                     for value in bare], dtype=bool)  # fmt: skip


def _bare(values: "pd.Series[str]") -> "pd.Series[str]":
    """The values without a sign of currency before or a per cent sign after the number."""
    return values.str.replace(r"^([+-]?)\s*[$€£]\s*|\s*[%€]$", r"\1", regex=True)


def _numbers(values: "pd.Series[str]") -> Meaning | None:
    """Numbers, with decimal points or commas, groups of thousands, signs of currency or per cent signs."""
    bare = _bare(values)
    if bare.str.fullmatch(PLAIN).all():
        return Meaning("number", bare.to_numpy(dtype=np.float64))
    has_comma = bare.str.contains(",", regex=False)
    grouped = bare[has_comma].str.fullmatch(GROUPS)
    if grouped.all() and bare[~has_comma].str.fullmatch(PLAIN).all():
        if not bare[has_comma].str.contains(r",\d+[,.]").any():
            example = bare[has_comma].iloc[0]
            doubt = f"{example} may be {example.replace(',', '')} or {example.replace(',', '.')}"
            return Meaning("number", None, doubt=f"{doubt}; remove the commas, or write decimal points")
        return Meaning("number", bare.str.replace(",", "").to_numpy(dtype=np.float64), "commas between thousands")
    if bare.str.fullmatch(COMMAS).all() and has_comma.any():
        points = bare.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
        return Meaning("number", pd.to_numeric(points).to_numpy(dtype=float), "decimal commas")
    return None


def _dates(values: "pd.Series[str]") -> Meaning | None:
    """Dates, with or without a time of day, as days since 1970."""
    if values.str.fullmatch(ISO_DATE).all():
        found = _parsed(lambda: pd.to_datetime(values, format="ISO8601", utc=True))
        return None if found is None else Meaning("date", days(found), "days since 1970")
    if not values.str.contains(r"\d.*[-/. ,].*\d").all():
        return None
    for alternatives in DAYS:
        for time in TIMES:
            if not any(_is_date(values.iloc[0], form + time) for form in alternatives):
                continue
            read = {form: found for form in alternatives
                    if (found := _parsed(_reader(values, form + time))) is not None}  # fmt: skip
            if len({tuple(found) for found in read.values()}) > 1:
                doubt = f"{values.iloc[0]} may begin with the day or the month; write dates like 2019-01-31"
                return Meaning("date", None, doubt=doubt)
            for form, found in read.items():
                return Meaning("date", days(found), f"days since 1970, read as {form}{time}")
    return None


def _is_date(value: str, form: str) -> bool:
    try:
        datetime.strptime(value, form)
    except ValueError:
        return False
    return True


def _reader(values: "pd.Series[str]", form: str) -> "Callable[[], pd.Series[Any]]":
    return lambda: pd.to_datetime(values, format=form, utc=True)


def _durations(values: "pd.Series[str]") -> Meaning | None:
    """Durations and times of day such as 12:30, 12:30:15 and 2 days 12:30:15, as seconds."""
    if not (values.str.fullmatch(CLOCK).all() and values.str.len().all()):
        return None
    whole = values.str.replace(r"(^|\s)([+-]?\d+:\d{2})$", r"\1\2:00", regex=True)
    found = _parsed(lambda: pd.to_timedelta(whole))
    return None if found is None else Meaning("time or duration", found.dt.total_seconds().to_numpy(), "seconds")


def _parsed(read: "Callable[[], pd.Series[Any]]") -> "pd.Series[Any] | None":
    try:
        return read()
    except (ValueError, OverflowError):  # also pandas' errors of bounds
        return None


def days(dates: "pd.Series[Any]") -> NDArray[np.float64]:
    """Dates and times as days since 1970, NaN if missing."""
    utc = pd.to_datetime(dates, utc=True)
    seconds = (utc - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
    return np.asarray(seconds / SECONDS_PER_DAY, dtype=np.float64)
