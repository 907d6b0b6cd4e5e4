"""The loop of the boxes, written once: choose, observe, refresh.

A bandit is four kernels on a memory of its own:

    new_memory(capacity, arms, size, options)                  what it knows, at first nothing
    choose(memory, z, options, rng) -> arm, uniform            lines 5-9 of the boxes
    take(memory, z, arm, reward, uniform, known, options)      line 11: one observation, by arithmetic only
    refresh(memory, arm, options, rng)                         lines 12-20: what is due is computed anew

``loops`` makes of them the compiled loop over whole runs and the single steps of the object face. The memory is a
NamedTuple of arrays, among them ``clock`` (observations so far at place ROUNDS, and at NEXT_TURN the number at which a
refresh is due), ``due`` (the number of pulls at which an arm's refresh is), ``chosen``, ``looked_at``, and under
``arms`` the arms' ``pulls`` and ``theta``.
"""

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.compilation import kernel, tight, uncounted

ROUNDS = 0
NEXT_TURN = 1

# The bandit's own; see ``loops``.
new_memory: Any = None
choose: Any = None
take: Any = None
refresh: Any = None
rounds: Any = None


class Loops(NamedTuple):
    """The compiled faces of one bandit."""

    play: Callable[..., Any]
    decide: Callable[..., Any]
    learn: Callable[..., Any]


class Record(NamedTuple):
    """What a compiled run leaves, besides the memory."""

    thetas: NDArray[np.float64]  # (snapshots, K, p): coefficients after each of the numbers of rounds asked for
    taken: NDArray[np.int64]  # (1,): snapshots taken so far


@tight
def note(record, memory, snapshots):
    """Take a snapshot of the coefficients if one is due after the rounds so far (``snapshots`` ascend)."""
    while record.taken[0] < snapshots.size and snapshots[record.taken[0]] == memory.clock[ROUNDS]:
        for a in range(memory.arms.theta.shape[0]):
            for j in range(memory.arms.theta.shape[1]):
                record.thetas[record.taken[0], a, j] = memory.arms.theta[a, j]
        record.taken[0] += 1


@tight
def is_due(memory, arm):
    """Whether something is to be refreshed after an observation of ``arm``."""
    return memory.arms.pulls[arm] >= memory.due[arm] or memory.clock[ROUNDS] >= memory.clock[NEXT_TURN]


@tight
def keep_look(memory, z):
    """Keep in mind that the arms were looked at for this context."""
    for j in range(z.size):
        memory.looked_at[j] = z[j]


@tight
def use_look(memory, z):
    """Whether the arms were looked at for just this context and nothing has changed since; it is then forgotten."""
    same = True
    for j in range(z.size):
        same &= memory.looked_at[j] == z[j]
    memory.looked_at[0] = np.nan
    return same


def _rounds(rows, rewards, order, forced, snapshots, start, memory, record, options, rng):
    """Play from round ``start`` on, until something is to be refreshed; gives the next round."""
    for t in range(start, order.size):
        note(record, memory, snapshots)
        z = rows[order[t]]
        arm, uniform = (forced[t], True) if t < forced.size else choose(memory, z, options, rng)
        take(memory, z, arm, rewards[order[t], arm], uniform, not uniform, options)
        if is_due(memory, arm):
            return t + 1
    return order.size


def _play(rows, rewards, order, forced, snapshots, options, rng):
    """A whole run: the rounds ``order`` of contexts ``rows`` (n, p) and ``rewards`` (n, K).

    The first rounds play the arms ``forced`` (a warm start). Gives a ``Record`` and the memory at the end.
    """
    memory = new_memory(order.size, rewards.shape[1], rows.shape[1], options)
    number, size = memory.arms.theta.shape
    record = Record(np.zeros((snapshots.size, number, size)), np.zeros(1, dtype=np.int64))
    t = memory.clock[ROUNDS]  # 0, but not as a literal, for which Numba would compile ``rounds`` a second time
    while t < order.size:
        t = rounds(rows, rewards, order, forced, snapshots, t, memory, record, options, rng)
        refresh(memory, memory.chosen[t - 1], options, rng)
    note(record, memory, snapshots)
    return record, memory


def _decide(memory, z, options, rng):
    """One choice: the arm, and whether it was drawn uniformly."""
    arm, uniform = choose(memory, z, options, rng)
    if not uniform:
        keep_look(memory, z)
    return arm, uniform


def _learn(memory, z, arm, reward, uniform, options, rng):
    """One observation."""
    take(memory, z, arm, reward, uniform, use_look(memory, z), options)
    refresh(memory, arm, options, rng)


def loops(name: str, **kernels: Callable[..., Any]) -> Loops:
    """Compile the loop for the bandit ``name`` with its own ``new_memory``, ``choose``, ``take`` and ``refresh``.

    A kernel that gets other kernels as arguments, or encloses them, can't be found again in Numba's cache by the next
    process. So the functions above are copied for each bandit, and find its kernels where they look for global names.
    """
    names = globals() | kernels

    def copy(template: Any) -> types.FunctionType:
        function = types.FunctionType(template.__code__, names, template.__name__)
        function.__qualname__ = f"{name}.{template.__name__}"  # names the file in the cache
        function.__doc__ = template.__doc__
        return function

    names["rounds"] = uncounted(copy(_rounds))
    return Loops(kernel(copy(_play)), kernel(copy(_decide)), kernel(copy(_learn)))
