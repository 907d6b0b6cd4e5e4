"""LinUCB: linear upper confidence bounds (section 2.2 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.memory import (
    is_due,
    keep_look,
    new_memory,
    new_record,
    note,
    refresh_unbalanced,
    remember,
    use_look,
)
from balanced_bandits.bandits.upper_bound import choose, propensities
from balanced_bandits.compilation import kernel, tight, uncounted


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``."""
    remember(memory, z, arm, reward, 1.0, uniform, known, options)


@kernel
def refresh(memory, arm, options, rng):
    """Choose the arm's lambda again, when that is due."""
    refresh_unbalanced(memory, arm, options)


@uncounted
def rounds(rows, rewards, order, forced, snapshots, start, memory, record, options, rng):
    """Play from round ``start`` on, until something is to be refreshed; gives the next round."""
    for t in range(start, order.size):
        note(record, memory, snapshots)
        z = rows[order[t]]
        arm, uniform = (forced[t], True) if t < forced.size else choose(memory, z, options, rng)
        take(memory, z, arm, rewards[order[t], arm], uniform, not uniform, options)
        if is_due(memory, arm):
            return t + 1
    return order.size


@kernel
def play(rows, rewards, order, forced, snapshots, options, rng):
    """A whole run: the rounds ``order`` of contexts ``rows`` (n, p) and ``rewards`` (n, K).

    The first rounds play the arms ``forced`` (a warm start). Gives a ``Record`` and the ``Memory`` at the end.
    """
    memory = new_memory(order.size, rewards.shape[1], rows.shape[1], options)
    record = new_record(memory, snapshots)
    t = 0
    while t < order.size:
        t = rounds(rows, rewards, order, forced, snapshots, t, memory, record, options, rng)
        refresh(memory, memory.chosen[t - 1], options, rng)
    note(record, memory, snapshots)
    return record, memory


@kernel
def decide(memory, z, options, rng):
    """One choice: the arm, and whether it was drawn uniformly."""
    arm, uniform = choose(memory, z, options, rng)
    if not uniform:
        keep_look(memory, z)
    return arm, uniform


@kernel
def learn(memory, z, arm, reward, uniform, options, rng):
    """One observation."""
    take(memory, z, arm, reward, uniform, use_look(memory, z), options)
    refresh(memory, arm, options, rng)


class LinUCB(LinearBandit):
    """Linear upper confidence bounds; see ``LinearBandit``."""

    BALANCED = False
    THOMPSON = False
    _play = staticmethod(play)
    _decide = staticmethod(decide)
    _propensities = staticmethod(propensities)
    _learn = staticmethod(learn)
