"""The memory of a linear bandit, and what the four of them have in common: to remember, and to fit anew."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS
from balanced_bandits.compilation import kernel, tight
from balanced_bandits.estimation.logistic import new_coefficients
from balanced_bandits.estimation.penalty import FIXED
from balanced_bandits.estimation.propensity import Posteriors, new_posteriors
from balanced_bandits.estimation.ridge import (
    FIRST_CHECK,
    LARGEST_DRIFT,
    Arms,
    Model,
    drift,
    fit,
    new_arms,
    observe,
)

# Further places in Memory.clock, after ROUNDS and NEXT_TURN.
UNIFORM = 2  # of them, chosen uniformly (or forced), before every arm had an estimate
COUNTED = 3  # periods whose posterior is in the propensities
SEEN = 4  # rows whose propensities have all counted periods


class Options(NamedTuple):
    """All choices of a linear bandit, for the kernels; ``options_of`` makes it from names."""

    model: Model
    alpha: float
    gamma: float
    epsilon: float
    batch: int  # refresh after this many observations more, ...
    rho: float  # ... or when their number has grown by this share, whichever is later
    method: int  # propensities of Thompson sampling: see propensity.METHODS
    draws: int  # of the method monte_carlo
    posteriors: int  # earlier posteriors that are kept; 0 for bandits that need none
    balanced: bool
    penalty_c: float  # C of the logistic regression
    tolerance: float  # of its fit: the largest gradient entry of the mean loss
    ones: int  # 1 if the first column of the contexts is that of an intercept, else 0


class Memory(NamedTuple):
    """All that a bandit knows; arrays that the kernels change in place. O(n p + K p^2)."""

    rows: NDArray[np.float64]  # (capacity, p): contexts in the order of play, the intercept's 1 first
    chosen: NDArray[np.int64]  # (capacity,)
    rewards: NDArray[np.float64]  # (capacity,)
    weights: NDArray[np.float64]  # (capacity,): 1 / max(gamma, propensity); 1 where nothing is balanced
    shares: NDArray[np.float64]  # (capacity,): sum over counted periods of the probability of the arm given
    clock: NDArray[np.int64]
    arms: Arms
    due: NDArray[np.int64]  # (K,): number of pulls at which an arm is refreshed
    values: NDArray[np.float64]  # (K,): scratch, what the arms are compared by
    looked_at: NDArray[np.float64]  # (p,): the context of the last look, for which arms.leverage holds
    means: NDArray[np.float64]  # (K,): what was found there
    deviations: NDArray[np.float64]  # (K,)
    posteriors: Posteriors
    coefficients: NDArray[np.float64]  # of the logistic regression

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "weights", "shares")


@kernel
def new_memory(capacity, number, size, options):
    """The memory of a bandit with ``number`` arms and ``size`` coefficients each, which has seen nothing."""
    clock = np.zeros(5, dtype=np.int64)
    clock[NEXT_TURN] = 1 if options.balanced else np.iinfo(np.int64).max
    return Memory(
        np.empty((capacity, size)),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.zeros(capacity),
        clock,
        new_arms(number, size, options.model),
        np.full(number, FIRST_CHECK if options.model.criterion == FIXED and not options.balanced else 1),
        np.zeros(number),
        np.full(size, np.nan),
        np.zeros(number),
        np.zeros(number),
        new_posteriors(options.posteriors, number, size),
        new_coefficients(number, size),
    )


@kernel
def later(now, options):
    """The count at which the next refresh is due: every step (batch 1, rho 0), in batches, or geometrically."""
    return max(now + options.batch, int(np.ceil(now * (1.0 + options.rho) - 1e-9)))


@tight
def remember(memory, z, arm, reward, weight, uniform, known, options):
    """Lines 15-19 of the boxes: append the observation, and update the arm's estimate by it."""
    t = memory.clock[ROUNDS]
    for j in range(z.size):
        memory.rows[t, j] = z[j]
    memory.chosen[t] = arm
    memory.rewards[t] = reward
    memory.weights[t] = weight
    memory.clock[ROUNDS] = t + 1
    memory.clock[UNIFORM] += 1 if uniform else 0
    observe(memory.arms, arm, z, reward, weight, known, options.model)


@kernel
def rows_of(memory, arm):
    """Places of an arm's observations in the memory."""
    places = np.empty(memory.arms.pulls[arm], dtype=np.int64)
    found = 0
    for t in range(memory.clock[ROUNDS]):
        if memory.chosen[t] == arm:
            places[found] = t
            found += 1
    return places


@kernel
def refit(memory, arm, options):
    """Fit an arm anew from its observations and their weights."""
    places = rows_of(memory, arm)
    fit(memory.arms, arm, memory.rows[places], memory.rewards[places], memory.weights[places], options.model)
    memory.due[arm] = later(memory.arms.pulls[arm], options)


@tight
def take_unbalanced(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``, with weight 1."""
    remember(memory, z, arm, reward, 1.0, uniform, known, options)


@kernel
def refresh_unbalanced(memory, arm, options, rng):
    """Refresh an arm whose weights do not change: choose lam again; or, if it is fixed, see to rounding errors."""
    if memory.arms.pulls[arm] < memory.due[arm]:
        return
    if options.model.criterion != FIXED:
        refit(memory, arm, options)
    else:
        places = rows_of(memory, arm)
        if drift(memory.arms, arm, memory.rows[places], memory.weights[places], options.model) > LARGEST_DRIFT:
            refit(memory, arm, options)
        memory.due[arm] = 2 * memory.arms.pulls[arm]
