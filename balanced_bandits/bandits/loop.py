"""The loop of the algorithm boxes, shared by all bandits: choose, observe, refresh.

A bandit consists of four kernels that operate on its memory:

    new_memory(capacity, arms, size, options)                  the initial state
    choose(memory, z, options, rng) -> arm, uniform            the box up to "Select a"
    take(memory, z, arm, reward, uniform, known, options)      "Observe reward": one observation, creating no arrays
    refresh(memory, arm, options, rng)                         the rest of the box: recompute what is due

``loops`` compiles them into a loop over whole runs and into the single steps of a bandit object. The memory is a
NamedTuple of arrays. It has at least ``clock`` (at index ROUNDS the number of observations so far, at NEXT_TURN the
number at which the next refresh is due), ``due`` (for each arm, the number of pulls at which its refresh is due),
``chosen``, ``looked_at``, and ``arms`` with ``pulls`` and ``theta`` of the arms.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.specialise import specialised
from balanced_bandits.core.kernels import kernel, tight, uncounted

ROUNDS = 0
NEXT_TURN = 1

# Placeholders: ``loops`` replaces these names with the kernels of the bandit.
new_memory: Any = None
choose: Any = None
take: Any = None
refresh: Any = None
rounds: Any = None


class Loops(NamedTuple):
    """The compiled functions of one bandit."""

    play: Callable[..., Any]
    decide: Callable[..., Any]
    learn: Callable[..., Any]


class Record(NamedTuple):
    """The results of a compiled run, besides the memory."""

    thetas: NDArray[np.float64]  # (snapshots, K, p): coefficients after each requested number of rounds
    taken: NDArray[np.int64]  # (1,): number of snapshots taken so far


@tight
def note(record, memory, snapshots):
    """Take a snapshot of the coefficients if one is due after the rounds so far (``snapshots`` are ascending)."""
    while record.taken[0] < snapshots.size and snapshots[record.taken[0]] == memory.clock[ROUNDS]:
        for a in range(memory.arms.theta.shape[0]):
            for j in range(memory.arms.theta.shape[1]):
                record.thetas[record.taken[0], a, j] = memory.arms.theta[a, j]
        record.taken[0] += 1


@tight
def is_due(memory, arm):
    """Whether a refresh is due after an observation of ``arm``."""
    return memory.arms.pulls[arm] >= memory.due[arm] or memory.clock[ROUNDS] >= memory.clock[NEXT_TURN]


@tight
def keep_look(memory, z):
    """Record that the arms were evaluated at context ``z``."""
    for j in range(z.size):
        memory.looked_at[j] = z[j]


@tight
def use_look(memory, z):
    """Whether the arms were last evaluated at ``z`` and nothing has changed since; clears the record."""
    same = True
    for j in range(z.size):
        same &= memory.looked_at[j] == z[j]
    memory.looked_at[0] = np.nan
    return same


def _rounds(rows, rewards, order, forced, snapshots, start, memory, record, options, rng):
    """Play from round ``start`` until a refresh is due; returns the next round."""
    for t in range(start, order.size):
        note(record, memory, snapshots)
        z = rows[order[t]]
        arm, uniform = (forced[t], True) if t < forced.size else choose(memory, z, options, rng)
        take(memory, z, arm, rewards[order[t], arm], uniform, not uniform, options)
        if is_due(memory, arm):
            return t + 1
    return order.size


def _play(rows, rewards, order, forced, snapshots, options, rng):
    """Play a whole run: the rounds ``order`` of contexts ``rows`` (n, p) and ``rewards`` (n, K).

    The first rounds play the ``forced`` arms (a warm start). Returns a ``Record`` and the final memory.
    """
    memory = new_memory(order.size, rewards.shape[1], rows.shape[1], options)
    number, size = memory.arms.theta.shape
    record = Record(np.zeros((snapshots.size, number, size)), np.zeros(1, dtype=np.int64))
    t = memory.clock[ROUNDS]  # 0; with a literal, Numba would compile ``rounds`` twice
    while t < order.size:
        t = rounds(rows, rewards, order, forced, snapshots, t, memory, record, options, rng)
        refresh(memory, memory.chosen[t - 1], options, rng)
    note(record, memory, snapshots)
    return record, memory


def _decide(memory, z, options, rng):
    """Make one choice; returns the arm, and whether it was drawn uniformly."""
    arm, uniform = choose(memory, z, options, rng)
    if not uniform:
        keep_look(memory, z)
    return arm, uniform


def _learn(memory, z, arm, reward, uniform, options, rng):
    """Process one observation."""
    take(memory, z, arm, reward, uniform, use_look(memory, z), options)
    refresh(memory, arm, options, rng)


def loops(bandit: str, **kernels: Callable[..., Any]) -> Loops:
    """Compile the loop for a bandit with the given kernels ``new_memory``, ``choose``, ``take`` and ``refresh``."""
    names = globals() | kernels
    names["rounds"] = uncounted(specialised(_rounds, bandit, names))
    return Loops(*(kernel(specialised(template, bandit, names)) for template in (_play, _decide, _learn)))
