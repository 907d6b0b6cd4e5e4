"""Caps on the size of datasets, for those who want to play a part of what is too large; off by default."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from balanced_bandits.datasets.tables import Table
from balanced_bandits.simulation.streams import stream


@dataclass(frozen=True)
class Caps:
    """``max_rounds`` rows and ``max_features`` features (None: all), drawn by the seed."""

    max_rounds: int | None
    max_features: int | None
    seed: int


def capped(table: Table, caps: Caps, name: str) -> tuple[Table, dict[str, Any]]:
    """The table with at most so many labelled rows and feature columns; and how many there were where some went.

    What stays is drawn at random, blind to labels and values, and keeps its order. The features are those of the
    table: one that is categorical may become several columns of the contexts.
    """
    features, labels = table.features, table.labels
    labelled = labels.notna().to_numpy()
    account: dict[str, Any] = {"rows_capped_from": None, "features_capped_from": None}
    if caps.max_features is not None and features.shape[1] > caps.max_features:
        account["features_capped_from"] = features.shape[1]
        drawn = stream(caps.seed, "max_features", name).choice(features.shape[1], caps.max_features, replace=False)
        features = features.iloc[:, np.sort(drawn)]
    if caps.max_rounds is not None and labelled.sum() > caps.max_rounds:
        account["rows_capped_from"] = int(labelled.sum())
        kept = ~labelled
        kept[stream(caps.seed, "max_rounds", name).choice(np.flatnonzero(labelled), caps.max_rounds, replace=False)] = (
            True
        )
        features, labels = features.loc[kept], labels[kept]
    return Table(features, labels), account
