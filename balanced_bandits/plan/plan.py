"""The plan of a run, shared by Snakemake's rules and the command line so that both play the same."""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from balanced_bandits.plan.catalogue import FIGURES, Figure, title
from balanced_bandits.plan.classification import Calibration, Classification
from balanced_bandits.plan.config import checked_config
from balanced_bandits.plan.datasets import Datasets
from balanced_bandits.plan.multiverse import Multiverse
from balanced_bandits.plan.players import Players
from balanced_bandits.plan.provenance import REPOSITORY
from balanced_bandits.plan.readings import Readings
from balanced_bandits.plan.synthetic import Synthetic


class Plan:
    """Everything that follows from a configuration; raises ``InputError`` if it is invalid."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.config = checked_config(given)
        self.players = Players(self.config)

    def check(self) -> None:
        """Raise ``InputError`` if a run of the workflow can't be planned."""
        self.players.check_asked()
        self.players.check_weights()
        self.players.check_own()
        self.datasets.check_results()
        _ = self.classification, self.calibration, self.multiverse, self.synthetic

    @functools.cached_property
    def datasets(self) -> Datasets:
        """The datasets of the suite."""
        return Datasets(self.config)

    @functools.cached_property
    def classification(self) -> Classification:
        """The classification experiment on these datasets."""
        return Classification(self.config, self.datasets, self.players)

    @functools.cached_property
    def calibration(self) -> Calibration:
        """The calibration of its tests."""
        return Calibration(self.config, self.classification, self.players)

    @functools.cached_property
    def multiverse(self) -> Multiverse:
        """The experiment under other choices."""
        return Multiverse(self.config, self.classification, self.players)

    @functools.cached_property
    def synthetic(self) -> Synthetic:
        """The synthetic example."""
        return Synthetic(self.config, self.players)

    @functools.cached_property
    def readings(self) -> Readings:
        """The search for the reading that made Table 1."""
        return Readings(self.config, self.players)

    @property
    def folders(self) -> dict[str, str]:
        """The folder of each section of the page, in results/ and figures/."""
        suite = self.datasets.suite
        return {"classification": suite, "calibration": f"{suite}/calibration",
                "multiverse": f"{suite}/multiverse", "synthetic": "synthetic",
                "sensitivity": "sensitivity", "readings": "readings"}  # fmt: skip

    @property
    def values(self) -> dict[str, list[str]]:
        """The values of the wildcards of figures."""
        return {"reading": self.classification.readings, "protocol": self.classification.protocols,
                "specification": self.synthetic.specifications, "claim": self.multiverse.claim_names}  # fmt: skip

    def tables(self, figure: Figure) -> list[str]:
        """The tables that a figure shows."""
        return [f"results/{self.folders[figure.section]}/{name}" for name in figure.tables]

    def drawing_options(self, figure: Figure) -> str:
        """The arguments of a figure apart from its tables and its wildcards, as JSON."""
        known = {"bandits": self.classification.paper_bandits, "rope": self.config["classification"]["rope"],
                 "reference": self.classification.reference}  # fmt: skip
        return json.dumps({name: known[name] for name in figure.options})

    def files(self, figure: Figure) -> dict[str, str]:
        """The files of a figure by format, with wildcards in braces."""
        folder = f"figures/{self.folders[figure.section]}"
        return {ending: f"{folder}/{figure.stem}.{ending}" for ending in self.config["figures"]["formats"]}

    def shown_format(self) -> str:
        """The configured format that suits a web page best."""
        return next(ending for ending in ("png", "svg", "pdf") if ending in self.config["figures"]["formats"])

    def drawn(self, *sections: str) -> list[str]:
        """The files of all figures of these sections."""
        return [
            path.format(**values)
            for figure in FIGURES
            if figure.section in sections
            for values in figure.instances(self.values)
            for path in self.files(figure).values()
        ]

    def drawings(self, *sections: str) -> Iterator[dict[str, Any]]:
        """The figures of these sections in the order of the page, as scripts/report.py expects them."""
        for figure in FIGURES:
            for values in figure.instances(self.values) if figure.section in sections else ():
                yield {
                    "file": self.files(figure)[self.shown_format()].format(**values),
                    "caption": caption(figure),
                    "wildcards": values,
                    "title": title(figure, **values),
                    "section": figure.section,
                }


def caption(figure: Figure) -> str:
    """The template of a figure's caption."""
    return str(REPOSITORY / f"workflow/report/{figure.name}.rst")
