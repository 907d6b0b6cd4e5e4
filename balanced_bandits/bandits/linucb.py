"""LinUCB: linear upper confidence bounds (section 2.2 of the paper)."""

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import loops
from balanced_bandits.bandits.memory import new_memory, refresh_unbalanced, take_unbalanced
from balanced_bandits.bandits.upper_bound import choose, propensities


class LinUCB(LinearBandit):
    """Linear upper confidence bounds; see ``LinearBandit``."""

    THOMPSON = False
    LOOPS = loops("LinUCB", new_memory=new_memory, choose=choose, take=take_unbalanced, refresh=refresh_unbalanced)
    _propensities = staticmethod(propensities)
