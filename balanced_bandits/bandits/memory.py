"""The memory of a linear bandit, and what the four of them have in common: to remember, and to fit anew."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS
from balanced_bandits.compilation import kernel, tight, written_out
from balanced_bandits.estimation.logistic import new_coefficients
from balanced_bandits.estimation.penalty import FIXED
from balanced_bandits.estimation.propensity import NODES, Posteriors, new_posteriors
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
    before: NDArray[np.int64]  # (capacity,): place of the same arm's observation before, -1 if there is none
    clock: NDArray[np.int64]
    arms: Arms
    last: NDArray[np.int64]  # (K,): place of each arm's last observation, -1 if there is none
    due: NDArray[np.int64]  # (K,): number of pulls at which an arm is refreshed
    values: NDArray[np.float64]  # (K,): scratch, what the arms are compared by
    looked_at: NDArray[np.float64]  # (p,): the context of the last look, for which arms.leverage holds
    means: NDArray[np.float64]  # (K,): what was found there
    deviations: NDArray[np.float64]  # (K,)
    nodes: NDArray[np.float64]  # scratch of win_probability
    posteriors: Posteriors
    coefficients: NDArray[np.float64]  # of the logistic regression

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "weights", "shares", "before")


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
        np.empty(capacity, dtype=np.int64),
        clock,
        new_arms(number, size, options.model),
        np.full(number, -1),
        np.full(number, FIRST_CHECK if options.model.criterion == FIXED and not options.balanced else 1),
        np.zeros(number),
        np.full(size, np.nan),
        np.zeros(number),
        np.zeros(number),
        np.zeros(NODES),
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
    memory.before[t] = memory.last[arm]
    memory.last[arm] = t
    memory.clock[ROUNDS] = t + 1
    memory.clock[UNIFORM] += 1 if uniform else 0
    observe(memory.arms, arm, z, reward, weight, known, options.model)


@kernel
def history_of(memory, arm):
    """An arm's own rows (n, p), rewards and weights, in the order of play."""
    n, size = memory.arms.pulls[arm], memory.rows.shape[1]
    rows, rewards, weights = np.empty((n, size)), np.empty(n), np.empty(n)
    t = memory.last[arm]
    for i in range(n - 1, -1, -1):
        rewards[i], weights[i] = memory.rewards[t], memory.weights[t]
        for j in range(size):
            rows[i, j] = memory.rows[t, j]
        t = memory.before[t]
    return rows, rewards, weights


@written_out
def refit(memory, arm, options):
    """Fit an arm anew from its observations and their weights."""
    rows, rewards, weights = history_of(memory, arm)
    fit(memory.arms, arm, rows, rewards, weights, options.model)
    memory.due[arm] = later(memory.arms.pulls[arm], options)


@tight
def take_unbalanced(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``, with weight 1."""
    remember(memory, z, arm, reward, 1.0, uniform, known, options)


@written_out
def refresh_unbalanced(memory, arm, options, rng):
    """Refresh an arm whose weights do not change: choose lam again; or, if it is fixed, see to rounding errors."""
    if memory.arms.pulls[arm] < memory.due[arm]:
        return
    if options.model.criterion != FIXED:
        refit(memory, arm, options)
        return
    rows, _, weights = history_of(memory, arm)
    if drift(memory.arms, arm, rows, weights, options.model) > LARGEST_DRIFT:
        refit(memory, arm, options)
    memory.due[arm] = 2 * memory.arms.pulls[arm]
