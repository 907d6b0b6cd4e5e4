"""How LinTS and BLTS choose an arm: lines 5-9 of Algorithm 1."""

import numpy as np

from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.propensity import win_probabilities
from balanced_bandits.estimation.ridge import best_of, predict, someone_is_new


@tight
def look(memory, z, options):
    """Compute the posterior mean and scaled standard deviation of every arm's reward at ``z``."""
    for a in range(memory.means.size):
        mean, deviation = predict(memory.arms, a, z)
        memory.means[a], memory.deviations[a] = mean, options.alpha * deviation


@tight
def choose(memory, z, options, rng):
    """Return the arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    if someone_is_new(memory.arms):
        return int(rng.random() * memory.means.size), True
    look(memory, z, options)
    for a in range(memory.means.size):
        # for theta~ ~ N(theta, alpha^2 V), x'theta~ is N(x'theta, alpha^2 x'Vx): draw a scalar instead of a vector
        memory.values[a] = memory.means[a] + memory.deviations[a] * rng.standard_normal()
    return best_of(memory.values, rng), False


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice."""
    if uniform:
        return np.full(memory.means.size, 1.0 / memory.means.size)
    return win_probabilities(memory.means, memory.deviations)
