"""Encoding: from a table whose columns were read to the contexts and labels that bandits play.

The encoding is deterministic and does not use the labels. Categorical columns become indicators, missing values are
imputed and flagged, constant columns are dropped, and every column is standardised. If there are more columns than
rows, the contexts are rotated into the space spanned by the rows, which changes no ridge or L2-penalised logistic fit.
The statistics are those of the whole dataset, unless another way to standardise is asked for.

Memory is bounded: a table with more than ``LARGEST_TABLE`` cells, before or after one-hot encoding, is refused. Sparse
tables become dense only here, one column at a time. At the bound, the contexts take 1 GiB, and encoding holds two
copies of them (three if they are rotated) in addition to the table.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from balanced_bandits.core.errors import RejectedError
from balanced_bandits.core.rotation import rotated
from balanced_bandits.datasets.tables import Table

FEWEST_ROWS = 10
LARGEST_TABLE = 2**27  # rows times columns


@dataclass
class Encoded:
    """Contexts, labels, and an account of the encoding."""

    X: NDArray[np.float64]  # (n, d) contexts
    y: NDArray[np.int64]  # (n,) labels in 0..K-1
    classes: list[str]  # (K,) names of the labels
    account: dict[str, Any] = field(default_factory=dict)


def encode(table: Table, standardise: str = "whole") -> Encoded:
    """Encode a table of numeric and categorical columns; raises ``RejectedError`` if no bandit can play it.

    ``standardise``: whole, by the mean and deviation of the whole dataset; none; or running, by those of the rounds so
    far, which is left to whoever knows the order of play, and so is the rotation.
    """
    table = labelled_rows(table)
    features = table.features
    y, classes = label_codes(table.labels)
    if len(y) < FEWEST_ROWS:
        raise RejectedError(f"only {len(y)} rows have a label; at least {FEWEST_ROWS} are needed")
    if len(classes) < 2:
        raise RejectedError(f"all rows are of one class, {classes[0]!r}")
    check_size(len(y), features.shape[1], "")
    account: dict[str, Any] = {
        "numeric_columns": 0,
        "categorical_columns": 0,
        "missing_cells": 0,
        "indicators_of_missing": 0,
        "constant_columns_dropped": 0,
    }
    columns: list[NDArray[np.float64]] = []
    for i in range(features.shape[1]):
        column = features.iloc[:, i]
        numeric = pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)
        account["numeric_columns" if numeric else "categorical_columns"] += 1
        values, missing = _numeric(column) if numeric else _indicators(column)
        account["missing_cells"] += int(missing.sum())
        if missing.any() and not missing.all():
            account["indicators_of_missing"] += 1
            values.append(missing.astype(float))
        pairs = [(value, _standardised(value)) for value in values]
        kept = [value if standardise == "none" else scaled for value, scaled in pairs if scaled is not None]
        account["constant_columns_dropped"] += len(values) - len(kept)
        columns += kept
        check_size(len(y), len(columns), " after encoding")
    if not columns:
        raise RejectedError("no usable feature: every column is constant or empty")
    account["encoded_columns"] = len(columns)
    X = np.column_stack(columns)
    account["standardise"] = standardise
    account["rotated_from"] = X.shape[1] if X.shape[1] > X.shape[0] else None
    if account["rotated_from"] and standardise != "running":
        X = rotated(X)
    return Encoded(np.ascontiguousarray(X), y, classes, account)


def labelled_rows(table: Table) -> Table:
    """The rows that have a label."""
    labelled = table.labels.notna().to_numpy()
    return table if labelled.all() else Table(table.features.loc[labelled], table.labels[labelled])


def check_size(rows: int, columns: int, when: str) -> None:
    """Refuse a table that exceeds the memory bound of this module."""
    if rows * columns > LARGEST_TABLE:
        raise RejectedError(
            f"{rows} rows and {columns} columns{when} are more than {LARGEST_TABLE} cells, the limit of a dense table; "
            "set max_features or max_rounds in the configuration to use a part of it"
        )


def label_codes(labels: "pd.Series[str]") -> tuple[NDArray[np.int64], list[str]]:
    """Labels as 0..K-1, in numerical order if all of them are numbers, in alphabetical order otherwise."""
    names = sorted(set(labels))
    with suppress(ValueError):
        names.sort(key=float)
    position = {name: i for i, name in enumerate(names)}
    return np.array([position[label] for label in labels], dtype=np.int64), names


def _numeric(column: "pd.Series[Any]") -> tuple[list[NDArray[np.float64]], NDArray[np.bool_]]:
    """A numeric column with missing and infinite values replaced by the median, and a mask of these values."""
    values = column.to_numpy(dtype=float, na_value=np.nan).copy()
    missing = ~np.isfinite(values)
    if missing.all():
        return [np.zeros_like(values)], missing
    values[missing] = 2.0 * np.median(values[~missing] / 2.0)  # the mean of two huge values would overflow
    return [values], missing


def _indicators(column: "pd.Series[Any]") -> tuple[list[NDArray[np.float64]], NDArray[np.bool_]]:
    """One 0/1 column per level (a single one for two levels), missing values replaced by the most frequent level."""
    missing = column.isna().to_numpy()
    text = column.astype(str).to_numpy(dtype=object)
    levels, counts = np.unique(text[~missing].astype(str), return_counts=True)
    if len(levels) < 2:
        return [np.zeros(len(text))], missing
    text[missing] = levels[counts.argmax()]
    shown = levels[1:] if len(levels) == 2 else levels
    return [(text == level).astype(float) for level in shown], missing


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The column with mean 0 and variance 1, or None if it is constant."""
    largest = np.abs(values).max()
    if values.min() == values.max() or largest == 0.0:
        return None
    scaled = values / largest  # so that squares of very large and very small values are representable
    centred = scaled - scaled.mean()
    centred -= centred.mean()  # removes the rounding error of the mean, which matters if the spread is relatively small
    deviation = np.sqrt(np.mean(centred**2))
    return centred / deviation if deviation > 1e-12 else None
