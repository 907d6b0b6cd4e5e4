"""The bandits, a module each; a reader with the paper open finds each line of a box in its module."""

import importlib
from types import ModuleType

MODULES = {"LinTS": "balanced_bandits.bandits.lints", "LinUCB": "balanced_bandits.bandits.linucb"}


def bandit_module(name: str) -> ModuleType:
    """The module of the bandit ``name``; it offers ``play``."""
    return importlib.import_module(MODULES[name])
