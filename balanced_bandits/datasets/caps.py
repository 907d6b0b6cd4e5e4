"""Caps on the size of datasets, to play only a part of the large ones; off by default.

What is kept is drawn at random, independently of labels and values, and keeps its order.
"""

import numpy as np

from balanced_bandits.core.streams import stream
from balanced_bandits.datasets.tables import Table


def fewer_features(table: Table, most: int | None, seed: int, name: str) -> Table:
    """At most so many columns of the table (None: all); a categorical one may become several columns of contexts."""
    columns = table.features.shape[1]
    if most is None or columns <= most:
        return table
    drawn = stream(seed, "max_features", name).choice(columns, most, replace=False)
    return Table(table.features.iloc[:, np.sort(drawn)], table.labels)


def fewer_rows(table: Table, most: int | None, seed: int, name: str) -> Table:
    """At most so many rows (None: all) of a table in which every row has a label."""
    rows = len(table.labels)
    if most is None or rows <= most:
        return table
    drawn = np.sort(stream(seed, "max_rounds", name).choice(rows, most, replace=False))
    return Table(table.features.iloc[drawn], table.labels.iloc[drawn])
