"""LinUCB: linear upper confidence bounds (section 2.2 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import loops
from balanced_bandits.bandits.memory import (
    new_memory,
    refresh_unbalanced,
    remember,
)
from balanced_bandits.bandits.upper_bound import choose, propensities
from balanced_bandits.compilation import kernel, tight


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``."""
    remember(memory, z, arm, reward, 1.0, uniform, known, options)


@kernel
def refresh(memory, arm, options, rng):
    """Choose the arm's lambda again, when that is due."""
    refresh_unbalanced(memory, arm, options)


class LinUCB(LinearBandit):
    """Linear upper confidence bounds; see ``LinearBandit``."""

    BALANCED = False
    THOMPSON = False
    LOOPS = loops("LinUCB", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
