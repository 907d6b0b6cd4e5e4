"""SquareCB: inverse gap weighting (Foster and Rakhlin, "Beyond UCB", ICML 2020). Not in the paper.

In round t, with estimates m of the K arms at the context, every arm a but the best one is drawn with probability

    p(a) = 1 / (K + gamma_t (max m - m(a)))

and the best one with what remains, which is at least 1 / K. In their theory gamma is constant, of the order of
sqrt(K T / regret of the regression); as in Vowpal Wabbit, gamma_t = gamma_scale sqrt(t) needs no horizon. The estimates
are the ridge regressions that the linear bandits share. Arms whose estimates are equally the best share what remains,
as if one of them were declared the best at random.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from balanced_bandits.bandits.drawing import draw
from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import ROUNDS, loops
from balanced_bandits.bandits.memory import new_memory, refresh_unbalanced, take_unbalanced
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.ridge import predict, someone_is_new


@tight
def choose(memory, z, options, rng):
    """Return the arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    number = memory.values.size
    if someone_is_new(memory.arms):
        return int(rng.random() * number), True
    for a in range(number):
        memory.means[a], _ = predict(memory.arms, a, z)
    weigh_gaps(memory.means, options.gamma_scale * math.sqrt(memory.clock[ROUNDS] + 1.0), memory.values)
    return draw(memory.values, rng), False


@tight
def weigh_gaps(means, gamma, result):
    """Write the probabilities of all arms, given their estimates, to ``result``."""
    highest, ties, rest = means[0], 0, 1.0
    for a in range(1, means.size):
        highest = max(highest, means[a])
    for a in range(means.size):
        if means[a] == highest:
            ties += 1
        else:
            result[a] = 1.0 / (means.size + gamma * (highest - means[a]))
            rest -= result[a]
    for a in range(means.size):
        if means[a] == highest:
            result[a] = rest / ties


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice."""
    if uniform:
        return np.full(memory.values.size, 1.0 / memory.values.size)
    return memory.values.copy()


class SquareCB(LinearBandit):
    """Inverse gap weighting (Foster and Rakhlin 2020) on one ridge regression per arm.

    Arm a has probability 1 / (K + gamma_t gap(a)), where the gap is that between the best estimate and its own; the
    best arm has the rest.
    """

    LOOPS = loops("SquareCB", new_memory=new_memory, choose=choose, take=take_unbalanced, refresh=refresh_unbalanced)
    _propensities = staticmethod(propensities)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        gamma_scale: float = DEFAULTS["gamma_scale"],
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        lams_unit: str = DEFAULTS["lams_unit"],
        criterion: str = DEFAULTS["criterion"],
        ties: str = DEFAULTS["ties"],
        folds: int = DEFAULTS["folds"],
        schedule: str | Mapping[str, float] = DEFAULTS["schedule"],
    ) -> None:
        self._start(locals())
