"""BLTS: balanced linear Thompson sampling (Algorithm 1 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import (
    COUNTED,
    SEEN,
    UNIFORM,
    later,
    new_memory,
    refit,
    remember,
)
from balanced_bandits.bandits.thompson import choose, look, propensities
from balanced_bandits.compilation import kernel, tight, written_out
from balanced_bandits.estimation.propensity import (
    ASSIGNMENT,
    EXACT,
    add_shares,
    keep_posterior,
    monte_carlo_propensity,
    win_probability,
)
from balanced_bandits.estimation.ridge import mirror


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 11: observe the reward of ``arm`` at ``z``. Until the next refresh its propensity is that of the choice."""
    propensity = 1.0 / memory.means.size
    if not uniform:
        if not known:
            look(memory, z, options)
        propensity = win_probability(memory.means, memory.deviations, arm, memory.nodes)
    remember(memory, z, arm, reward, 1.0 / max(options.gamma, propensity), uniform, known, options)


@written_out
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
    for a in range(arms.pulls.size):
        mirror(arms, a)
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


@written_out
def balance(memory, arm, options, rng):
    """Lines 12-15: weights 1 / max(gamma, propensity) on the arm's own history, all computed anew."""
    if options.method == ASSIGNMENT:
        return
    clock, number = memory.clock, memory.arms.pulls.size
    total = clock[UNIFORM] + clock[COUNTED]
    tau = memory.last[arm]
    while tau >= 0:
        if tau < clock[SEEN]:
            if options.method == EXACT:
                propensity = (memory.shares[tau] + clock[UNIFORM] / number) / total
            else:
                propensity = monte_carlo_propensity(
                    memory.posteriors, clock[UNIFORM], memory.rows[tau], arm, options.draws, rng
                )
            memory.weights[tau] = 1.0 / max(options.gamma, propensity)
        tau = memory.before[tau]


class BLTS(LinearBandit):
    """Balanced linear Thompson sampling; see ``LinearBandit``."""

    BALANCED = True
    THOMPSON = True
    LOOPS = loops("BLTS", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
