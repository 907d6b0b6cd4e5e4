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
LAPSE = re.compile(r"(\d+(\.\d+)? ?(hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s) ?)+")  # 1h 30m
CLOCK = re.compile(r"([+-]?\d+ days?,? ?)?([+-]?\d{1,3}:\d{2}(:\d{2}(\.\d+)?)?)?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?")
# Notations of days, each with the others that it could be confused with; a time of day may follow.
DAYS = (
    ("%Y/%m/%d",), ("%d.%m.%Y",), ("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"), ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%b-%Y",), ("%d %b %Y",), ("%d %B %Y",), ("%b %d, %Y",), ("%B %d, %Y",), ("%b %d %Y",), ("%B %d %Y",),
    ("%d-%b-%y",), ("%d.%m.%y",), ("%Y-%m",), ("%b-%y",), ("%b-%Y",), ("%b %Y",), ("%B %Y",), ("%Y-%b",), ("%Y %b",),
)  # fmt: skip
QUARTER = re.compile(r"\d{4}[-: ]?[Qq][1-4]")
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
# What looks like a date although it is in none of these notations.
LIKE_A_DATE = re.compile(rf"(?i).*(\d.*\b({MONTHS})|\b({MONTHS})[a-z]*\b.*\d|\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}).*")
WRITE_DATES = "write dates like 2019-01-31"
LAST_OF_TWO_DIGITS = 2040  # later years of two digits are probably of the century before
LONGEST_DATE = 40  # characters
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


def are_like_dates(values: "pd.Series[str]") -> bool:
    """Whether nearly all values look like dates."""
    return bool((values.str.fullmatch(LIKE_A_DATE) & (values.str.len() <= LONGEST_DATE)).mean() >= 0.9)


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
    if values.str.fullmatch(QUARTER).all():
        quarters = pd.PeriodIndex(values.str.replace("[-: ]", "", regex=True).str.upper(), freq="Q")
        return Meaning("date", days(quarters.to_timestamp().to_series()), "days since 1970, of the first of a quarter")
    if not values.str.contains(r"\d.*[-/. ,].*\w|\w.*[-/. ,].*\d").all():
        return None
    for alternatives in DAYS:
        for time in TIMES:
            if not any(_is_date(values.iloc[0], form + time) for form in alternatives):
                continue
            read = {form: found for form in alternatives
                    if (found := _parsed(_reader(values, form + time))) is not None}  # fmt: skip
            if not read:
                continue
            (form, found), *others = read.items()
            if any(not found.equals(other) for _, other in others):
                return Meaning(
                    "date", None, doubt=f"{values.iloc[0]} may begin with the day or the month; {WRITE_DATES}"
                )
            if "%y" in form and (found.dt.year > LAST_OF_TWO_DIGITS).any():
                late = values[found.dt.year > LAST_OF_TWO_DIGITS].iloc[0]
                return Meaning("date", None, doubt=f"the century of {late} is not known; {WRITE_DATES}")
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
    """Durations and times of day such as 12:30, 12:30:15, 2 days 12:30:15 and 1h 30m, as seconds."""
    if not (values.str.fullmatch(CLOCK).all() or values.str.fullmatch(LAPSE).all()):
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
    # In microseconds, since nanoseconds hold no dates before 1677.
    seconds = (utc.dt.as_unit("us") - pd.Timestamp(0, tz="UTC").as_unit("us")).dt.total_seconds()
    return np.asarray(seconds / SECONDS_PER_DAY, dtype=np.float64)
