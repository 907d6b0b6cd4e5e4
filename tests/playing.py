"""Compiled runs of the bandits on small problems, for several tests."""

import numpy as np

from balanced_bandits.bandits import bandit_class
from balanced_bandits.bandits.base import design
from balanced_bandits.core.streams import stream

LINEAR = ("LinTS", "LinUCB", "BLTS", "BLUCB")
NOTHING = np.empty(0, dtype=np.int64)


def problem(seed, n, d, K):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    return contexts, contexts @ rng.standard_normal((d, K)) * 0.3 + rng.standard_normal((n, K)) * 0.2


def played(name, contexts, rewards, seed=0, forced=NOTHING, snapshots=NOTHING, **choices):
    """The arms of a compiled run, and the whole of what it gives."""
    cls = bandit_class(name)
    rows = design(contexts, choices.get("intercept", "unpenalised"))
    record, memory = cls.LOOPS.play(
        rows, rewards, np.arange(len(rows)), forced, snapshots, cls.options(choices), stream(seed, "play")
    )
    return memory.chosen, record, memory
