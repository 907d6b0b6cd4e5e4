"""BLUCB: balanced linear UCB (Algorithm 2 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import (
    later,
    new_memory,
    refit,
    remember,
)
from balanced_bandits.bandits.upper_bound import choose, propensities
from balanced_bandits.compilation import tight, written_out
from balanced_bandits.estimation.logistic import fit_logistic, probability


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 10: observe the reward of ``arm`` at ``z``. Until the next refresh its propensity is by the last fit."""
    propensity = probability(memory.coefficients, z, memory.means.size, arm)
    remember(memory, z, arm, reward, 1.0 / max(options.gamma, propensity), uniform, known, options)


@written_out
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


@written_out
def balance(memory, arm, options):
    """Lines 11-14: weights 1 / max(gamma, estimated propensity) on the arm's own history, all computed anew."""
    t = memory.last[arm]
    while t >= 0:
        estimated = probability(memory.coefficients, memory.rows[t], memory.arms.pulls.size, arm)
        memory.weights[t] = 1.0 / max(options.gamma, estimated)
        t = memory.before[t]


class BLUCB(LinearBandit):
    """Balanced linear upper confidence bounds; see ``LinearBandit``."""

    BALANCED = True
    THOMPSON = False
    LOOPS = loops("BLUCB", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
