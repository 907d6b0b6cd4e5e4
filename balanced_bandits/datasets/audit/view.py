"""A dataset as the audit sees it: the columns that bandits would get, as plain arrays, and the target."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.core.errors import RejectedError
from balanced_bandits.datasets.columns import Column, Rules, read_columns
from balanced_bandits.datasets.encoding import label_codes
from balanced_bandits.datasets.prepare import changed, inspect
from balanced_bandits.datasets.suite import Row
from balanced_bandits.datasets.tables import Table

DIGITS = 6  # significant digits in which numbers are compared: those that single precision keeps


@dataclass(frozen=True)
class Variable:
    """A column: numbers with NaN where they are missing, or codes of ``levels`` with -1 where they are missing."""

    name: str
    values: NDArray[Any]  # (n,)
    levels: Sequence[str] | None = None  # None: numeric

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Which rows have a value, (n,)."""
        return np.isfinite(self.values) if self.levels is None else self.values >= 0

    @cached_property
    def codes(self) -> tuple[NDArray[np.int64], int]:
        """Values as 0..m-1 in increasing order, -1 where they are missing, (n,); and m."""
        if self.levels is not None:
            return self.values, len(self.levels)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        distinct, codes[self.present] = np.unique(self.values[self.present], return_inverse=True)
        return codes, len(distinct)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each value occurs, in increasing order of the values, (m,)."""
        codes, m = self.codes
        return np.bincount(codes[codes >= 0], minlength=m)

    def cells(self) -> NDArray[np.uint64]:
        """A hash of each value, (n,): equal for equal numbers, also if one of them is a level, and for equal words."""
        if self.levels is None:
            distinct: pd.Series[Any] = pd.Series(np.unique(self.values[self.present]))
        else:
            distinct = pd.to_numeric(pd.Series(list(self.levels), dtype=object), errors="coerce")
        hashes = pd.util.hash_array(_rounded(distinct.to_numpy(dtype=float)))
        if self.levels is not None and (words := distinct.isna().to_numpy()).any():
            texts = np.array([level.strip().lower() for level in self.levels], dtype=object)[words]
            hashes[words] = pd.util.hash_array(texts, categorize=False)
        return np.append(hashes, np.uint64(0))[self.codes[0]]  # the last one is for missing values, whose code is -1


@dataclass(frozen=True)
class View:
    """A dataset: its used columns, labels as 0..K-1 (n,), the target before it was cut (n,), if it was."""

    name: str
    columns: list[Variable]
    y: NDArray[np.int64]
    classes: list[str]
    target: NDArray[np.float64] | None
    records: list[Column]


def view_of(row: Row, table: Table, rules: Rules) -> View:
    """The view of a table whose target is not cut yet; raises ``RejectedError`` if it can't be played."""
    cut = changed(table, (), row.binarise, row.locator)
    if not cut.labels.notna().any():
        raise RejectedError("no row has a label")
    found = inspect(cut, rules)
    if found.refusals:
        raise RejectedError("; ".join(found.refusals))
    features = found.table.features
    used = [record for record in found.columns if record.used]
    columns = [_variable(record.name, features.iloc[:, i]) for i, record in enumerate(used)]
    y, classes = label_codes(found.table.labels)
    target = None
    if row.binarise:
        numbers = read_columns(table.labels.loc[found.table.labels.index].to_frame("target"), None, rules)[0]
        target = numbers.iloc[:, 0].to_numpy(dtype=float, na_value=np.nan)
    return View(row.name, columns, y, classes, target, found.columns)


def _variable(name: str, column: "pd.Series[Any]") -> Variable:
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        values = column.to_numpy(dtype=float, na_value=np.nan)
        return Variable(name, np.where(np.isfinite(values), values, np.nan))
    text = column.astype(object).where(column.notna(), None).map(str, na_action="ignore")
    codes, levels = pd.factorize(text, sort=True)
    return Variable(name, codes.astype(np.int64), [str(level) for level in levels])


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers to ``DIGITS`` significant digits; zeros have no sign."""
    size = np.abs(values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        exponent = np.floor(np.log10(size))
        scaled = np.rint(values / 10.0**exponent * 10.0 ** (DIGITS - 1))
        return np.where(size > 0, scaled * 10.0 ** (exponent - DIGITS + 1), values + 0.0) + 0.0
