"""The memory of a linear bandit, and the kernels that linear bandits share: storing observations and refitting arms."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS
from balanced_bandits.core.kernels import kernel, tight, written_out
from balanced_bandits.estimation.logistic import new_coefficients
from balanced_bandits.estimation.penalty import FIXED
from balanced_bandits.estimation.propensity import NODES, Posteriors, new_posteriors
from balanced_bandits.estimation.residual_balancing import RESIDUAL_BALANCING
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

# Further indices into Memory.clock, after ROUNDS and NEXT_TURN.
UNIFORM = 2  # rounds in which the arm was chosen uniformly (or forced), before every arm had an estimate
COUNTED = 3  # periods that are included in the propensities; for BLUCB, the rounds in its last logistic regression
COUNT_AT = 4  # number of rounds at which the next interval of periods is counted
PICTURE_AT = 5  # number of rounds after which the posterior that represents the interval is kept; -1 once it is
SUMMED = 6  # rounds that are included in Memory.context_sum


class Options(NamedTuple):
    """All parameters of a linear bandit, for the kernels; made by ``LinearBandit._options``."""

    model: Model
    alpha: float
    gamma: float
    epsilon: float
    gamma_scale: float  # of SquareCB
    batch: int  # refresh after this many more observations, ...
    rho: float  # ... or when their number has grown by this share, whichever is later
    count_batch: int  # the same for propensities
    count_rho: float
    method: int  # propensities of Thompson sampling: see propensity.METHODS
    draws: int  # for the method monte_carlo
    posteriors: int  # number of earlier posteriors to keep; 0 for bandits that need none, -1 for all
    balanced: bool
    weights: int  # of a balanced bandit: see residual_balancing.WEIGHTS
    zeta: float  # of residual balancing
    penalty_c: float  # C of the logistic regression
    tolerance: float  # of its fit: the largest entry of the gradient of the mean loss
    ones: int  # 1 if the first column of the contexts is the intercept, else 0


class Memory(NamedTuple):
    """The state of a bandit: arrays that the kernels change in place. O(n p + K p^2)."""

    rows: NDArray[np.float64]  # (capacity, p): contexts in the order of play, the intercept's 1 first
    chosen: NDArray[np.int64]  # (capacity,)
    rewards: NDArray[np.float64]  # (capacity,)
    weights: NDArray[np.float64]  # (capacity,): see ``weights`` of Options; 1 for bandits that are not balanced
    shares: NDArray[np.float64]  # (capacity,): sum over counted periods of the probability of its arm; NaN if not known
    before: NDArray[np.int64]  # (capacity,): index of the same arm's previous observation, -1 if there is none
    clock: NDArray[np.int64]
    arms: Arms
    last: NDArray[np.int64]  # (K,): index of each arm's last observation, -1 if there is none
    due: NDArray[np.int64]  # (K,): number of pulls at which an arm is refreshed
    weighed: NDArray[np.int64]  # (K,): periods in the propensities that an arm's weights are based on, -1 at first
    values: NDArray[np.float64]  # (K,): scratch, the scores that the arms are compared by
    looked_at: NDArray[np.float64]  # (p,): the last context evaluated, for which arms.leverage is valid
    means: NDArray[np.float64]  # (K,): posterior means there
    deviations: NDArray[np.float64]  # (K,): posterior standard deviations there, times alpha
    nodes: NDArray[np.float64]  # scratch for win_probability
    posteriors: Posteriors
    coefficients: NDArray[np.float64]  # of the logistic regression
    context_sum: NDArray[np.float64]  # (p,): of the contexts up to the last refresh, for residual balancing
    multipliers: NDArray[np.float64]  # (K, p): of its last solution for each arm, where the next one starts

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "weights", "shares", "before")


@kernel
def new_memory(capacity, number, size, options):
    """The memory of a new bandit with ``number`` arms and ``size`` coefficients per arm."""
    clock = np.zeros(7, dtype=np.int64)
    propensities = options.balanced and options.weights != RESIDUAL_BALANCING
    clock[NEXT_TURN] = 1 if propensities else np.iinfo(np.int64).max
    clock[COUNT_AT], clock[PICTURE_AT] = 1, -1
    kept = options.posteriors if options.posteriors >= 0 else intervals_until(capacity, options)
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
        np.full(number, -1),
        np.zeros(number),
        np.full(size, np.nan),
        np.zeros(number),
        np.zeros(number),
        np.zeros(NODES),
        new_posteriors(kept, number, size),
        new_coefficients(number, size),
        np.zeros(size),
        np.zeros((number, size)),
    )


@kernel
def later(now, batch, rho):
    """The count at which the next refresh is due: after one step (batch 1, rho 0), after a batch, or geometrically."""
    return max(now + batch, int(np.ceil(now * (1.0 + rho) - 1e-9)))


@kernel
def intervals_until(rounds, options):
    """An upper bound on the number of intervals of periods that are counted in this many rounds."""
    number, now = 1, 0
    while now < rounds:
        now = later(now, options.count_batch, options.count_rho)
        number += 1
    return number


@tight
def remember(memory, z, arm, reward, weight, uniform, known, options):
    """Lines 17-21 of Algorithm 1 (16-20 of Algorithm 2): append the observation and update the arm's estimate."""
    t = memory.clock[ROUNDS]
    for j in range(z.size):
        memory.rows[t, j] = z[j]
    memory.chosen[t] = arm
    memory.rewards[t] = reward
    memory.weights[t] = weight
    memory.shares[t] = np.nan
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
    """Refit an arm from its observations and their weights."""
    rows, rewards, weights = history_of(memory, arm)
    fit(memory.arms, arm, rows, rewards, weights, options.model)
    memory.due[arm] = later(memory.arms.pulls[arm], options.batch, options.rho)


@tight
def take_unbalanced(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``, with weight 1."""
    remember(memory, z, arm, reward, 1.0, uniform, known, options)


@written_out
def refresh_unbalanced(memory, arm, options, rng):
    """Refresh an arm whose weights do not change: choose lam again or, if lam is fixed, check the rounding errors."""
    if memory.arms.pulls[arm] < memory.due[arm]:
        return
    if options.model.criterion != FIXED:
        refit(memory, arm, options)
        return
    rows, _, weights = history_of(memory, arm)
    if drift(memory.arms, arm, rows, weights, options.model) > LARGEST_DRIFT:
        refit(memory, arm, options)
    memory.due[arm] = 2 * memory.arms.pulls[arm]
