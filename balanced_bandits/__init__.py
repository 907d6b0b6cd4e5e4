"""Balanced linear contextual bandits (Dimakopoulou, Zhou, Athey, Imbens; AAAI 2019).

The bandits can be imported from here: ``from balanced_bandits import BLTS``. Each bandit, and Numba with it, is loaded
on first access.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from balanced_bandits.bandits.blts import BLTS
    from balanced_bandits.bandits.blucb import BLUCB
    from balanced_bandits.bandits.drts import DRTS
    from balanced_bandits.bandits.epsilon_greedy import EpsilonGreedy
    from balanced_bandits.bandits.greedy import Greedy
    from balanced_bandits.bandits.iltcb import ILTCB
    from balanced_bandits.bandits.lints import LinTS
    from balanced_bandits.bandits.linucb import LinUCB
    from balanced_bandits.bandits.squarecb import SquareCB
    from balanced_bandits.bandits.uniform import Uniform

__version__ = "0.1.0"
__all__ = ["BLTS", "BLUCB", "DRTS", "ILTCB", "EpsilonGreedy", "Greedy", "LinTS", "LinUCB", "SquareCB", "Uniform"]


def __getattr__(name: str) -> Any:
    from balanced_bandits.bandits import BANDITS, bandit_class

    if name in BANDITS:
        return bandit_class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
