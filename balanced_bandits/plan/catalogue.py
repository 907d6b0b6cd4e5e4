"""The catalogue of figures, one row each; the rules and the page follow from it.

To add a figure, write ``figures/NAME.py`` with a function ``draw`` and a caption ``workflow/report/NAME.rst``, add a
row here, and list the figure in docs/outputs.md. ``draw`` takes the content of the tables as positional arguments, and
the values of ``by`` and ``options`` as keyword arguments.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SECTIONS = {
    "classification": "Classification",
    "calibration": "Calibration of the tests",
    "multiverse": "The multiverse of open choices",
    "synthetic": "The synthetic example",
    "sensitivity": "Sensitivity of the synthetic example",
    "readings": "Which reading made Table 1?",
}


# The tables of the comparison, results/SUITE/NAME.csv, which scripts/compare.py makes.
COMPARISONS = ("pairs", "counts", "claims", "strata", "ranks", "profiles", "differences")
# Those of the multiverse, results/SUITE/multiverse/NAME.csv, which scripts/multiverse.py makes.
MULTIVERSE_TABLES = ("universes", "datasets", "subset", "claims", "verdicts", "shifts", "regrets", "spread", "settings",
                     "tuning")  # fmt: skip


class Figure(NamedTuple):
    """One figure, or one per combination of the values of ``by``."""

    name: str  # of its module in balanced_bandits.figures, of its caption in workflow/report, and of its files
    section: str  # one of SECTIONS; determines the folder of its tables and files
    tables: Sequence[str]  # files in results/ that it shows
    title: str  # on the page
    shows: str  # in docs/outputs.md and in the log
    by: Sequence[str] = ()  # wildcards: reading, protocol, specification, claim
    options: Sequence[str] = ()  # further arguments, from the plan

    @property
    def module(self) -> str:
        """The module with its function ``draw``."""
        return f"balanced_bandits.figures.{self.name}"

    @property
    def stem(self) -> str:
        """The name of its files without the extension, with wildcards in braces."""
        return "_".join([self.name, *(f"{{{name}}}" for name in self.by)])

    def instances(self, values: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
        """All combinations of the values of ``by``."""
        for combination in itertools.product(*(values[name] for name in self.by)):
            yield dict(zip(self.by, combination, strict=True))


FIGURES = [
    Figure("surfaces", "synthetic", ["surfaces.csv"], "Figure 1", "Figure 1: the expected reward of each arm"),
    Figure(
        "evolution", "synthetic", ["evolution.npz", "optima.npz"], "Figure {number}",
        "Figures 2 and 3: how the assignment of arms evolves", by=["specification"],
    ),
    Figure(
        "curves", "synthetic", ["curves.csv", "table1.csv"], "Curves",
        "regret, and the share of simulations that have found the optimum, over the rounds",
    ),
    Figure(
        "settings", "synthetic", ["rates.csv", "table1.csv"], "Every setting",
        "how often each setting finds the optimum",
    ),
    Figure(
        "criteria", "synthetic", ["criteria.csv", "table1.csv"], "Every criterion",
        "how Table 1 depends on what counts as finding the optimum",
    ),
    Figure(
        "claims", "classification", ["claims.csv"], "The claims", "the paper's claims on Figure 4", options=["rope"],
    ),
    Figure(
        "pairwise", "classification", ["pairs.csv", "counts.csv", "datasets.csv"],
        "Figure 4: variance {reading}, protocol {protocol}", "Figure 4: the pairwise grid",
        by=["reading", "protocol"], options=["bandits"],
    ),
    Figure(
        "matrix", "classification", ["counts.csv", "ranks.csv"],
        "Multi-comparison matrix: variance {reading}, protocol {protocol}",
        "mean difference, wins, ties, losses and p of every pair of bandits", by=["reading", "protocol"],
    ),
    Figure(
        "differences", "classification", ["differences.csv"], "Differences by size of datasets: variance {reading}",
        "how far each bandit is from a reference bandit, by the size of datasets", by=["reading"],
        options=["reference"],
    ),
    Figure(
        "strata", "classification", ["strata.csv"], "The claims by size of datasets: variance {reading}",
        "the paper's claims by the size of datasets", by=["reading"], options=["rope"],
    ),
    Figure(
        "ranks", "classification", ["ranks.csv"], "Critical-difference diagram: variance {reading}",
        "the critical-difference diagram", by=["reading"],
    ),
    Figure(
        "profiles", "classification", ["profiles.csv"], "Performance profiles: variance {reading}",
        "performance profiles", by=["reading"],
    ),
    Figure(
        "calibration", "calibration", ["calibration.csv"], "Calibration of the tests",
        "how often tests see a difference between two copies of one bandit",
    ),
    Figure(
        "universes", "multiverse", ["claims.csv", "universes.csv"], "Specification curve: {claim}",
        "a claim under all choices, sorted: the specification curve", by=["claim"], options=["rope"],
    ),
    Figure(
        "verdicts", "multiverse", ["verdicts.csv", "spread.csv"], "The claims over all universes",
        "how many universes each claim holds in, and which choices explain the spread",
    ),
    Figure(
        "shifts", "multiverse", ["shifts.csv"], "What single choices change: protocol {protocol}",
        "by how much single choices move the claims", by=["protocol"], options=["rope"],
    ),
    Figure(
        "tuning", "multiverse", ["tuning.csv", "settings.csv"], "What people tune",
        "the claims by the number of settings, and for fixed alpha and gamma", options=["rope"],
    ),
    Figure(
        "atlas", "sensitivity", ["atlas.csv", "atlas_orderings.csv"], "The sensitivity atlas",
        "which of the paper's numbers and orderings hold under which choices",
    ),
    Figure(
        "dimensions", "readings", ["dimensions.csv", "best.csv"], "What the fit to Table 1 depends on",
        "how well readings of each kind fit the paper's Table 1",
    ),
]  # fmt: skip


def title(figure: Figure, **values: Any) -> str:
    """The title of an instance of a figure.

    >>> title(FIGURES[1], specification="mis")
    'Figure 3'
    """
    return figure.title.format(**values, number=3 if values.get("specification") == "mis" else 2)
