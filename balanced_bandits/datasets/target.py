"""What a suite may ask to be done to a table before its columns are read: values that are missing, a target to cut."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.columns import FEW
from balanced_bandits.datasets.missing import AMONG_NUMBERS
from balanced_bandits.datasets.tables import Table
from balanced_bandits.datasets.text_columns import meaning


def with_missing(table: Table, entries: Sequence[str], target: str, name: str) -> Table:
    """The table with further values missing.

    Each entry is a word, which then means missing in every column, or COLUMN=WORD, where the column may be ``target``.
    Numbers are compared as numbers: -9 is also -9.0.
    """
    if not entries:
        return table
    features, labels = table.features.copy(deep=False), table.labels
    columns = list(features.columns)
    for entry in entries:
        column, equals, word = entry.rpartition("=")
        if equals and column != target and column not in columns:
            raise InputError(
                f"{name} has no column {column!r}, in which {word!r} is to mean missing; its first features are: "
                f"{', '.join(columns[:10])}."
            )
        if not equals or column == target:
            labels = labels.mask(_says(labels, word), None)
        for i in [i for i, other in enumerate(columns) if not equals or (other == column != target)]:
            values = features.iloc[:, i]
            if (says := _says(values, word)).any():
                features.isetitem(i, values.mask(says))  # type: ignore[arg-type]
    return Table(features, labels)


def _says(values: "pd.Series[Any]", word: str) -> "pd.Series[bool]":
    """Which of the values are this word or number."""
    types = pd.api.types
    if not types.is_numeric_dtype(values.dtype) or types.is_bool_dtype(values.dtype):
        return values.astype(object).map(lambda value: str(value).strip() == word, na_action="ignore").eq(True)
    try:
        return pd.Series(np.asarray(values == float(word), dtype=bool), index=values.index)
    except ValueError:
        return pd.Series(False, index=values.index)


def binarised(table: Table, how: str, name: str) -> Table:
    """The table with its numeric target cut into classes; unchanged if ``how`` is empty.

    ``how``: mean, for two classes; or the number of classes, which are cut at quantiles and of about equal size.
    """
    if not how:
        return table
    present = table.labels.dropna()
    codes, distinct = pd.factorize(present)
    found = meaning(pd.Series(distinct, dtype=object).astype("str"), AMONG_NUMBERS) if len(distinct) else None
    if found is None or found.numbers is None or not np.isfinite(found.numbers).any():
        example = next((label for label in distinct), "nothing")
        raise InputError(f"{name}: binarise cuts a numeric target, but this one has values such as {example!r}.")
    numbers = pd.Series(found.numbers[codes], index=present.index).dropna()
    shares = [] if how == "mean" else [i / int(how) for i in range(1, int(how))]
    cuts = np.unique(numbers.quantile(shares).to_numpy() if shares else [numbers.mean()])
    at = np.searchsorted(cuts, numbers.to_numpy(), side="right")  # a value on a cut belongs to the class above
    edges = [f"{cut:.6g}" for cut in cuts]
    names = [
        f"below {edges[0]}",
        *(f"{low} to {high}" for low, high in itertools.pairwise(edges)),
        f"{edges[-1]} or more",
    ]
    if len(set(at)) < 2:
        raise InputError(f"{name}: binarise finds nowhere to cut, since nearly all values of the target are the same.")
    labels = pd.Series([names[i] for i in at], index=numbers.index, dtype=object)
    return Table(table.features, labels.reindex(table.labels.index).astype(object).where(lambda x: x.notna(), None))


def warning_on_classes(labels: "pd.Series[str]") -> list[str]:
    """A warning if there are so many classes that the target is probably a number or an identifier."""
    rows, classes = int(labels.notna().sum()), int(labels.nunique())
    if classes <= FEW or classes <= rows / 10:
        return []
    numeric = pd.to_numeric(labels.dropna(), errors="coerce").notna().all()
    advice = "cut it with binarise" if numeric else "choose another target"
    what = "numbers" if numeric else "values"
    return [f"the target has {classes} different {what} in {rows} rows, each a class: {advice}"]
