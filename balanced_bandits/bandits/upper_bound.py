"""How LinUCB and BLUCB choose an arm: lines 5-8 of Algorithm 2."""

import numpy as np

from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.ridge import best_of, predict, someone_is_new


@tight
def choose(memory, z, options, rng):
    """Return the arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    if someone_is_new(memory.arms):
        return int(rng.random() * memory.means.size), True
    for a in range(memory.means.size):
        mean, deviation = predict(memory.arms, a, z)
        memory.values[a] = mean + options.alpha * deviation
    return best_of(memory.values, rng), False


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice, which is deterministic once every arm has an estimate."""
    if uniform:
        return np.full(memory.means.size, 1.0 / memory.means.size)
    probabilities = np.zeros(memory.means.size)
    probabilities[arm] = 1.0
    return probabilities
