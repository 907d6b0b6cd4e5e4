"""The bandits, a module each; a reader with the paper open finds each line of a box in its module."""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODULES = {
    "LinTS": "balanced_bandits.bandits.lints",
    "LinUCB": "balanced_bandits.bandits.linucb",
    "BLTS": "balanced_bandits.bandits.blts",
    "BLUCB": "balanced_bandits.bandits.blucb",
    "ILTCB": "balanced_bandits.bandits.iltcb",
    "EpsilonGreedy": "balanced_bandits.bandits.epsilon_greedy",
    "Uniform": "balanced_bandits.bandits.uniform",
}


def bandit_module(name: str) -> ModuleType:
    """The module of the bandit ``name``: it offers the compiled loop ``play``, and the class of that name."""
    return importlib.import_module(MODULES[name])


def bandit_class(name: str) -> Any:
    """The class of the bandit ``name``."""
    return getattr(bandit_module(name), name)


def player(name: str, choices: dict[str, Any]) -> Callable[..., tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """The compiled loop of the bandit ``name`` with these choices.

    It takes contexts (n, d), rewards (n, K), the order of the rounds, the arms of a warm start, the numbers of rounds
    after which to take snapshots, and a random stream; and gives the arms chosen (n,), and the coefficients
    (snapshots, K, p) after each of those numbers of rounds.
    """
    return bandit_class(name).player(choices)  # type: ignore[no-any-return]
