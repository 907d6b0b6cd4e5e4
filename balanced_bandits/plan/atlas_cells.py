"""The cells of the sensitivity atlas: the synthetic example under other choices that the paper leaves open."""

import itertools
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

INTERCEPTS = {"unpenalised": "unpenalised", "penalised": "penalised", "none": "no intercept"}


class Cell(NamedTuple):
    """One set of choices: its name, what differs from the default, its levels as shown in tables, and all choices."""

    name: str
    varied: str
    levels: dict[str, str]
    choices: dict[str, Any]

    @property
    def folder(self) -> str:
        """The name in a form that is safe as the name of a folder."""
        return re.sub(r"[^A-Za-z0-9.]+", "_", self.name)


def cells_of(sensitivity: dict[str, Any], default: dict[str, Any]) -> list[Cell]:
    """The default, then all combinations of reading, top of the lambda grid and intercept, then single changes.

    ``default`` holds the choices of the synthetic example itself. Duplicate cells are dropped, and so are cuts that
    would leave the lambda grid empty.
    """
    changes: list[tuple[str, dict[str, Any]]] = [("", {})]
    for reading, top, intercept in itertools.product(
        *(sensitivity[key] for key in ("reading", "grid_top", "intercept"))
    ):
        below = [lam for lam in default["lams"] if lam <= top]
        if below:
            changes.append(("", {"reading": reading, "lams": below, "intercept": intercept}))
    changes += [("propensity", {"propensity": propensity}) for propensity in sensitivity["propensity"]]
    changes += [("schedule", {"schedule": schedule}) for schedule in sensitivity["schedule"]]
    cells: dict[str, Cell] = {}
    for single, change in changes:
        choices = default | change
        levels, usual = levels_of(choices), levels_of(default)
        name = f"{levels['reading']}, top {levels['grid_top']}, {INTERCEPTS[levels['intercept']]}"
        if single:
            name = f"{single} {levels[single]}"
        varied = " ".join(key for key, level in levels.items() if level != usual[key]) or "nothing"
        cells.setdefault(_key(choices), Cell(name, varied, levels, choices))
    return list(cells.values())


def levels_of(choices: dict[str, Any]) -> dict[str, str]:
    """The levels of a set of choices, as shown in the atlas."""
    schedule = choices["schedule"]
    if isinstance(schedule, dict):
        schedule = " ".join(f"{kind} {value:g}" for kind, value in schedule.items())
    return {
        "reading": choices["reading"],
        "grid_top": f"{max(choices['lams']):g}",
        "intercept": choices["intercept"],
        "propensity": choices["propensity"],
        "schedule": schedule,
    }


def distinct(cells: list[Cell], given: Callable[[Cell], dict[str, Any]]) -> dict[str, Cell]:
    """Map the name of each cell to the first cell in which a bandit is ``given`` the same choices."""
    first: dict[str, Cell] = {}
    return {cell.name: first.setdefault(_key(given(cell)), cell) for cell in cells}


def _key(choices: dict[str, Any]) -> str:
    return json.dumps(choices, sort_keys=True)
