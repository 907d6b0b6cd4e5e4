"""The experiment on datasets as a plan: the jobs, what each is given, and what it will cost.

A job is one dataset and one bandit, with all readings, settings, copies and shuffles inside.
"""

import json
from collections.abc import Mapping
from typing import Any

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan import cost
from balanced_bandits.plan.datasets import Datasets
from balanced_bandits.plan.players import Players, grid_size
from balanced_bandits.vocabulary import PROTOCOLS

SMALL = 60  # seconds: a dataset is small if all bandits together are predicted to play it in less
ALONE_MINUTES, GROUPED_MINUTES = 5, 2  # added to the predicted time of a job: to load, and perhaps to compile


class Classification:
    """The experiment on the datasets of the suite."""

    def __init__(self, config: Mapping[str, Any], datasets: Datasets, players: Players) -> None:
        self._config, self._own, self.datasets, self._players = config, config["classification"], datasets, players
        self.readings: list[str] = self._own["readings"]
        for name in config["references"].keys() & config["bandits"].keys():
            raise InputError(f"references.{name}: it is under bandits as well; remove it from one of them.")
        self.grids: dict[str, Any] = players.playing(config["bandits"] | config["references"])
        self.paper_bandits = list(players.playing(config["bandits"]))
        self.bandits = list(self.grids)
        for key in ("reference", "placebo"):
            if self._own[key] is not None and self._own[key] not in players.names:
                raise InputError(
                    f"classification.{key} is {self._own[key]}, but must be one of {', '.join(players.names)}."
                )
        self.results = f"results/{datasets.suite}"

    @property
    def protocols(self) -> list[str]:
        """The tuning protocols; datasets with a single shuffle have no other shuffles to choose a setting on."""
        several = any(self.shuffles(dataset) > 1 for dataset in self.datasets.rows)
        return [name for name in PROTOCOLS if several or name != "held_out"]

    @property
    def reference(self) -> str:
        """The bandit from which the differences of the others are shown: the named one if it plays, or the first."""
        return str(self._own["reference"] if self._own["reference"] in self.grids else self.bandits[0])

    @property
    def placebo(self) -> str | None:
        """The bandit that is compared with copies of itself, if it plays."""
        return self._own["placebo"] if self._own["placebo"] in self.grids else None

    def copies(self, bandit: str) -> int:
        """How often a bandit plays each setting with other random numbers: once, except for the placebo."""
        return 1 + (int(self._own["placebo_copies"]) if bandit == self.placebo else 0)

    def plays(self, bandit: str, shuffles: int, copies: int | None = None) -> int:
        """How many runs a job of a bandit has."""
        readings = self._players.readings(bandit, self.readings)
        each = self.copies(bandit) if copies is None else copies
        return len(readings) * grid_size(self.grids[bandit]) * each * shuffles

    def shuffles(self, dataset: str) -> int:
        """How often a dataset is played."""
        return self.shuffles_of(*self.datasets.size(dataset))

    def shuffles_of(self, n: int, d: int, K: int) -> int:
        """How often a dataset of this size is played: less often if that would take longer than the limit (``cost``).

        The number is then even, since the protocol ``held_out`` uses pairs of shuffles.
        """
        most, limit = int(self._config["shuffles"]), self._config["dataset_seconds"]
        if limit is None:
            return most
        one = cost.shuffle_seconds(n, d, K, len(self.readings))
        return min(most, max(int(self._config["fewest_shuffles"]), 2 * int(limit / one / 2)))

    def options(self, dataset: str, bandit: str, shuffles: int | None = None, copies: int | None = None) -> str:
        """Everything that the result of a job depends on, apart from the dataset and the code."""
        options = {
            "seed": self._config["seed"],
            "shuffles": self.shuffles(dataset) if shuffles is None else shuffles,
            "copies": self.copies(bandit) if copies is None else copies,
            "choices": self._players.choices(bandit),
            "readings": self._players.readings(bandit, self.readings),
            "grid": self.grids[bandit],
        }
        return json.dumps(options, sort_keys=True)

    def comparison(self) -> str:
        """Everything that the comparison depends on, apart from the runs and the code."""
        options = {"seed": self._config["seed"], "bandits": self.bandits, "readings": self.readings,
                   "rope": self._own["rope"], "reference": self.reference, "placebo": self.placebo}  # fmt: skip
        return json.dumps(options, sort_keys=True)

    def jobs(self) -> list[str]:
        """The results of a dataset, one per bandit, with DATASET for its name."""
        return [f"{self.results}/runs/DATASET/{bandit}.npz" for bandit in self.bandits]

    def runs(self) -> list[str]:
        """The results of all jobs."""
        return [job.replace("DATASET", name) for name in self.datasets.rows for job in self.jobs()]

    def seconds(self, dataset: str, bandit: str) -> float:
        """How long a job takes."""
        return cost.seconds(bandit, *self.datasets.size(dataset), self.plays(bandit, self.shuffles(dataset)))

    def _seconds_of_all(self, dataset: str) -> list[float]:
        return [self.seconds(dataset, bandit) for bandit in self.bandits]

    def is_small(self, dataset: str) -> bool:
        """Whether the jobs of a dataset may share a job of a cluster with those of other datasets."""
        return sum(self._seconds_of_all(dataset)) < SMALL

    def urgency(self, dataset: str) -> float:
        """The priority of fetching and encoding a dataset: that of its longest job, which can't start before."""
        return self.early + max(self._seconds_of_all(dataset))

    @property
    def early(self) -> int:
        """A priority above that of all simulations, for ``strict``: datasets are checked before bandits play."""
        return 10**9 if self._config["strict"] else 0

    def minutes(self, dataset: str, bandit: str) -> int:
        """Time to request, with a margin; a group requests the sum of its jobs, so each needs a smaller one."""
        room = GROUPED_MINUTES if self.is_small(dataset) else ALONE_MINUTES
        return room + int(5 * self.seconds(dataset, bandit) / 60)

    def megabytes(self, dataset: str, bandit: str) -> int:
        """Memory to request, with a margin.

        It includes the two snakemake processes that start a job on a cluster, of 170 MB each.
        """
        need = cost.megabytes(bandit, *self.datasets.size(dataset), self.plays(bandit, self.shuffles(dataset)))
        return int(1.5 * need + 400)


class Calibration:
    """Copies of the same bandit on datasets that cost little: how often is a difference seen where there is none?

    Of ``calibration.bandits``, those that are compared on datasets play.
    """

    def __init__(self, config: Mapping[str, Any], classification: Classification, players: Players) -> None:
        self._own, self._classification = config["calibration"], classification
        for bandit in self._own["bandits"]:
            if bandit not in players.names:
                raise InputError(
                    f"calibration.bandits: there is no {bandit}; the bandits are {', '.join(players.names)}."
                )
        self.bandits = [bandit for bandit in self._own["bandits"] if bandit in classification.grids]
        self.results = f"{classification.results}/calibration"

    def seconds(self, dataset: str, bandit: str) -> float:
        """How long a job takes."""
        runs = self._classification.plays(bandit, self._own["shuffles"], self._own["copies"])
        return cost.seconds(bandit, *self._classification.datasets.size(dataset), runs)

    def datasets(self) -> list[str]:
        """The datasets that all of these bandits together play within the limit."""
        limit = self._own["dataset_seconds"]
        names = self._classification.datasets.rows
        return [name for name in names if sum(self.seconds(name, bandit) for bandit in self.bandits) <= limit]

    def options(self, dataset: str, bandit: str) -> str:
        """Everything that the result of a job depends on, apart from the dataset and the code."""
        return self._classification.options(dataset, bandit, self._own["shuffles"], self._own["copies"])

    def jobs(self) -> list[str]:
        """The results of a dataset, one per bandit, with DATASET for its name."""
        return [f"{self.results}/runs/DATASET/{bandit}.npz" for bandit in self.bandits]

    def runs(self) -> list[str]:
        """The results of all jobs."""
        return [job.replace("DATASET", name) for name in self.datasets() for job in self.jobs()]

    def minutes(self, dataset: str, bandit: str) -> int:
        """Time to request, with a margin."""
        return ALONE_MINUTES + int(5 * self.seconds(dataset, bandit) / 60)
