"""Caps on the size of datasets, to play only a part of the large ones; off by default."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from balanced_bandits.core.streams import stream
from balanced_bandits.datasets.tables import Table


@dataclass(frozen=True)
class Caps:
    """At most ``max_rounds`` rows and ``max_features`` features (None: all), drawn with ``seed``."""

    max_rounds: int | None
    max_features: int | None
    seed: int


def capped(table: Table, caps: Caps, name: str) -> tuple[Table, dict[str, Any]]:
    """Cap the labelled rows and the feature columns; return the table, and the original counts where it was cut.

    The rows and columns to keep are drawn at random, independently of labels and values, and keep their order.
    Features are columns of the table: a categorical one may become several columns of the contexts.
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
