"""Datasets as published: features of mixed types and one label per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """Rows as published.

    Non-numeric columns of ``features`` are categorical. Missing values are NaN or None. ``labels`` are strings or
    missing.
    """

    features: pd.DataFrame
    labels: pd.Series[str]
