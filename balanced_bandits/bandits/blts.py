"""BLTS: balanced linear Thompson sampling (Algorithm 1 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.memory import (
    COUNTED,
    NEXT_TURN,
    ROUNDS,
    SEEN,
    UNIFORM,
    is_due,
    keep_look,
    later,
    new_memory,
    new_record,
    note,
    refit,
    remember,
    use_look,
)
from balanced_bandits.bandits.thompson import choose, look, propensities
from balanced_bandits.compilation import kernel, tight, uncounted
from balanced_bandits.estimation.propensity import (
    ASSIGNMENT,
    EXACT,
    add_shares,
    keep_posterior,
    monte_carlo_propensity,
    win_probability,
)


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 11: observe the reward of ``arm`` at ``z``. Until the next refresh its propensity is that of the choice."""
    propensity = 1.0 / memory.means.size
    if not uniform:
        if not known:
            look(memory, z, options)
        propensity = win_probability(memory.means, memory.deviations, arm)
    remember(memory, z, arm, reward, 1.0 / max(options.gamma, propensity), uniform, known, options)


@kernel
def refresh(memory, arm, options, rng):
    """Lines 12-20: when it is due, compute propensities, weights and the arm's estimate anew."""
    clock = memory.clock
    if clock[ROUNDS] >= clock[NEXT_TURN]:
        if options.method != ASSIGNMENT:
            count_periods(memory, options)
        clock[NEXT_TURN] = later(clock[ROUNDS], options)
    if memory.arms.pulls[arm] >= memory.due[arm]:
        balance(memory, arm, options, rng)
        refit(memory, arm, options)


@kernel
def count_periods(memory, options):
    """Bring the propensities of all observations up to date, the present posterior standing for the last periods."""
    clock, store, arms = memory.clock, memory.posteriors, memory.arms
    now, seen = clock[ROUNDS], clock[SEEN]
    periods = now - clock[UNIFORM] - clock[COUNTED]
    if options.method == EXACT:
        for c in range(store.number[0]):
            add_shares(
                memory.rows[seen:now], memory.chosen[seen:now], store.theta[c], store.inverse[c], store.scale[c],
                store.periods[c], memory.shares[seen:now],
            )  # fmt: skip
        if periods > 0:
            add_shares(
                memory.rows[:now], memory.chosen[:now], arms.theta, arms.inverse, options.alpha**2 * arms.scale,
                periods, memory.shares[:now],
            )  # fmt: skip
    if periods > 0:
        keep_posterior(store, arms, options.alpha, periods)
    clock[COUNTED] += periods
    clock[SEEN] = now


@kernel
def balance(memory, arm, options, rng):
    """Lines 12-15: weights 1 / max(gamma, propensity) on the arm's own history, all computed anew."""
    if options.method == ASSIGNMENT:
        return
    clock, number = memory.clock, memory.arms.pulls.size
    for tau in range(clock[SEEN]):
        if memory.chosen[tau] == arm:
            if options.method == EXACT:
                total = clock[UNIFORM] + clock[COUNTED]
                propensity = (memory.shares[tau] + clock[UNIFORM] / number) / total
            else:
                propensity = monte_carlo_propensity(
                    memory.posteriors, clock[UNIFORM], memory.rows[tau], arm, options.draws, rng
                )
            memory.weights[tau] = 1.0 / max(options.gamma, propensity)


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


class BLTS(LinearBandit):
    """Balanced linear Thompson sampling; see ``LinearBandit``."""

    BALANCED = True
    THOMPSON = True
    _play = staticmethod(play)
    _decide = staticmethod(decide)
    _propensities = staticmethod(propensities)
    _learn = staticmethod(learn)
