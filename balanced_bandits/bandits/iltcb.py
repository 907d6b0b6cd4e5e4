"""ILTCB: ILOVETOCONBANDITS of Agarwal, Hsu, Kale, Langford, Li and Schapire (2014), the paper's agnostic baseline.

It plays a sparse distribution Q over policies. At the end of each epoch, Q is recomputed to have small estimated
regret, and a small variance of the importance-weighted reward estimate of every policy (problem OP). In theory an epoch
may be as long as all before it together; here ``epochs`` says when it ends, since long ones cost regret.

    (1)  sum_pi Q(pi) b_pi <= 2K                               b_pi = Reg(pi) / (psi mu)
    (2)  for every pi: mean_x 1 / Q^mu(pi(x) | x) <= 2K + b_pi

    Q^mu(a | x) = (1 - K mu) sum_pi Q(pi) 1{pi(x) = a} + mu

OP is solved by coordinate descent; one call of a cost-sensitive classification oracle finds the policy that violates
(2) most. Here a policy has one linear function per arm and plays the arm with the largest value. The oracle returns the
policy with the largest mean of v(x, a) = 1 / Q^mu(a | x) + r(a) / (psi mu), where v is fitted by ridge regression: the
reward on the rows of each arm, weighted by 1 / p (lambda by leave-one-out), and the first term, which is known without
noise at every row, on all rows (with the smallest lambda). The reward of a policy is estimated by an
importance-weighted mean, as in the paper. In theory mu = min(1 / (2K), sqrt(ln(16 tau^2 |Pi| / delta) / (K tau))) and
psi = 100; as in large comparisons, psi and a factor on mu are tuned.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.base import Bandit
from balanced_bandits.bandits.linear import schedule_numbers
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import later
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.penalty import LOO, TIES, choose_penalty, decompose, slopes_of

SUPPORT = 2  # index into the clock: number of policies in the distribution
UNSOLVED = 3  # index into the clock: number of epochs whose coordinate descent was stopped by MOST_STEPS
MOST_POLICIES = 128
MOST_STEPS = 1000


class Options(NamedTuple):
    """The parameters of ILTCB, for the kernels."""

    free: int  # 1 if the intercept of a policy's regressions is not penalised
    lams: NDArray[np.float64]
    mu_scale: float
    psi: float
    delta: float
    ties: int
    batch: int  # an epoch ends after this many more observations, ...
    rho: float  # ... or when their number has grown by this share, whichever is later


class Estimates(NamedTuple):
    """The empirically best policy, and the number of pulls of each arm."""

    theta: NDArray[np.float64]  # (K, p)
    pulls: NDArray[np.int64]  # (K,)


class Memory(NamedTuple):
    """The state of ILTCB: arrays that the kernels change in place. O(n p + policies K p)."""

    rows: NDArray[np.float64]  # (capacity, p)
    chosen: NDArray[np.int64]
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64]  # (capacity,): of the arm, at the time of choice
    clock: NDArray[np.int64]
    arms: Estimates
    due: NDArray[np.int64]  # (K,): never reached, since single arms are not refreshed
    looked_at: NDArray[np.float64]
    values: NDArray[np.float64]  # (K,): Q^mu at the last context evaluated
    policies: NDArray[np.float64]  # (policies, K, p)
    mass: NDArray[np.float64]  # (policies,): sums to one
    floor: NDArray[np.float64]  # (1,): mu

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "propensities")


@kernel
def new_memory(capacity, number, size, options):
    """The memory of a new bandit: arms are equally likely until the first epoch ends."""
    clock = np.zeros(4, dtype=np.int64)
    clock[NEXT_TURN] = 1
    return Memory(
        np.empty((capacity, size)),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity),
        np.empty(capacity),
        clock,
        Estimates(np.zeros((number, size)), np.zeros(number, dtype=np.int64)),
        np.full(number, np.iinfo(np.int64).max),
        np.full(size, np.nan),
        np.full(number, 1.0 / number),
        np.zeros((MOST_POLICIES, number, size)),
        np.zeros(MOST_POLICIES),
        np.full(1, 1.0 / (2.0 * number)),
    )


@tight
def choose(memory, z, options, rng):
    """Draw an arm from Q^mu at ``z``, or uniformly in the first epoch."""
    number = memory.values.size
    if memory.clock[SUPPORT] == 0:
        return int(rng.random() * number), True
    look(memory, z)
    draw, arm = rng.random(), 0
    while arm < number - 1 and draw >= memory.values[arm]:
        draw -= memory.values[arm]
        arm += 1
    return arm, False


@tight
def look(memory, z):
    """Compute Q^mu(a | z) for every arm."""
    number = memory.values.size
    for a in range(number):
        memory.values[a] = memory.floor[0]
    for i in range(memory.clock[SUPPORT]):
        best, highest = 0, -np.inf
        for a in range(number):
            value = 0.0
            for j in range(z.size):
                value += z[j] * memory.policies[i, a, j]
            if value > highest:
                best, highest = a, value
        memory.values[best] += (1.0 - number * memory.floor[0]) * memory.mass[i]


@kernel
def propensities(memory, arm, uniform, options):
    """Probability of each arm in the last choice."""
    if uniform:
        return np.full(memory.values.size, 1.0 / memory.values.size)
    return memory.values.copy()


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Observe the reward of ``arm`` at ``z``."""
    if not uniform and not known:
        look(memory, z)
    t = memory.clock[ROUNDS]
    for j in range(z.size):
        memory.rows[t, j] = z[j]
    memory.chosen[t] = arm
    memory.rewards[t] = reward
    memory.propensities[t] = 1.0 / memory.values.size if uniform else memory.values[arm]
    memory.arms.pulls[arm] += 1
    memory.clock[ROUNDS] = t + 1


@kernel
def refresh(memory, arm, options, rng):
    """At the end of an epoch, solve OP on all observations, and give the remaining mass to the best policy."""
    clock, number = memory.clock, memory.values.size
    n = clock[ROUNDS]
    if n < clock[NEXT_TURN]:
        return
    clock[NEXT_TURN] = later(n, options.batch, options.rho)
    rows, size = memory.rows[:n], memory.rows.shape[1]
    earned = np.zeros((n, number))  # importance-weighted rewards
    for i in range(n):
        earned[i, memory.chosen[i]] = memory.rewards[i] / memory.propensities[i]
    # ln |Pi|: a linear policy has K p coefficients; each is counted as if it took e values.
    logarithm = math.log(16.0 * float(n) ** 2 / options.delta) + number * size
    mu = min(0.5 / number, options.mu_scale * math.sqrt(logarithm / (number * float(n))))
    oracle = prepare_oracle(memory, n, options)
    policies, mass, best, solved = solve(rows, earned, mu, options.psi, oracle)
    memory.floor[0] = mu
    memory.policies[:] = policies
    memory.mass[:] = mass
    memory.arms.theta[:] = best
    clock[SUPPORT] = 1
    for i in range(mass.size):
        if mass[i] > 0.0:
            clock[SUPPORT] = i + 1
    clock[UNSOLVED] += 0 if solved else 1


@kernel
def prepare_oracle(memory, n, options):
    """What the oracle calls of one epoch share: each arm's reward regression, and the solver for all rows."""
    number, size = memory.arms.theta.shape
    rewards = np.zeros((number, size))
    for a in range(number):
        own = np.flatnonzero(memory.chosen[:n] == a)
        if own.size > 0:
            rows, earned, weights = memory.rows[own], memory.rewards[own], 1.0 / memory.propensities[own]
            parts = decompose(rows, earned, weights, options.free)
            lam = choose_penalty(rows, earned, weights, options.free, parts, options.lams, LOO, 0, options.ties)
            set_policy(rewards, a, slopes_of(parts, lam), parts.centre, parts.level, options.free)
    parts = decompose(memory.rows[:n], np.zeros(n), np.ones(n), options.free)
    return rewards, parts.basis / (parts.values + options.lams[0]), parts.coordinates, parts.centre, options.free


@kernel
def set_policy(policy, arm, slopes, centre, level, free):
    """Write an arm's regression into a policy (K, p)."""
    policy[arm, free:] = slopes
    if free == 1:
        policy[arm, 0] = level - (centre * slopes).sum()


@kernel
def ask_oracle(oracle, known, psi_mu):
    """The policy (K, p) with the largest mean of ``known`` (n, K) + reward / psi_mu."""
    rewards, solver, coordinates, centre, free = oracle
    policy = np.empty(rewards.shape)
    level = known.sum(axis=0) / known.shape[0] if free == 1 else np.zeros(known.shape[1])
    slopes = np.dot(solver, np.dot(coordinates.T, known - level))
    for a in range(policy.shape[0]):
        set_policy(policy, a, slopes[:, a], centre, level[a], free)
    return policy + rewards / psi_mu


@kernel
def actions_of(policy, rows):
    """The arm that a policy plays at each row."""
    scores = np.dot(rows, np.ascontiguousarray(policy.T))
    actions = np.empty(rows.shape[0], dtype=np.int64)
    for i in range(rows.shape[0]):
        actions[i] = scores[i].argmax()
    return actions


@kernel
def value_of(actions, earned):
    """Importance-weighted estimate of a policy's reward."""
    total = 0.0
    for i in range(actions.size):
        total += earned[i, actions[i]]
    return total / actions.size


@kernel
def solve(rows, earned, mu, psi, oracle):
    """Coordinate descent for OP.

    Returns the policies, their mass (the best policy gets what remains), the best policy, and whether OP was solved.
    """
    n, number = earned.shape
    policies = np.zeros((MOST_POLICIES, number, rows.shape[1]))
    actions = np.zeros((n, MOST_POLICIES), dtype=np.int32)
    mass, worth = np.zeros(MOST_POLICIES), np.zeros(MOST_POLICIES)
    policies[0] = oracle[0]
    chosen = actions_of(policies[0], rows)
    actions[:, 0] = chosen
    worth[0] = value_of(chosen, earned)
    probabilities = np.full((n, number), mu)  # Q^mu(a | x), for a distribution whose mass need not sum to one
    support, solved = 1, False
    for _ in range(MOST_STEPS):
        highest = worth[:support].max()
        load = 0.0
        for m in range(support):
            load += mass[m] * (2.0 * number + (highest - worth[m]) / (psi * mu))
        if load > 2.0 * number:
            mass *= 2.0 * number / load
            probabilities = mu + (2.0 * number / load) * (probabilities - mu)
        inverse = 1.0 / probabilities
        candidates = support
        if support < MOST_POLICIES:
            policies[support] = ask_oracle(oracle, inverse, psi * mu)
            chosen = actions_of(policies[support], rows)
            actions[:, support] = chosen
            worth[support] = value_of(chosen, earned)
            candidates = support + 1
        first, second = moments_of(inverse, actions, candidates)
        highest = worth[:candidates].max()
        worst, excess = 0, -np.inf
        for m in range(candidates):
            over = first[m] - 2.0 * number - (highest - worth[m]) / (psi * mu)
            if over > excess:
                worst, excess = m, over
        if excess <= 1e-9 * number:
            solved = True
            break
        added = (first[worst] + excess) / (2.0 * (1.0 - number * mu) * second[worst])
        mass[worst] += added
        for i in range(n):
            probabilities[i, actions[i, worst]] += (1.0 - number * mu) * added
        support = max(support, worst + 1)
    leader = worth[:support].argmax()
    load = 0.0
    for m in range(support):
        load += mass[m] * (2.0 * number + (worth[leader] - worth[m]) / (psi * mu))
    if load > 2.0 * number:
        mass *= 2.0 * number / load
    mass[leader] += max(1.0 - mass.sum(), 0.0)
    return policies, mass / mass.sum(), policies[leader], solved


@kernel
def moments_of(inverse, actions, number):
    """For each of the first policies, the means over rows of 1 / Q^mu(pi(x) | x) and of its square."""
    n = inverse.shape[0]
    first, second = np.zeros(number), np.zeros(number)
    for i in range(n):
        for m in range(number):
            share = inverse[i, actions[i, m]]
            first[m] += share
            second[m] += share * share
    return first / n, second / n


class ILTCB(Bandit):
    """ILOVETOCONBANDITS with linear policies (Agarwal et al. 2014)."""

    LOOPS = loops("ILTCB", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
    _new_memory = staticmethod(new_memory)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        mu_scale: float = DEFAULTS["mu_scale"],
        psi: float = DEFAULTS["psi"],
        delta: float = DEFAULTS["delta"],
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        ties: str = DEFAULTS["ties"],
        epochs: str | Mapping[str, float] = DEFAULTS["epochs"],
    ) -> None:
        self._start(locals())

    @classmethod
    def _options(cls, values: dict[str, Any]) -> Options:
        """The parameters as the kernels take them."""
        batch, rho = schedule_numbers(values["epochs"])
        return Options(
            free=int(values["intercept"] == "unpenalised"),
            lams=np.array(values["lams"]),
            mu_scale=values["mu_scale"],
            psi=values["psi"],
            delta=values["delta"],
            ties=TIES[values["ties"]],
            batch=batch,
            rho=rho,
        )

    def _is_uniform(self) -> bool:
        """Whether the first epoch is still running."""
        return bool(self._memory.clock[SUPPORT] == 0)
