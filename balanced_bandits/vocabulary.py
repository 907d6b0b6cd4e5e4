"""The vocabulary of the project: protocols, readings, specifications, criteria, tests, verdicts and strata.

Tables, figures, captions, the page and the command line all take their names and explanations from here. Kernels
(``estimation``, ``bandits``, ``simulation``) never import it, so that editing a label makes no run stale.
"""

import itertools
from typing import Any, NamedTuple


class Reading(NamedTuple):
    """A reading of the paper's variance: its description, and the corresponding choices of a bandit."""

    words: str
    choices: dict[str, Any]


READINGS = {
    "residual": Reading("residual variance with a small prior", {"variance": "residual"}),
    "literal": Reading("variance as printed in the paper's boxes", {"variance": "literal"}),
    "plain": Reading("residual variance without a prior", {"variance": "residual", "prior_weight": 0.0}),
    "mean": Reading("mean squared residual", {"variance": "mean"}),
}


def reading_in_words(name: str) -> str:
    """A reading as described in figures.

    >>> reading_in_words("plain")
    'residual variance without a prior (plain)'
    """
    return f"{READINGS[name].words} ({name})"


# The reading in the results of a bandit that uses no variance: it plays once for all readings.
ANY_READING = "any"


class Protocol(NamedTuple):
    """How the setting that represents a bandit on a dataset is chosen."""

    words: str
    fairness: str
    units: str = "shuffles"  # what tests on one dataset take as independent


PROTOCOLS = {
    "paper": Protocol(
        "each bandit at its best setting on each shuffle, in hindsight",
        "favours bandits with many settings, which have more luck",
    ),
    "held_out": Protocol(
        "each bandit at the setting that is best on one shuffle, scored on another",
        "fair to users who tune on earlier data of the same kind",
        "pairs of shuffles",
    ),
    "typical": Protocol(
        "the mean over all settings of each bandit",
        "fair to users who do not tune; penalises grids with bad values",
    ),
    "fixed": Protocol(
        "each bandit at one setting, chosen on the datasets of other families and on other shuffles",
        "fair to users who take one setting for all problems",
    ),
}

# The outcome models of the synthetic example.
SPECIFICATIONS = {"well": "well-specified", "mis": "mis-specified"}


class Target(NamedTuple):
    """An assignment of arms with which the policies of the synthetic example are compared."""

    words: str
    short: str


TARGETS = {
    "truth": Target("the best arms", "true optimum"),
    "predictors": Target("the best linear predictors", "best linear predictors"),
    "value": Target("the best linear policy", "value-best linear policy"),
}
# When a policy has to agree with the target.
MOMENTS = {"some": "at some time", "end": "at the end"}

# The test of the difference between two bandits on one dataset.
TEST = "paired t test across shuffles"
FEWEST_UNITS = 5  # shuffles or pairs of them; with fewer, there is no test on one dataset
SIGNIFICANT = 0.05  # level of significance
SURE = 0.95  # posterior probability that counts as sure

# Verdicts on a claim of the paper. Numbers hold, are close, or do not hold; orderings hold, are practically equal,
# inconclusive, or reversed.
HOLDS, CLOSE, FAILS = "holds", "close", "does not hold"
EQUAL, INCONCLUSIVE, REVERSED = "practically equal", "inconclusive", "reversed"
UNJUDGED = "can't be judged"
VERDICTS = (HOLDS, CLOSE, EQUAL, INCONCLUSIVE, FAILS, REVERSED, UNJUDGED)


class Stratum(NamedTuple):
    """A class of datasets by size, as in the paper's Table 2: above ``low`` and up to ``high``."""

    label: str
    low: float
    high: float

    def contains(self, sizes: Any) -> Any:
        """Whether ``sizes``, a number or an array, are in this class."""
        return (sizes > self.low) & (sizes <= self.high)


class Quantity(NamedTuple):
    """A quantity by which datasets are classified, with the largest value of each class but the last."""

    words: str
    ends: tuple[int, ...]
    least: int = 0  # all datasets have more

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The classes in ascending order.

        >>> [stratum.label for stratum in QUANTITIES["K"].strata]
        ['2', '3–10', '> 10']
        >>> [stratum.label for stratum in QUANTITIES["n"].strata]
        ['≤ 100', '101–1,000', '1,001–10,000', '> 10,000']
        """
        first = f"{self.ends[0]:,}" if self.ends[0] == self.least + 1 else f"≤ {self.ends[0]:,}"
        between = [f"{low + 1:,}–{high:,}" for low, high in itertools.pairwise(self.ends)]
        labels = [first, *between, f"> {self.ends[-1]:,}"]
        bounds = itertools.pairwise([self.least, *self.ends, float("inf")])
        return tuple(Stratum(label, low, high) for label, (low, high) in zip(labels, bounds, strict=True))


QUANTITIES = {
    "n": Quantity("Observations", (100, 1000, 10000)),
    "d": Quantity("Features", (10, 100)),
    "K": Quantity("Classes", (2, 10), least=1),
}
