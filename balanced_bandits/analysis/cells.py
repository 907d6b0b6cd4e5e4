"""The cells of the sensitivity atlas: the synthetic example with other answers to what the paper leaves open."""

import itertools
import json
import re
from typing import Any, NamedTuple

# Choices that concern BLTS alone: for other bandits, cells that differ in them are the same.
OF_BLTS = ("propensity", "draws", "posteriors")
INTERCEPTS = {"unpenalised": "unpenalised", "penalised": "penalised", "none": "no intercept"}


class Cell(NamedTuple):
    """One set of choices: its name, what differs from the default, its levels as tables show them, all its choices."""

    name: str
    varied: str
    levels: dict[str, str]
    choices: dict[str, Any]

    @property
    def folder(self) -> str:
        """The name as the name of a folder."""
        return re.sub(r"[^A-Za-z0-9.]+", "_", self.name)


def cells_of(sensitivity: dict[str, Any], default: dict[str, Any]) -> list[Cell]:
    """The default, then all combinations of variance, top of the lambda grid and intercept, then single changes.

    ``default`` holds the choices of the synthetic example. No cell comes twice; a cut that would leave no lambda at all
    is no cell.
    """
    changes: list[tuple[str, dict[str, Any]]] = [("", {})]
    for variance, top, intercept in itertools.product(
        *(sensitivity[key] for key in ("variance", "grid_top", "intercept"))
    ):
        below = [lam for lam in default["lams"] if lam <= top]
        if below:
            changes.append(("", {"variance": variance, "lams": below, "intercept": intercept}))
    changes += [("propensity", {"propensity": propensity}) for propensity in sensitivity["propensity"]]
    changes += [("schedule", {"schedule": schedule}) for schedule in sensitivity["schedule"]]
    cells: dict[str, Cell] = {}
    for single, change in changes:
        choices = default | change
        levels, usual = levels_of(choices), levels_of(default)
        name = f"{levels['variance']}, top {levels['grid_top']}, {INTERCEPTS[levels['intercept']]}"
        if single:
            name = f"{single} {levels[single]}"
        varied = " ".join(key for key, level in levels.items() if level != usual[key]) or "nothing"
        cells.setdefault(_key(choices), Cell(name, varied, levels, choices))
    return list(cells.values())


def levels_of(choices: dict[str, Any]) -> dict[str, str]:
    """What the atlas says of a set of choices."""
    schedule = choices["schedule"]
    if isinstance(schedule, dict):
        schedule = " ".join(f"{kind} {value:g}" for kind, value in schedule.items())
    return {
        "variance": choices["variance"],
        "grid_top": f"{max(choices['lams']):g}",
        "intercept": choices["intercept"],
        "propensity": choices["propensity"],
        "schedule": schedule,
    }


def distinct(cells: list[Cell], bandit: str) -> dict[str, Cell]:
    """For each cell by name the first one in which ``bandit`` plays with just the same choices: itself, or another."""
    first: dict[str, Cell] = {}
    chosen = {}
    for cell in cells:
        own = {key: value for key, value in cell.choices.items() if bandit == "BLTS" or key not in OF_BLTS}
        chosen[cell.name] = first.setdefault(_key(own), cell)
    return chosen


def _key(choices: dict[str, Any]) -> str:
    return json.dumps(choices, sort_keys=True)
