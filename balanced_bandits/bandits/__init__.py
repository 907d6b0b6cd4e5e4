"""The bandits, one module each, and their registry.

The pipeline knows the bandits only through this registry, which does not import them. To add a bandit, write its module
(``loop`` describes what it must contain) and add an entry to ``BANDITS``.
"""

import importlib
from typing import Any, NamedTuple

RIDGE = ("intercept", "lams", "lams_unit", "criterion", "ties", "folds", "schedule")
VARIANCE = ("variance", "prior_weight", "prior_variance")
BALANCED = ("alpha", "gamma", "weights", "zeta", "propensity_schedule")


class Entry(NamedTuple):
    """A bandit of this package: the module of its class and the parameters of its constructor."""

    module: str
    parameters: tuple[str, ...]


def _entry(module: str, *parameters: str) -> Entry:
    return Entry(f"{__name__}.{module}", parameters)


BANDITS = {
    "LinTS": _entry("lints", "alpha", *RIDGE, *VARIANCE),
    "LinUCB": _entry("linucb", "alpha", *RIDGE, *VARIANCE),
    "BLTS": _entry("blts", *BALANCED, "propensity", "draws", "posteriors", *RIDGE, *VARIANCE),
    "BLUCB": _entry("blucb", *BALANCED, "logistic_c", "logistic_tolerance", *RIDGE, *VARIANCE),
    "ILTCB": _entry("iltcb", "mu_scale", "psi", "delta", "intercept", "lams", "ties", "epochs"),
    "EpsilonGreedy": _entry("epsilon_greedy", "epsilon", *RIDGE),
    "Greedy": _entry("greedy", *RIDGE),
    "Uniform": _entry("uniform", *RIDGE),
    "SquareCB": _entry("squarecb", "gamma_scale", *RIDGE),
    "DRTS": _entry("drts", "v", "threshold", "lam_scale", *RIDGE),
}


def import_path(name: str) -> str:
    """The import path MODULE:CLASS of a bandit of this package."""
    return f"{BANDITS[name].module}:{name}"


def bandit_class(name: str) -> Any:
    """The class of a bandit of this package, by name."""
    return getattr(importlib.import_module(BANDITS[name].module), name)
