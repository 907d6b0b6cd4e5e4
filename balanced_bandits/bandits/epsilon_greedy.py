"""EpsilonGreedy: a random arm with probability epsilon, otherwise the arm with the best estimate. Not in the paper."""

from collections.abc import Mapping, Sequence

import numpy as np

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import loops
from balanced_bandits.bandits.memory import new_memory, refresh_unbalanced, take_unbalanced
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.ridge import best_of, predict, someone_is_new


@tight
def choose(memory, z, options, rng):
    """Return the arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    number = memory.values.size
    if someone_is_new(memory.arms):
        return int(rng.random() * number), True
    for a in range(number):
        memory.values[a], _ = predict(memory.arms, a, z)
    if rng.random() < options.epsilon:
        return int(rng.random() * number), False
    return best_of(memory.values, rng), False


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice."""
    number = memory.values.size
    if uniform:
        return np.full(number, 1.0 / number)
    best = memory.values == memory.values.max()
    return options.epsilon / number + (1.0 - options.epsilon) * best / best.sum()


class EpsilonGreedy(LinearBandit):
    """Plays a random arm with probability epsilon, and otherwise the arm with the largest estimate."""

    LOOPS = loops(
        "EpsilonGreedy", new_memory=new_memory, choose=choose, take=take_unbalanced, refresh=refresh_unbalanced
    )
    _propensities = staticmethod(propensities)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        epsilon: float = DEFAULTS["epsilon"],
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        lams_unit: str = DEFAULTS["lams_unit"],
        criterion: str = DEFAULTS["criterion"],
        ties: str = DEFAULTS["ties"],
        folds: int = DEFAULTS["folds"],
        schedule: str | Mapping[str, float] = DEFAULTS["schedule"],
    ) -> None:
        self._start(locals())
