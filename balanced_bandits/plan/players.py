"""The players: the bandits of a configuration, with the choices that each of them takes."""

import difflib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from balanced_bandits.bandits import BANDITS, import_path
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.settings import settings_of
from balanced_bandits.plan import provenance
from balanced_bandits.vocabulary import ANY_READING, READINGS

UNUSED = {"residual_balancing": "gamma", "inverse_propensity": "zeta"}  # by weights: the parameter that has no effect


class Players:
    """The bandits in a configuration: those of this package and user-defined ones.

    User-defined bandits, and Numba with them, are imported only when needed.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config, self._own = config, config["own_bandits"]

    @property
    def names(self) -> list[str]:
        """All bandits that there are, whether they play or not."""
        return [*BANDITS, *self._own]

    def playing(self, grids: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the grids whose bandits are to be played, in the order of the grids."""
        asked = self._config["play"]
        return {name: grid for name, grid in grids.items() if asked == "all" or name in asked}

    def check_asked(self) -> None:
        """Raise unless every bandit that is asked for has a grid, and both experiments have bandits to play."""
        config = self._config
        datasets, example = config["bandits"] | config["references"], config["synthetic"]["bandits"]
        known = list(dict.fromkeys([*datasets, *example]))
        for name in [] if config["play"] == "all" else config["play"]:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"it must be one of {', '.join(known)}."
                raise InputError(f"play: there is no grid for {name}; {hint}")
        if len(self.playing(datasets)) < 2:
            raise InputError(f"play: name at least two of {', '.join(datasets)}, which are compared on datasets.")
        if not self.playing(example):
            raise InputError(f"play: name at least one of {', '.join(example)}, which play the synthetic example.")

    def check_weights(self) -> None:
        """Raise if a grid has several values of what the weights do not use: copies of one setting have more luck."""
        weights = self._config["balancing"]["weights"]
        unused = UNUSED[weights]
        for key, grids in self._grids().items():
            for name, grid in grids.items():
                if name in BANDITS and "weights" in BANDITS[name].parameters and len(grid.get(unused, ())) > 1:
                    raise InputError(
                        f"{key}.{name}.{unused} has {len(grid[unused])} values, but weights by {weights} do not use "
                        f"{unused}, so these would be copies of one setting; give one value, as in "
                        "workflow/configs/residual_balancing.yaml."
                    )

    def _grids(self) -> dict[str, dict[str, Any]]:
        """All grids, by their key in the configuration."""
        return {"bandits": self._config["bandits"], "references": self._config["references"],
                "synthetic.bandits": self._config["synthetic"]["bandits"]}  # fmt: skip

    def path(self, bandit: str) -> str:
        """The import path of its class, MODULE:CLASS."""
        return self._own[bandit] if bandit in self._own else import_path(bandit)

    def sources(self, bandit: str) -> list[Path]:
        """Its module and what that imports from this package and from the working folder."""
        if bandit not in self._own:
            return provenance.sources(provenance.module_path(BANDITS[bandit].module))
        from balanced_bandits.bandits.importing import module_file

        return provenance.sources(module_file(self._own[bandit]))

    def uses_variance(self, bandit: str) -> bool:
        """Whether it depends on the reading of the variance."""
        return bandit in BANDITS and "variance" in BANDITS[bandit].parameters

    def readings(self, bandit: str, names: list[str]) -> dict[str, dict[str, Any]]:
        """The choices of each reading that it plays; without a variance, it plays once for all readings."""
        return {name: READINGS[name].choices for name in names} if self.uses_variance(bandit) else {ANY_READING: {}}

    def choices(self, bandit: str, **changes: Any) -> dict[str, Any]:
        """The choices of the configuration, with ``changes``, that its constructor takes."""
        config = self._config
        schedules = {name: config[name] for name in ("schedule", "epochs")}
        shared = config["ridge"] | config["balancing"] | schedules | changes
        if bandit in BANDITS:
            return {name: value for name, value in shared.items() if name in BANDITS[bandit].parameters}
        from balanced_bandits.bandits.importing import taken

        return taken(self._own[bandit], shared)

    def check_own(self) -> None:
        """Raise unless the classes of user-defined bandits exist and take the parameters of their grids."""
        grids = self._grids()
        for name, path in self._own.items():
            if name in BANDITS:
                raise InputError(f"own_bandits.{name}: a bandit of this package has this name; choose another one.")
            played = [of[name] for of in grids.values() if name in of]
            if not played:
                raise InputError(
                    f"own_bandits.{name}: no experiment plays it; give it a grid under {' or '.join(grids)} ("
                    "{} if it has no parameters), or remove it."
                )
            from balanced_bandits.bandits.importing import check

            for grid in played:
                check(path, settings_of(grid)[0], self.choices(name))


def grid_size(grid: Mapping[str, list[float]]) -> int:
    """The number of settings in a grid."""
    return math.prod(len(values) for values in grid.values())
