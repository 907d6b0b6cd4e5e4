"""A classification dataset as a bandit problem (section 4.2): an arm a class, reward 1 for the right one."""

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.simulation.streams import stream


def rewards_of(y: NDArray[np.int64], arms: int) -> NDArray[np.float64]:
    """Rewards (n, K): r_t(a) = 1 if a is the class of row t, else 0."""
    rewards = np.zeros((len(y), arms))
    rewards[np.arange(len(y)), y] = 1.0
    return rewards


def shuffled(n: int, seed: int, dataset: str, shuffle: int) -> NDArray[np.int64]:
    """The order in which shuffle number ``shuffle`` plays the rows, the same for every bandit and setting."""
    return stream(seed, "classification", dataset, "order", shuffle).permutation(n)
