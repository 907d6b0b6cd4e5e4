"""The readings of the synthetic example that are searched for the paper's Table 1: names, batches, costs.

A reading has one level in each dimension of ``vocabulary.PLAYED``, and its name is these levels. Its runs are played in
batches, one per specification, bandit and range of simulations. A batch is named after everything that its result
depends on, so readings that differ only in what does not concern a bandit share its batches.
"""

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan import cost, provenance
from balanced_bandits.plan.halving import Space
from balanced_bandits.plan.players import Players, grid_size
from balanced_bandits.vocabulary import PLAYED, SPECIFICATIONS

BANDITS = ("LinTS", "LinUCB", "BLTS", "BLUCB")  # those of the paper's Table 1
PLAYER = "balanced_bandits.simulation.synthetic"
# The parts of the configuration that the search depends on.
KEYS = ("seed", "ridge", "balancing", "schedule", "epochs", "own_bandits", "play", "synthetic", "readings")


class Batch(NamedTuple):
    """Simulations of one bandit on one specification."""

    specification: str
    bandit: str
    import_path: str
    options: dict[str, Any]
    code: str  # digest of the sources that play it

    @property
    def name(self) -> str:
        """A digest of all of these."""
        return hashlib.sha256(json.dumps(self._asdict(), sort_keys=True).encode()).hexdigest()[:20]


def reading_of(name: str) -> dict[str, str]:
    """The level of each dimension, from the name of a reading."""
    return dict(zip(PLAYED, name.split("-"), strict=True))


class Readings:
    """The search: its space, and what each reading plays in each rung."""

    def __init__(self, config: Mapping[str, Any], players: Players) -> None:
        self._config, self._players, self._example = config, players, config["synthetic"]
        self._own: dict[str, Any] = config["readings"]
        self.simulations: list[int] = self._own["simulations"]
        self.parts: int = self._own["parts"]
        self.levels: dict[str, list[str]] = self._own["space"]
        self.bandits = [name for name in BANDITS if name in players.playing(self._example["bandits"])]
        self.default = "-".join(next(iter(dimension.levels)) for dimension in PLAYED.values())
        self.space = Space([self.levels[name] for name in PLAYED], self.default, config["seed"])

    @property
    def last(self) -> int:
        """The number of the last rung, whose simulations are new."""
        return len(self.simulations) - 1

    @property
    def budget(self) -> float:
        """CPU seconds of a rung, as predicted."""
        return 3600.0 * float(self._own["hours"]) / len(self.simulations)

    @property
    def minutes(self) -> int:
        """Time to request for a part of a rung: a reading may take the whole budget, and predictions are not exact."""
        return 10 + int(2 * self.budget / 60)

    def check(self) -> None:
        """Raise unless there is a bandit to play, and the default can be played in every rung."""
        if not self.bandits:
            raise InputError(f"play: the search for readings needs one of {', '.join(BANDITS)} in synthetic.bandits.")
        dearest = max(sum(map(self.seconds, self.batches(self.default, rung))) for rung in range(len(self.simulations)))
        if dearest > self.budget:
            hours = math.ceil(1000.0 * dearest * len(self.simulations) / 3600.0) / 1000.0
            raise InputError(
                f"readings.hours is {self._own['hours']:g}, which is not enough for the default reading; give at least "
                f"{hours:g} CPU hours, or fewer readings.simulations."
            )

    def config(self) -> str:
        """The part of the configuration that the search depends on, as JSON."""
        return json.dumps({key: self._config[key] for key in KEYS})

    def batches(self, name: str, rung: int) -> list[Batch]:
        """What a reading must have played after a rung: the simulations up to it; in the last rung, only its own."""
        firsts = [0, *itertools.accumulate(self.simulations)]
        rungs = [rung] if rung == self.last else range(rung + 1)
        return [
            self._batch(name, specification, bandit, firsts[k], self.simulations[k])
            for specification in SPECIFICATIONS for bandit in self.bandits for k in rungs
        ]  # fmt: skip

    def _batch(self, name: str, specification: str, bandit: str, first: int, simulations: int) -> Batch:
        changes: dict[str, Any] = {}
        design: dict[str, Any] = {}
        for dimension, level in reading_of(name).items():
            value = dict(PLAYED[dimension].levels[level].value)
            design |= value.pop("design", {})
            changes |= value
        if specification == "mis":
            del design["interaction"]  # there are no quadratic terms
        options = {
            "seed": self._config["seed"], "first": first, "simulations": simulations,
            "horizon": self._example["horizon"], "grid": self._example["bandits"][bandit], "design": design,
            "choices": self._players.choices(bandit, **changes),
        }  # fmt: skip
        return Batch(specification, bandit, self._players.path(bandit), options, self._code(bandit))

    @functools.cache  # noqa: B019
    def _code(self, bandit: str) -> str:
        """A digest of the sources that play a bandit."""
        digest = hashlib.sha256()
        for source in sorted({*provenance.sources(provenance.module_path(PLAYER)), *self._players.sources(bandit)}):
            digest.update(source.read_bytes())
        return digest.hexdigest()[:20]

    def prices(self, name: str, rung: int) -> dict[str, float]:
        """The batches of a reading after a rung, by name, with their predicted CPU seconds."""
        return {batch.name: self.seconds(batch) for batch in self.batches(name, rung)}

    def seconds(self, batch: Batch) -> float:
        """The predicted CPU seconds of a batch."""
        runs = int(batch.options["simulations"]) * grid_size(batch.options["grid"])
        return runs * cost.synthetic_seconds(batch.bandit, batch.options["horizon"], batch.options["choices"])
