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


class Level(NamedTuple):
    """One way to read something that the paper leaves open about its synthetic example."""

    words: str
    value: Any  # choices of the bandits, a part of the design of their models, or a part of the criterion
    against: str = ""  # what in the text speaks against it


class Dimension(NamedTuple):
    """Something that the paper leaves open about its synthetic example; the default is the first level."""

    words: str
    levels: dict[str, Level]


WIDE = [10.0**k for k in range(-4, 5)]
# The dimensions that change what is played: choices of the bandits, and under "design" the features of their models.
# Whether the noise is shared by the arms is none of them: a bandit observes one arm per round, whose noise is normal
# and independent of the past either way, so the distribution of its runs is the same.
PLAYED = {
    "penalties": Dimension("candidates for λ", {
        "wide": Level("powers of ten, 1e-4 to 1e4", {"lams": WIDE}),
        "top100": Level("powers of ten, 1e-4 to 100", {"lams": WIDE[:7]}),
        "top1": Level("powers of ten, 1e-4 to 1", {"lams": WIDE[:5]}),
        "three": Level("0.1, 1, 10 (as in RidgeCV)", {"lams": [0.1, 1.0, 10.0]}),
        "small": Level("powers of ten, 1e-5 to 1", {"lams": [1e-5, *WIDE[:5]]}),
        "relative": Level(
            "0.1 to 1,000 × spread of the data",
            {"lams": [0.1, 1.0, 10.0, 100.0, 1000.0], "lams_unit": "data"},
        ),
    }),
    "criterion": Dimension("choice of λ", {
        "loo": Level("leave-one-out", {"criterion": "loo"}),
        "gcv": Level("generalised cross-validation", {"criterion": "gcv"}),
        "kfold": Level("5 folds", {"criterion": "kfold", "folds": 5}),
    }),
    "ties": Dimension("λ where errors are equal", {
        name: Level(f"the {name}", {"ties": name}) for name in ("middle", "smallest", "largest")
    }),
    "intercept": Dimension("intercept", {
        name: Level(name, {"intercept": name}) for name in ("unpenalised", "penalised", "none")
    }),
    "variance": Dimension("variance", {
        name: Level(READINGS[name].words, READINGS[name].choices) for name in ("literal", "residual", "plain", "mean")
    }),
    "features": Dimension("features", {
        "raw": Level("as they are", {"design": {"standardise": "none"}}),
        "whole": Level("standardised by all contexts", {"design": {"standardise": "whole"}}),
        "warm": Level("standardised by the warm start", {"design": {"standardise": "warm"}}),
    }),
    "interaction": Dimension("the term x0 x1", {
        "with": Level("among the quadratic terms", {"design": {"interaction": True}}),
        "without": Level("left out", {"design": {"interaction": False}}),
    }),
    "schedule": Dimension("refreshes of λ and weights", {
        "geometric": Level("at 5 % more observations of an arm", {"schedule": {"geometric": 0.05}}),
        "step": Level("after every observation", {"schedule": "every_step"}),
        "batch10": Level("every 10 observations", {"schedule": {"batch": 10}}),
        "batch50": Level("every 50 observations", {"schedule": {"batch": 50}}),
        "batch100": Level("every 100 observations", {"schedule": {"batch": 100}}),
    }),
    "propensity": Dimension("propensities of BLTS", {
        "exact": Level("by quadrature, 8 earlier posteriors", {"propensity": "exact", "posteriors": 8}),
        "all": Level("by quadrature, all earlier posteriors", {"propensity": "exact", "posteriors": "all"}),
        "draws10": Level("10 draws", {"propensity": "monte_carlo", "draws": 10, "posteriors": "all"}),
        "draws100": Level("100 draws", {"propensity": "monte_carlo", "draws": 100, "posteriors": "all"}),
        "assignment": Level(
            "as of the assignment", {"propensity": "assignment"}, "the boxes compute all weights anew at every update"
        ),
    }),
}  # fmt: skip
# The dimensions that only change how the same runs are looked at.
LOOKED_AT = {
    "target": Dimension("mis-specified optimum", {
        "predictors": Level(TARGETS["predictors"].words, "predictors"),
        "value": Level(TARGETS["value"].words, "value"),
        "truth": Level(TARGETS["truth"].words, "truth", "the text calls it the constrained optimal assignment"),
    }),
    "when": Dimension("when it is found", {
        "some": Level("at some time", "some"),
        "end": Level("at the end", "end", "the text says within T contexts"),
    }),
    "threshold": Dimension("agreement needed", {
        f"{100 * share:.0f}%": Level(f"{100 * share:.0f} %", share) for share in (0.95, 0.8, 0.85, 0.9, 0.99)
    }),
    "policy": Dimension("policy", {
        "greedy": Level("greedy, on 10,000 contexts", "agreement"),
        "played": Level("the last 100 choices", "played"),
    }),
    "horizon": Dimension("horizon", {
        "full": Level("T", 1.0),
        "half": Level("half of T", 0.5, "the text says T = 10000"),
        "tenth": Level("a tenth of T", 0.1, "the text says T = 10000"),
    }),
    "settings": Dimension("settings", {
        "best": Level("the best", "best"),
        "mean": Level("the mean of all", "mean", "the text says that alpha and gamma are optimized"),
    }),
}  # fmt: skip
DIMENSIONS = PLAYED | LOOKED_AT
