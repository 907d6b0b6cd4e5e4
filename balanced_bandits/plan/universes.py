"""The universes of the multiverse: the experiment on datasets under other choices that the paper leaves open.

A universe is one choice for everything: the default, or the default with some choices changed. (In the literature on
specification curves it is called a specification, which here is the name of the synthetic example's models.)
"""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from balanced_bandits.core.errors import InputError

PREPARATION = ("standardise", "categoricals")  # choices about the data; all others are about the bandits
DEFAULT = "default"


class Universe(NamedTuple):
    """One set of choices: its name, all choices, and the levels of those that differ from the default."""

    name: str
    choices: dict[str, Any]
    varied: dict[str, str]

    @property
    def folder(self) -> str:
        """The name in a form that is safe as the name of a folder."""
        return re.sub(r"[^A-Za-z0-9.]+", "_", self.name)

    @property
    def preparation(self) -> dict[str, Any]:
        """The choices about the data."""
        return {name: self.choices[name] for name in PREPARATION}


class Combination(NamedTuple):
    """Choices that are crossed: the levels of each, and the names of the universes in the order of their product."""

    levels: dict[str, list[str]]
    universes: list[str]

    @property
    def crossed(self) -> int:
        """The number of choices with several levels."""
        return sum(len(levels) > 1 for levels in self.levels.values())


def universes_of(
    default: Mapping[str, Any], singles: Mapping[str, Sequence[Any]], crossed: Sequence[Mapping[str, Sequence[Any]]]
) -> tuple[list[Universe], list[Combination]]:
    """The default, then single changes, then the combinations, each universe once.

    ``default`` has the value of every choice, in the order in which they are named. ``singles`` are the other values of
    each choice; ``crossed`` are mappings of choices to values, of which all combinations are universes.
    """
    found = {universe.name: universe for universe in [_universe(default, {})]}

    def add(changes: Mapping[str, Any]) -> str:
        universe = _universe(default, changes)
        known = found.setdefault(universe.name, universe)
        if known.choices != universe.choices:
            raise InputError(
                f"multiverse: {universe.name!r} would be the name of two different universes; change one of their "
                "values."
            )
        _check(universe)
        return known.name

    for choice in default:
        for value in singles.get(choice, ()):
            add({choice: value})
    combinations = []
    for levels in crossed:
        names = [choice for choice in default if choice in levels]
        cells = [dict(zip(names, values, strict=True)) for values in itertools.product(*(levels[n] for n in names))]
        shown = {name: [level_of(value) for value in levels[name]] for name in names}
        combinations.append(Combination(shown, [add(cell) for cell in cells]))
    return list(found.values()), combinations


def _universe(default: Mapping[str, Any], changes: Mapping[str, Any]) -> Universe:
    choices = {name: _plain(changes.get(name, usual)) for name, usual in default.items()}
    varied = {name: level_of(value) for name, value in choices.items() if value != _plain(default[name])}
    return Universe(", ".join(f"{name} {level}" for name, level in varied.items()) or DEFAULT, choices, varied)


def _check(universe: Universe) -> None:
    """Raise if the bandits would refuse these choices."""
    if universe.choices["criterion"] == "fixed" and len(universe.choices["lams"]) != 1:
        raise InputError(
            f"multiverse: {universe.name!r} has the criterion fixed and {len(universe.choices['lams'])} values of "
            "lams; the criterion fixed takes exactly one, so cross the two choices under multiverse.combinations."
        )


def _plain(value: Any) -> Any:
    """A value in a form in which equal values are equal: numbers as floats, lists in ascending order."""
    if isinstance(value, list | tuple):
        return sorted(float(each) for each in value)
    if isinstance(value, Mapping):
        return {key: float(number) for key, number in value.items()}
    return float(value) if isinstance(value, int | float) else value


def level_of(value: Any) -> str:
    """A value of a choice as tables and figures show it.

    >>> level_of({"geometric": 0.3}), level_of("every_step"), level_of([1, 0.1, 10]), level_of([1e-5, 1e-4, 0.1, 1])
    ('geometric 0.3', 'every_step', '0.1 1 10', '1e-05 to 1 (4)')
    """
    if isinstance(value, Mapping):
        return " ".join(f"{kind} {number:g}" for kind, number in value.items())
    if isinstance(value, list | tuple):
        numbers = sorted(float(each) for each in value)
        if len(numbers) <= 3:
            return " ".join(f"{number:g}" for number in numbers)
        return f"{numbers[0]:g} to {numbers[-1]:g} ({len(numbers)})"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def key_of(choices: Any) -> str:
    """Choices as text, equal for equal choices."""
    return json.dumps(choices, sort_keys=True)
