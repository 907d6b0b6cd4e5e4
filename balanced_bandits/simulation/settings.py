"""What a job's options say: the settings to play, every combination of the grid's values, and the regression."""

import itertools
from typing import Any

from balanced_bandits.estimation.ridge import VARIANCES, Model


def settings_of(grid: dict[str, list[float]]) -> list[dict[str, float]]:
    """All combinations, the last parameter changing fastest.

    >>> settings_of({"alpha": [1, 2]})
    [{'alpha': 1.0}, {'alpha': 2.0}]
    """
    # All are floats, or a kernel would be compiled for whole numbers as well.
    return [dict(zip(grid, map(float, values), strict=True)) for values in itertools.product(*grid.values())]


def name_of(setting: dict[str, Any]) -> str:
    """A setting's name in tables and random streams: the same whatever else is in the grid.

    >>> name_of({"alpha": 0.25})
    'alpha=0.25'
    """
    return " ".join(f"{key}={value:g}" for key, value in setting.items())


def model_of(options: dict[str, Any]) -> Model:
    """The regression that a job's options describe."""
    return Model(
        float(options["lam"]),
        VARIANCES[options["variance"]],
        float(options["prior_weight"]),
        float(options["prior_variance"]),
    )
