"""Residual balancing as the weights of BLTS and BLUCB, in place of inverse propensities (section 2.3 of the paper)."""

import numpy as np

from balanced_bandits.bandits.loop import ROUNDS
from balanced_bandits.bandits.memory import SUMMED, history_of
from balanced_bandits.core.kernels import written_out
from balanced_bandits.estimation.residual_balancing import balance_rows
from balanced_bandits.estimation.ridge import forget


@written_out
def balance_residuals(memory, arm, options):
    """Recompute the weights of the arm's own history, so that its mean context is close to that of all rounds so far.

    The weights of section 2.3 sum to 1. Here they are multiplied by the number of observations: on average they are 1,
    as without balancing, and a penalty lambda means the same.
    """
    clock, total, mean = memory.clock, memory.context_sum, np.empty(memory.context_sum.size)
    for t in range(clock[SUMMED], clock[ROUNDS]):
        for j in range(total.size):
            total[j] += memory.rows[t, j]
    clock[SUMMED] = clock[ROUNDS]
    for j in range(total.size):
        mean[j] = total[j] / clock[ROUNDS]
    rows, _, weights = history_of(memory, arm)
    balance_rows(rows, mean, options.zeta, memory.multipliers[arm], weights)
    t = memory.last[arm]
    for i in range(weights.size - 1, -1, -1):
        memory.weights[t] = weights.size * weights[i]
        t = memory.before[t]
    forget(memory.arms, arm)
