"""The plan of the synthetic example: its jobs, their options, and the cells of its sensitivity atlas.

A job is one specification and one bandit, with its whole grid and all simulations.
"""

import json
from collections.abc import Mapping
from typing import Any

from balanced_bandits.plan import cost
from balanced_bandits.plan.atlas_cells import Cell, cells_of, distinct
from balanced_bandits.plan.players import Players, grid_size
from balanced_bandits.vocabulary import READINGS, SPECIFICATIONS

MICROSECONDS = 6  # per step, roughly; only the ratios between jobs matter


class Synthetic:
    """The synthetic example of section 4.1, and its atlas."""

    def __init__(self, config: Mapping[str, Any], players: Players) -> None:
        self.specifications = list(SPECIFICATIONS)
        self._config, self._players = config, players
        self._example, self._atlas = config["synthetic"], config["sensitivity"]
        self.bandits = list(players.playing(self._example["bandits"]))
        default = {"reading": self._example["reading"], "intercept": self._example["intercept"],
                   "lams": config["ridge"]["lams"], "propensity": config["balancing"]["propensity"],
                   "schedule": config["schedule"]}  # fmt: skip
        self.cells = cells_of(self._atlas, default)

    def _simulations(self, cell: Cell) -> int:
        return int((self._example if cell == self.cells[0] else self._atlas)["simulations"])

    def cell(self, folder: str = "") -> Cell:
        """The cell of the atlas in a folder; without a folder the default cell, which is the example itself."""
        return next((cell for cell in self.cells if cell.folder == folder), self.cells[0])

    def options(self, bandit: str, folder: str = "") -> str:
        """Everything that the result of a job depends on, apart from the code."""
        cell = self.cell(folder)
        changes = {name: value for name, value in cell.choices.items() if name != "reading"}
        options = {
            "seed": self._config["seed"],
            "simulations": self._simulations(cell),
            "horizon": self._example["horizon"],
            "choices": self._players.choices(bandit, **changes, **READINGS[cell.choices["reading"]].choices),
            "grid": self._example["bandits"][bandit],
        }
        return json.dumps(options, sort_keys=True)

    def steps(self, bandit: str, folder: str = "") -> int:
        """The number of steps in a job, over all settings and simulations."""
        simulations = self._simulations(self.cell(folder))
        return simulations * int(self._example["horizon"]) * grid_size(self._example["bandits"][bandit])

    def seconds(self, bandit: str) -> float:
        """The approximate duration of a job of the example."""
        return cost.START_UP + 1e-6 * MICROSECONDS * self.steps(bandit)

    def minutes(self, bandit: str, folder: str = "") -> int:
        """Time to request, with a margin."""
        return 5 + self.steps(bandit, folder) // 10**6

    def criteria(self) -> str:
        """The criteria for having found the optimum, as JSON."""
        return json.dumps({key: self._example[key] for key in ("criterion", "alternatives")}, sort_keys=True)

    def atlas(self) -> list[dict[str, Any]]:
        """The cells of the atlas with the result files of their jobs; jobs that several cells share are played once."""
        played = {bandit: self._distinct(bandit) for bandit in self.bandits}
        return [
            {
                "name": cell.name,
                "varied": cell.varied,
                "levels": cell.levels,
                "runs": {
                    specification: {
                        bandit: self._result(played[bandit][cell.name], specification, bandit)
                        for bandit in self.bandits
                    }
                    for specification in self.specifications
                },
            }
            for cell in self.cells
        ]

    def _distinct(self, bandit: str) -> dict[str, Cell]:
        """Map the name of each cell to the first cell in which a bandit has the same choices."""
        return distinct(self.cells, lambda cell: json.loads(self.options(bandit, cell.folder))["choices"])

    def _result(self, cell: Cell, specification: str, bandit: str) -> str:
        if cell == self.cells[0]:
            return f"results/synthetic/{specification}/{bandit}.npz"
        return f"results/sensitivity/runs/{cell.folder}/{specification}/{bandit}.npz"

    def atlas_runs(self) -> list[str]:
        """The result files that the atlas is made from, without duplicates."""
        by_specification = [runs for cell in self.atlas() for runs in cell["runs"].values()]
        return sorted({path for runs in by_specification for path in runs.values()})
