"""How LinTS and BLTS choose: lines 5-9 of Algorithm 1."""

import numpy as np

from balanced_bandits.compilation import kernel, tight
from balanced_bandits.estimation.propensity import win_probabilities
from balanced_bandits.estimation.ridge import best_of, predict, someone_is_new


@tight
def look(memory, z, options):
    """Find the posterior mean and deviation of every arm's reward at ``z``."""
    for a in range(memory.means.size):
        mean, deviation = predict(memory.arms, a, z)
        memory.means[a], memory.deviations[a] = mean, options.alpha * deviation


@tight
def choose(memory, z, options, rng):
    """The arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    if someone_is_new(memory.arms):
        return int(rng.random() * memory.means.size), True
    look(memory, z, options)
    for a in range(memory.means.size):
        # x'theta~ with theta~ ~ N(theta, alpha^2 V) is N(x'theta, alpha^2 x'Vx): one scalar is drawn, no vector
        memory.values[a] = memory.means[a] + memory.deviations[a] * rng.standard_normal()
    return best_of(memory.values, rng), False


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the choice that was made last."""
    if uniform:
        return np.full(memory.means.size, 1.0 / memory.means.size)
    return win_probabilities(memory.means, memory.deviations)
