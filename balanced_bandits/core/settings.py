"""The settings of a bandit that one job plays: all combinations of the values in its grid."""

import itertools
from typing import Any


def settings_of(grid: dict[str, list[float]]) -> list[dict[str, float]]:
    """All combinations; the last parameter varies fastest.

    >>> settings_of({"alpha": [1, 2]})
    [{'alpha': 1.0}, {'alpha': 2.0}]
    """
    return [dict(zip(grid, map(float, values), strict=True)) for values in itertools.product(*grid.values())]


def name_of(setting: dict[str, Any]) -> str:
    """The name of a setting in tables and random streams; it does not depend on the rest of the grid.

    >>> name_of({"alpha": 0.25})
    'alpha=0.25'
    """
    return " ".join(f"{key}={value:g}" for key, value in setting.items())
