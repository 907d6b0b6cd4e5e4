"""The bandits, a module each; a reader with the paper open finds each line of a box in its module."""

import importlib
from typing import Any

MODULES = {
    "LinTS": "balanced_bandits.bandits.lints",
    "LinUCB": "balanced_bandits.bandits.linucb",
    "BLTS": "balanced_bandits.bandits.blts",
    "BLUCB": "balanced_bandits.bandits.blucb",
    "ILTCB": "balanced_bandits.bandits.iltcb",
    "EpsilonGreedy": "balanced_bandits.bandits.epsilon_greedy",
    "Uniform": "balanced_bandits.bandits.uniform",
}


def bandit_class(name: str) -> Any:
    """The class of the bandit ``name``, or of one's own at MODULE:CLASS (see ``bandits.own``)."""
    if ":" in name:
        from balanced_bandits.bandits.own import own_class

        return own_class(name)
    return getattr(importlib.import_module(MODULES[name]), name)
