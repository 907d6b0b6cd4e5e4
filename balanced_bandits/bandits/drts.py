"""DRTS: doubly robust Thompson sampling (Kim, Kim and Paik, NeurIPS 2021, arXiv:2102.01229). Not in the paper.

Their arms share one parameter b, and each has a context X_a of its own. After round t, with the propensities pi of its
arms and an imputation estimate c from the chosen arms alone, every arm has a pseudo-reward, whether it was chosen or
not:

    Y_a = X_a'c + 1{a was chosen} (reward - X_a'c) / pi_a

b is estimated by a ridge regression of all pseudo-rewards of all arms so far, with penalty lambda_t = lam_scale sqrt(t)
(the rate of their code), and sampled from N(b, v^2 B^-1), where B = sum X_a X_a' + lambda_t. The arm with the highest
draw is the candidate. If it wins with a probability of at most a threshold, all arms are drawn again; the theory takes
a threshold from 1 / (K + 1), as in their experiments, to 1 / K, so that at least one arm always passes.

Arms with a parameter each and a common context z, as here, are the special case X_a = e_a (x) z (Kronecker product),
b = (theta_1, ..., theta_K). Then B consists of K equal blocks: all arms have the same matrix Z'Z + lambda_t over all
rounds, and differ in their pseudo-rewards only. So they also have the same deviation v sqrt(z'B^-1 z). The imputation
estimate consists of one ridge regression per arm on the arm's own observations: the one that the linear bandits share,
with its lambda by cross-validation. An unpenalised intercept is penalised nowhere.

- Pseudo-rewards use the imputation estimate from before the observation, and are not computed again; hence they are
  unbiased whatever it is. It is zero for an arm without observations.
- Resampling has no limit here (200 draws in their code). Its outcome has a known distribution: the probabilities of the
  arms above the threshold, divided by their sum. The arm is drawn from it directly.
- lambda_t follows the number of rounds at each refresh (``schedule``), when B and the estimates are computed anew.
- An arm that the bandit would never have chosen at a context, but that was observed (as with rewards that arrive late),
  has propensity 0. Its pseudo-reward is not corrected; the observation enters the imputation estimate only.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.base import Bandit
from balanced_bandits.bandits.drawing import draw
from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import history_of, later
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.common_deviation import win_probabilities_alike
from balanced_bandits.estimation.penalty import FIXED
from balanced_bandits.estimation.ridge import UNITS, Arms, Model, fit, fit_by_parts, new_arms, observe, someone_is_new


class Options(NamedTuple):
    """The parameters of DRTS, for the kernels."""

    model: Model  # of the imputation estimates
    common: Model  # of the doubly robust regression, whose lambda is given
    v: float
    threshold: float
    lam_scale: float
    batch: int  # refresh after this many more observations, ...
    rho: float  # ... or when their number has grown by this share, whichever is later


class Estimates(NamedTuple):
    """The doubly robust estimates, and the number of pulls of each arm."""

    theta: NDArray[np.float64]  # (K, p)
    pulls: NDArray[np.int64]  # (K,)


class Memory(NamedTuple):
    """The state of DRTS: arrays that the kernels change in place. O(n (p + K) + K p^2)."""

    rows: NDArray[np.float64]  # (capacity, p)
    chosen: NDArray[np.int64]
    rewards: NDArray[np.float64]
    weights: NDArray[np.float64]  # (capacity,): 1, of the observations in the imputation estimates
    pseudo: NDArray[np.float64]  # (capacity, K): pseudo-rewards
    before: NDArray[np.int64]  # (capacity,): index of the same arm's previous observation, -1 if there is none
    clock: NDArray[np.int64]
    arms: Estimates
    imputation: Arms
    last: NDArray[np.int64]  # (K,): index of each arm's last observation, -1 if there is none
    due: NDArray[np.int64]  # (K,): number of pulls at which an arm's imputation estimate is refreshed
    inverse: NDArray[np.float64]  # (p, p): B^-1, which all arms share
    looked_at: NDArray[np.float64]  # (p,): the last context z evaluated
    leverage: NDArray[np.float64]  # (p,): B^-1 z
    quadratic: NDArray[np.float64]  # (1,): z'B^-1 z
    means: NDArray[np.float64]  # (K,): z'theta
    values: NDArray[np.float64]  # (K,): propensities there
    scratch: NDArray[np.float64]  # (2, K)

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "weights", "pseudo", "before")


@kernel
def new_memory(capacity, number, size, options):
    """The memory of a new bandit with ``number`` arms and ``size`` coefficients per arm."""
    clock = np.zeros(2, dtype=np.int64)
    clock[NEXT_TURN] = 1
    return Memory(
        np.empty((capacity, size)),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity),
        np.empty(capacity),
        np.empty((capacity, number)),
        np.empty(capacity, dtype=np.int64),
        clock,
        Estimates(np.zeros((number, size)), np.zeros(number, dtype=np.int64)),
        new_arms(number, size, options.model),
        np.full(number, -1),
        np.full(number, 1),
        np.zeros((size, size)),
        np.full(size, np.nan),
        np.zeros(size),
        np.zeros(1),
        np.zeros(number),
        np.zeros(number),
        np.zeros((2, number)),
    )


@tight
def choose(memory, z, options, rng):
    """Return the arm for context ``z``, and whether it was drawn uniformly because an arm has no estimate yet."""
    if someone_is_new(memory.imputation):
        return int(rng.random() * memory.values.size), True
    look(memory, z, options)
    return draw(memory.values, rng), False


@tight
def look(memory, z, options):
    """Compute the propensities of all arms at ``z``."""
    project(memory, z)
    deviation = options.v * math.sqrt(memory.quadratic[0])
    win_probabilities_alike(memory.means, deviation, memory.scratch, memory.values)
    resample(memory.values, options.threshold / (memory.values.size + 1.0))


@tight
def project(memory, z):
    """Evaluate the posterior at ``z``: the means z'theta of all arms, B^-1 z and z'B^-1 z."""
    quadratic = 0.0
    for i in range(z.size):
        total = 0.0
        for j in range(z.size):
            total += memory.inverse[i, j] * z[j]
        memory.leverage[i] = total
        quadratic += total * z[i]
    memory.quadratic[0] = max(quadratic, 0.0)
    for a in range(memory.means.size):
        memory.means[a] = value_at(memory.arms.theta, a, z)


@tight
def value_at(theta, arm, z):
    """The estimate z'theta of an arm."""
    total = 0.0
    for j in range(z.size):
        total += theta[arm, j] * z[j]
    return total


@tight
def resample(probabilities, threshold):
    """The distribution of the arm that is drawn until its probability is above the threshold, in place."""
    total = 0.0
    for a in range(probabilities.size):
        if probabilities[a] > threshold:
            total += probabilities[a]
        else:
            probabilities[a] = 0.0
    for a in range(probabilities.size):
        probabilities[a] /= total


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice."""
    if uniform:
        return np.full(memory.values.size, 1.0 / memory.values.size)
    return memory.values.copy()


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``: pseudo-rewards of all arms, and rank-one updates of both regressions."""
    number, t = memory.values.size, memory.clock[ROUNDS]
    propensity = 1.0 / number
    if uniform:
        project(memory, z)
    else:
        if not known:
            look(memory, z, options)
        propensity = memory.values[arm]
    for j in range(z.size):
        memory.rows[t, j] = z[j]
    memory.chosen[t] = arm
    memory.rewards[t] = reward
    memory.weights[t] = 1.0
    memory.before[t] = memory.last[arm]
    memory.last[arm] = t
    memory.clock[ROUNDS] = t + 1
    for a in range(number):
        memory.pseudo[t, a] = value_at(memory.imputation.theta, a, z)
    if propensity > 0.0:
        memory.pseudo[t, arm] += (reward - memory.pseudo[t, arm]) / propensity
    if t > 0:  # the first refresh, after the first observation, computes B^-1 from the rows
        add_row(memory, t)
    memory.arms.pulls[arm] += 1
    observe(memory.imputation, arm, z, reward, 1.0, False, options.model)


@tight
def add_row(memory, t):
    """Add observation t, whose context was evaluated last, to B^-1 and to the estimates of all arms."""
    gain, leverage = 1.0 / (1.0 + memory.quadratic[0]), memory.leverage
    for a in range(memory.means.size):
        step = gain * (memory.pseudo[t, a] - memory.means[a])
        for j in range(leverage.size):
            memory.arms.theta[a, j] += step * leverage[j]
    for i in range(leverage.size):
        for j in range(leverage.size):
            memory.inverse[i, j] -= gain * leverage[i] * leverage[j]


@kernel
def refresh(memory, arm, options, rng):
    """When due, choose lambda of the arm's imputation estimate again, and compute the doubly robust regression anew."""
    clock = memory.clock
    if memory.arms.pulls[arm] >= memory.due[arm]:
        rows, rewards, weights = history_of(memory, arm)
        fit(memory.imputation, arm, rows, rewards, weights, options.model)
        memory.due[arm] = later(memory.arms.pulls[arm], options.batch, options.rho)
    if clock[ROUNDS] >= clock[NEXT_TURN]:
        regress(memory, options)
        clock[NEXT_TURN] = later(clock[ROUNDS], options.batch, options.rho)


@kernel
def regress(memory, options):
    """Compute B^-1 and the estimates of all arms from all rows and pseudo-rewards, with the lambda of this round."""
    n, number, free = memory.clock[ROUNDS], memory.values.size, options.common.free
    rows, pseudo = memory.rows[:n], memory.pseudo[:n].copy()
    lam = options.lam_scale * math.sqrt(float(n))
    found = fit_by_parts(rows, np.zeros(n), np.ones(n), lam, options.common.lams, options.common)
    levels = np.zeros(number)
    if free == 1:
        for a in range(number):
            levels[a] = pseudo[:, a].sum() / n
            pseudo[:, a] -= levels[a]
    centred = np.ascontiguousarray((rows[:, free:] - found.centre).T)
    slopes = np.dot(found.block, np.dot(centred, pseudo))  # (p - free, K)
    memory.arms.theta[:, free:] = slopes.T
    memory.inverse[free:, free:] = found.block
    if free == 1:
        shift = np.dot(found.block, found.centre)
        memory.inverse[0, 0] = 1.0 / found.total + (found.centre * shift).sum()
        memory.inverse[0, 1:] = -shift
        memory.inverse[1:, 0] = -shift
        memory.arms.theta[:, 0] = levels - np.dot(found.centre, slopes)


class DRTS(Bandit):
    """Doubly robust Thompson sampling (Kim, Kim and Paik 2021), with one parameter per arm.

    Every arm has a pseudo-reward in every round: its estimate, corrected by its reward if it was chosen. All arms
    therefore share one Gram matrix. Arms that are too unlikely to win are not played.
    """

    LOOPS = loops("DRTS", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
    _new_memory = staticmethod(new_memory)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        v: float = DEFAULTS["v"],
        threshold: float = DEFAULTS["threshold"],
        lam_scale: float = DEFAULTS["lam_scale"],
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        lams_unit: str = DEFAULTS["lams_unit"],
        criterion: str = DEFAULTS["criterion"],
        ties: str = DEFAULTS["ties"],
        folds: int = DEFAULTS["folds"],
        schedule: str | Mapping[str, float] = DEFAULTS["schedule"],
    ) -> None:
        self._start(locals())

    @classmethod
    def _options(cls, values: dict[str, Any]) -> Options:
        """The parameters as the kernels take them."""
        linear = LinearBandit._options(values)
        return Options(
            model=linear.model,
            common=linear.model._replace(criterion=FIXED, unit=UNITS["one"]),
            v=values["v"],
            threshold=values["threshold"],
            lam_scale=values["lam_scale"],
            batch=linear.batch,
            rho=linear.rho,
        )
