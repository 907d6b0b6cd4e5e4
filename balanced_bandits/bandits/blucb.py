"""BLUCB: balanced linear UCB (Algorithm 2 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.memory import (
    NEXT_TURN,
    ROUNDS,
    is_due,
    keep_look,
    later,
    new_memory,
    new_record,
    note,
    refit,
    remember,
    rows_of,
    use_look,
)
from balanced_bandits.bandits.upper_bound import choose, propensities
from balanced_bandits.compilation import kernel, tight, uncounted
from balanced_bandits.estimation.logistic import fit_logistic, probabilities, probability


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 10: observe the reward of ``arm`` at ``z``. Until the next refresh its propensity is by the last fit."""
    propensity = probability(memory.coefficients, z, memory.means.size, arm)
    remember(memory, z, arm, reward, 1.0 / max(options.gamma, propensity), uniform, known, options)


@kernel
def refresh(memory, arm, options, rng):
    """Lines 11-19: when it is due, estimate propensities, weights and the arm's estimate anew."""
    clock, pulls = memory.clock, memory.arms.pulls
    now = clock[ROUNDS]
    if now >= clock[NEXT_TURN]:
        if pulls.min() > 0:
            fit_logistic(
                memory.coefficients, memory.rows[:now], memory.chosen[:now], pulls.size, options.ones,
                options.penalty_c, options.tolerance,
            )  # fmt: skip
        clock[NEXT_TURN] = later(now, options)
    if pulls[arm] >= memory.due[arm]:
        balance(memory, arm, options)
        refit(memory, arm, options)


@kernel
def balance(memory, arm, options):
    """Lines 11-14: weights 1 / max(gamma, estimated propensity) on the arm's own history, all computed anew."""
    places = rows_of(memory, arm)
    estimated = probabilities(memory.coefficients, memory.rows[places], memory.arms.pulls.size)
    for i in range(places.size):
        memory.weights[places[i]] = 1.0 / max(options.gamma, estimated[i, arm])


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


class BLUCB(LinearBandit):
    """Balanced linear upper confidence bounds; see ``LinearBandit``."""

    BALANCED = True
    THOMPSON = False
    _play = staticmethod(play)
    _decide = staticmethod(decide)
    _propensities = staticmethod(propensities)
    _learn = staticmethod(learn)
