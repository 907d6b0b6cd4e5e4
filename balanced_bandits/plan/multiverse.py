"""The multiverse as a plan: which universes play which datasets, in which jobs, and what that will cost.

A job is one universe and a batch of datasets, with all bandits that play differently than in the universes before it.
"""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.plan import choice_cost, cost
from balanced_bandits.plan.classification import ALONE_MINUTES, Classification
from balanced_bandits.plan.datasets import how_to_prepare
from balanced_bandits.plan.players import Players, grid_size
from balanced_bandits.plan.subset import stratified, stratum_of
from balanced_bandits.plan.universes import Universe, key_of, level_of, universes_of
from balanced_bandits.vocabulary import READINGS

JOB_SECONDS = 180.0  # predicted; a universe that takes longer is played in several batches of datasets
RIDGE = ("prior_weight", "intercept", "lams", "criterion", "ties")
BALANCING = ("propensity", "propensity_schedule", "posteriors", "logistic_c")


class Multiverse:
    """The paper's claims on datasets under other choices, on a part of the suite that the budget allows.

    Of ``multiverse.bandits``, those that are compared on datasets play.
    """

    def __init__(self, config: Mapping[str, Any], classification: Classification, players: Players) -> None:
        self._config, self._own, self._players = config, config["multiverse"], players
        self._datasets, self._grids = classification.datasets, classification.grids
        for bandit in self._own["bandits"]:
            if bandit not in players.names:
                raise InputError(
                    f"multiverse.bandits: there is no {bandit}; the bandits are {', '.join(players.names)}."
                )
        self.bandits = [bandit for bandit in self._own["bandits"] if bandit in classification.grids]
        self.claims = [(better, worse) for better, worse in CLAIMS if {better, worse} <= set(self.bandits)]
        self.results = f"{classification.results}/multiverse"
        self._usual = (
            {"reading": classification.readings[0]}
            | {name: config["ridge"][name] for name in RIDGE}
            | {"schedule": config["schedule"]}
            | {name: config["balancing"][name] for name in BALANCING}
            | {"epochs": config["epochs"], "standardise": config["standardise"], "categoricals": "indicators"}
        )
        found, self.combinations = universes_of(self._usual, self._own["choices"], self._own["combinations"])
        self.universes = self._without_twins(found)
        self._by_folder = {universe.folder: universe for universe in self.universes}

    def _without_twins(self, universes: list[Universe]) -> list[Universe]:
        """The universes that differ in something that a bandit is given; in combinations, the first stands for all."""
        first: dict[str, Universe] = {}
        same = {each.name: first.setdefault(self.identity(each), each).name for each in universes}
        self.combinations = [
            each._replace(universes=[same[name] for name in each.universes]) for each in self.combinations
        ]
        return list(first.values())

    @property
    def claim_names(self) -> list[str]:
        """The claims about these bandits, as the names of files have them: BETTER_WORSE."""
        return [f"{better}_{worse}" for better, worse in self.claims]

    @property
    def folders(self) -> list[str]:
        """The folders of the universes."""
        return list(self._by_folder)

    def options(self, universe: Universe, bandit: str) -> dict[str, Any]:
        """Everything that the runs of a bandit depend on, apart from the dataset and the code."""
        apart = ("reading", *universe.preparation)
        changes = {name: universe.choices[name] for name in universe.varied if name not in apart}
        reading = universe.choices["reading"]
        return {
            "seed": self._config["seed"],
            "shuffles": self._own["shuffles"],
            "copies": 1,
            "choices": self._players.choices(bandit, **changes),
            "readings": self._players.readings(bandit, [reading]),
            "grid": self._grids[bandit],
        }

    def _given(self, universe: Universe, bandit: str) -> str:
        """What a bandit is given in a universe, as text: the parameters that it ends up with, and the data."""
        options = self.options(universe, bandit)
        (reading,) = options["readings"].values()
        resolved = options | {"choices": options["choices"] | reading, "readings": None}
        return key_of([resolved, universe.preparation])

    def identity(self, universe: Universe) -> str:
        """A checksum of everything that its results depend on, apart from the datasets and the code."""
        return digest([self._given(universe, bandit) for bandit in self.bandits])

    @functools.cached_property
    def owners(self) -> dict[tuple[str, str], str]:
        """By folder of a universe and bandit: the folder of the first universe in which it is given the same."""
        first: dict[tuple[str, str], str] = {}
        return {
            (universe.folder, bandit): first.setdefault((bandit, self._given(universe, bandit)), universe.folder)
            for universe in self.universes
            for bandit in self.bandits
        }

    def players(self, folder: str) -> list[str]:
        """The bandits that a universe plays itself; the runs of the others are those of earlier universes."""
        return [bandit for bandit in self.bandits if self.owners[folder, bandit] == folder]

    @functools.cached_property
    def _seconds(self) -> dict[tuple[str, str], float]:
        """By folder of a universe and dataset: predicted seconds, without the start of jobs."""
        found = {}
        for folder, universe in self._by_folder.items():
            reading = READINGS[universe.choices["reading"]].choices
            plays = {bandit: grid_size(self._grids[bandit]) * self._own["shuffles"] for bandit in self.players(folder)}
            for name in self._datasets.rows:
                size = self._datasets.size(name)
                found[folder, name] = sum(
                    choice_cost.play_seconds(bandit, universe.choices | reading, *size, runs)
                    for bandit, runs in plays.items()
                )
        return found

    @functools.cached_property
    def seconds(self) -> dict[str, float]:
        """Predicted seconds of all universes on each dataset of the suite."""
        return {name: sum(self._seconds[folder, name] for folder in self._by_folder) for name in self._datasets.rows}

    @functools.cached_property
    def strata(self) -> dict[str, tuple[str, str, str]]:
        """The classes of each dataset by n, d and K."""
        return {name: stratum_of(row.n, row.d, row.K) for name, row in self._datasets.rows.items()}

    @functools.cached_property
    def datasets(self) -> list[str]:
        """The part of the suite that is played, in the order of the suite; all jobs together keep to the budget."""
        budget = 3600.0 * float(self._own["hours"])
        chosen = stratified(self.seconds, self.strata, budget) if self.bandits else []
        while chosen and self.total_seconds(chosen) > budget:  # the start of jobs is not in the seconds of datasets
            chosen.pop()
        return [name for name in self._datasets.rows if name in chosen]

    def _batches(self, folder: str, datasets: list[str]) -> list[list[str]]:
        """The datasets in batches that a job plays in ``JOB_SECONDS``, unless a single one takes longer."""
        batches: list[list[str]] = []
        room = 0.0
        for name in datasets if self.players(folder) else []:
            seconds = self._seconds[folder, name]
            if seconds > room or not batches:
                batches.append([])
                room = JOB_SECONDS
            batches[-1].append(name)
            room -= seconds
        return batches

    def total_seconds(self, datasets: list[str]) -> float:
        """Predicted CPU seconds of all jobs if these datasets are played."""
        return sum(
            sum(self._seconds[folder, name] for name in datasets)
            + len(self._batches(folder, datasets)) * len(self.players(folder)) * cost.START_UP
            for folder in self._by_folder
        )

    @functools.cached_property
    def batches(self) -> dict[str, list[list[str]]]:
        """The batches of datasets of each universe, by its folder."""
        return {folder: self._batches(folder, self.datasets) for folder in self._by_folder}

    def batch(self, folder: str, number: str) -> list[str]:
        """The datasets of a batch, which are numbered from 1."""
        batches = self.batches[folder]
        return batches[int(number) - 1] if int(number) <= len(batches) else []

    def runs(self) -> list[str]:
        """The results of all jobs."""
        return [
            f"{self.results}/runs/{folder}/{number + 1}.npz"
            for folder, batches in self.batches.items()
            for number in range(len(batches))
        ]

    def job_seconds(self, folder: str, number: str) -> float:
        """Predicted seconds of a job."""
        played = sum(self._seconds[folder, name] for name in self.batch(folder, number))
        return played + cost.START_UP * len(self.players(folder))

    def minutes(self, folder: str, number: str) -> int:
        """Time to request, with a margin."""
        return ALONE_MINUTES + int(5 * self.job_seconds(folder, number) / 60)

    def megabytes(self, folder: str, number: str) -> int:
        """Memory to request, with a margin."""
        choices = self._by_folder[folder].choices
        sizes = [self._datasets.size(name) for name in self.batch(folder, number)]
        return int(1.5 * max((choice_cost.megabytes(choices, *size) for size in sizes), default=0) + 400)

    def sources(self, folder: str) -> list[Path]:
        """The source files of the bandits that a universe plays."""
        return sorted({path for bandit in self.players(folder) for path in self._players.sources(bandit)})

    def given(self, folder: str) -> str:
        """What the jobs of a universe are given: its bandits, their classes and options, as JSON."""
        universe = self._by_folder[folder]
        return json.dumps(
            {
                bandit: {"class": self._players.path(bandit), "options": self.options(universe, bandit)}
                for bandit in self.players(folder)
            },
            sort_keys=True,
        )

    def preparation(self, folder: str) -> str:
        """The folder of the data of a universe if they are encoded otherwise than in the experiment, else ""."""
        universe = self._by_folder[folder]
        changed = [f"{name}_{universe.varied[name]}" for name in universe.preparation if name in universe.varied]
        return "-".join(changed)

    @property
    def preparations(self) -> dict[str, str]:
        """How the data in each such folder are prepared, as JSON: the fields of ``Preparation``, and categoricals."""
        return {
            self.preparation(folder): json.dumps(how_to_prepare(self._config) | universe.preparation, sort_keys=True)
            for folder, universe in self._by_folder.items()
            if self.preparation(folder)
        }

    def data(self, folder: str, number: str) -> list[str]:
        """The encoded datasets of a batch."""
        place = self._place(folder) or f"data/{self._datasets.suite}"
        return [f"{place}/{name}.npz" for name in self.batch(folder, number)]

    def inputs(self, folder: str, number: str) -> list[str]:
        """The files that a job waits for: its datasets, or the folder with all that are encoded like them."""
        place = self._place(folder)
        return [place] if place else self.data(folder, number)

    def _place(self, folder: str) -> str:
        otherwise = self.preparation(folder)
        return f"data/{self._datasets.suite}/otherwise/{otherwise}" if otherwise else ""

    def account(self) -> str:
        """Everything that the tables are made from, apart from the runs, as JSON."""
        return json.dumps(
            {
                "seed": self._config["seed"],
                "rope": self._config["classification"]["rope"],
                "hours": self._own["hours"],
                "bandits": self.bandits,
                "choices": self._levels(),
                "universes": [
                    {
                        "name": universe.name,
                        "varied": universe.varied,
                        "identity": self.identity(universe),
                        "runs": {bandit: self.owners[universe.folder, bandit] for bandit in self.bandits},
                    }
                    for universe in self.universes
                ],
                "batches": {folder: len(batches) for folder, batches in self.batches.items() if batches},
                "combinations": [each._asdict() for each in self.combinations if each.crossed > 1],
                "tuned": [each.name for each in self.universes if set(each.varied) <= {"reading"}],
                "settings": self._own["settings"],
                "datasets": self.datasets,
                "seconds": {name: round(seconds, 1) for name, seconds in self.seconds.items()},
                "total_seconds": round(self.total_seconds(self.datasets), 1),
            }
        )

    def _levels(self) -> dict[str, list[str]]:
        """All levels of each choice that varies, the default first."""
        found: dict[str, list[str]] = {}
        for universe in self.universes:
            for name, level in universe.varied.items():
                found.setdefault(name, [level_of(self._usual[name])])
                if level not in found[name]:
                    found[name].append(level)
        return {name: found[name] for name in self._usual if name in found}
