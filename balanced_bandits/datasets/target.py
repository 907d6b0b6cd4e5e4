"""What a suite may ask to be done to a table before its columns are read: columns to drop, a numeric target to cut."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.columns import FEW
from balanced_bandits.datasets.missing import AMONG_NUMBERS
from balanced_bandits.datasets.tables import Table
from balanced_bandits.datasets.text_columns import meaning


def without(table: Table, drop: Sequence[str], name: str) -> Table:
    """The table without the features of these names."""
    there = list(table.features.columns)
    if absent := [column for column in drop if column not in there]:
        raise InputError(
            f"{name} has no column {absent[0]!r} to drop; its first features are: {', '.join(map(str, there[:10]))}."
        )
    if not drop:
        return table
    kept = [i for i, column in enumerate(there) if column not in drop]
    if not kept:
        raise InputError(f"{name}: all features are to be dropped; keep at least one.")
    return Table(table.features.iloc[:, kept], table.labels)


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
