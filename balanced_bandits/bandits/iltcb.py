"""ILTCB: ILOVETOCONBANDITS of Agarwal, Hsu, Kale, Langford, Li and Schapire (2014), the paper's agnostic baseline.

A sparse distribution Q over policies, solved for at the end of each epoch (1, 2, 4, ... rounds) so that it has small
estimated regret and small variance of the importance-weighted estimate of every policy's reward (problem OP):

    (1)  sum_pi Q(pi) b_pi <= 2K                               b_pi = Reg(pi) / (psi mu)
    (2)  for every pi: mean_x 1 / Q^mu(pi(x) | x) <= 2K + b_pi

    Q^mu(a | x) = (1 - K mu) sum_pi Q(pi) 1{pi(x) = a} + mu

by coordinate descent, where the policy that breaks (2) most is one call of a cost-sensitive classification oracle.
Here a policy is a linear function for each arm and plays the largest. The oracle is asked for the policy of largest
mean v(x, a) = 1 / Q^mu(a | x) + r(a) / (psi mu), and fits v by ridge regression: the reward on the rows of each arm,
weighted by 1 / p (lambda by leave-one-out), and the first term, which is known at every row and has no noise, on all
rows (with the smallest lambda). Estimates of a policy's reward are importance-weighted means, as in the paper.
In theory mu is min(1 / (2K), sqrt(ln(16 tau^2 |Pi| / delta) / (K tau))) and psi = 100; as in large comparisons, a
factor on mu and psi are tuned.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.base import Bandit
from balanced_bandits.bandits.linear import DEFAULTS as LINEAR
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.compilation import kernel, tight
from balanced_bandits.estimation.penalty import LOO, choose_penalty, decompose, slopes_of

SUPPORT = 2  # place in the clock: policies in the distribution
UNSOLVED = 3  # place in the clock: epochs whose coordinate descent was ended by MOST_STEPS
MOST_POLICIES = 128
MOST_STEPS = 1000


class Options(NamedTuple):
    """The choices of ILTCB, for the kernels."""

    free: int  # 1 if the intercept of a policy's regressions is not penalised
    lams: NDArray[np.float64]
    mu_scale: float
    psi: float
    delta: float


class Estimates(NamedTuple):
    """The empirically best policy, and how often each arm was played."""

    theta: NDArray[np.float64]  # (K, p)
    pulls: NDArray[np.int64]  # (K,)


class Memory(NamedTuple):
    """All that ILTCB knows. O(n p + policies K p)."""

    rows: NDArray[np.float64]  # (capacity, p)
    chosen: NDArray[np.int64]
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64]  # (capacity,): of the arm, when it was chosen
    clock: NDArray[np.int64]
    arms: Estimates
    due: NDArray[np.int64]  # (K,): nothing is due for an arm alone
    looked_at: NDArray[np.float64]
    values: NDArray[np.float64]  # (K,): Q^mu at the context looked at last
    policies: NDArray[np.float64]  # (policies, K, p)
    mass: NDArray[np.float64]  # (policies,): they sum to one
    floor: NDArray[np.float64]  # (1,): mu

    @property
    def HISTORY(self) -> tuple[str, ...]:  # noqa: N802
        """The arrays that grow with the observations."""
        return ("rows", "chosen", "rewards", "propensities")


@kernel
def new_memory(capacity, number, size, options):
    """The memory of a bandit that has seen nothing: every arm is as likely until the first epoch ends."""
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
    """Draw an arm from Q^mu at ``z``; uniformly in the first epoch."""
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
    """Find Q^mu(a | z) for every arm."""
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
    """Probability of each arm in the choice that was made last."""
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
    """At the end of an epoch: solve OP on all that was seen, and give the mass that is left to the best policy."""
    clock, number = memory.clock, memory.values.size
    n = clock[ROUNDS]
    if n < clock[NEXT_TURN]:
        return
    clock[NEXT_TURN] = 2 * n
    rows, size = memory.rows[:n], memory.rows.shape[1]
    earned = np.zeros((n, number))  # importance-weighted rewards
    for i in range(n):
        earned[i, memory.chosen[i]] = memory.rewards[i] / memory.propensities[i]
    # ln |Pi|: a linear policy has K p coefficients, and counts as if each took e values.
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
    """All that calls of the oracle at one epoch share: each arm's reward regression, and the solver for all rows."""
    number, size = memory.arms.theta.shape
    rewards = np.zeros((number, size))
    for a in range(number):
        own = np.flatnonzero(memory.chosen[:n] == a)
        if own.size > 0:
            rows, earned, weights = memory.rows[own], memory.rewards[own], 1.0 / memory.propensities[own]
            parts = decompose(rows, earned, weights, options.free)
            lam = choose_penalty(rows, earned, weights, options.free, parts, options.lams, LOO, 0)
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
    """The policy (K, p) of largest mean ``known`` (n, K) + reward / psi_mu."""
    rewards, solver, coordinates, centre, free = oracle
    policy = np.zeros(rewards.shape)
    for a in range(policy.shape[0]):
        target = np.ascontiguousarray(known[:, a])
        level = target.mean() if free == 1 else 0.0
        set_policy(policy, a, np.dot(solver, np.dot(coordinates.T, target - level)), centre, level, free)
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
def smoothed(mass, actions, support, number, mu):
    """Q^mu(a | x) at every row (n, K), of a distribution whose mass need not sum to one."""
    probabilities = np.full((actions.shape[1], number), mu)
    for m in range(support):
        for i in range(actions.shape[1]):
            probabilities[i, actions[m, i]] += (1.0 - number * mu) * mass[m]
    return probabilities


@kernel
def value_of(actions, earned):
    """Importance-weighted estimate of a policy's reward."""
    total = 0.0
    for i in range(actions.size):
        total += earned[i, actions[i]]
    return total / actions.size


@kernel
def solve(rows, earned, mu, psi, oracle):
    """Coordinate descent for OP: policies, their mass (left-over mass given to the best one), the best, and success."""
    n, number = earned.shape
    best = oracle[0]
    best_actions = actions_of(best, rows)
    policies = np.zeros((MOST_POLICIES, number, rows.shape[1]))
    actions = np.zeros((MOST_POLICIES, n), dtype=np.int64)
    mass = np.zeros(MOST_POLICIES)
    worth = np.zeros(MOST_POLICIES)
    policies[0], actions[0] = best, best_actions
    worth[0] = value_of(best_actions, earned)
    support = 1
    solved = False
    for _ in range(MOST_STEPS):
        highest = worth[:support].max()
        load = 0.0
        for m in range(support):
            load += mass[m] * (2.0 * number + (highest - worth[m]) / (psi * mu))
        if load > 2.0 * number:
            mass *= 2.0 * number / load
        probabilities = smoothed(mass, actions, support, number, mu)
        asked = ask_oracle(oracle, 1.0 / probabilities, psi * mu)
        if support < MOST_POLICIES:
            policies[support], actions[support] = asked, actions_of(asked, rows)
            worth[support] = value_of(actions[support], earned)
            candidates = support + 1
        else:
            candidates = support
        highest = worth[:candidates].max()
        worst, excess, first, second = 0, -np.inf, 0.0, 0.0
        for m in range(candidates):
            inverse, square = 0.0, 0.0
            for i in range(n):
                share = 1.0 / probabilities[i, actions[m, i]]
                inverse += share
                square += share * share
            inverse, square = inverse / n, square / n
            over = inverse - 2.0 * number - (highest - worth[m]) / (psi * mu)
            if over > excess:
                worst, excess, first, second = m, over, inverse, square
        if excess <= 1e-9 * number:
            solved = True
            break
        mass[worst] += (first + excess) / (2.0 * (1.0 - number * mu) * second)
        support = max(support, worst + 1)
    leader = worth[:support].argmax()
    load = 0.0
    for m in range(support):
        load += mass[m] * (2.0 * number + (worth[leader] - worth[m]) / (psi * mu))
    if load > 2.0 * number:
        mass *= 2.0 * number / load
    mass[leader] += max(1.0 - mass.sum(), 0.0)
    return policies, mass / mass.sum(), policies[leader], solved


CHOICES: dict[str, Any] = {
    "mu_scale": 1.0,
    "psi": 100.0,
    "delta": 0.05,
    "intercept": LINEAR["intercept"],
    "lams": LINEAR["lams"],
}


class ILTCB(Bandit):
    """ILOVETOCONBANDITS with linear policies.

    Choices: ``mu_scale``, a factor on the theory's exploration mu; ``psi``, how much estimated regret a policy may
    have; ``delta``, the probability of failure in mu; ``intercept`` and ``lams`` of the oracle's regressions.
    """

    CHOICES = CHOICES
    LOOPS = loops("ILTCB", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)
    _new_memory = staticmethod(new_memory)

    @classmethod
    def options(cls, choices: dict[str, Any]) -> Options:
        """The choices by name, with defaults for those not given, as the kernels take them.

        Those of the linear bandits that have no meaning here are passed over, so that one configuration serves all.
        """
        unknown = sorted(set(choices) - set(CHOICES) - set(LINEAR))
        if unknown:
            raise ValueError(f"unknown choice {', '.join(unknown)}; known are {', '.join(CHOICES)}.")
        given = CHOICES | {key: value for key, value in choices.items() if key in CHOICES}
        for name in ("mu_scale", "psi", "delta"):
            if not (np.isfinite(given[name]) and given[name] > 0.0):
                raise ValueError(f"{name} is {given[name]!r}, but must be above 0.")
        lams = np.array(sorted(given["lams"]), dtype=float)
        if not lams.size or not (np.isfinite(lams) & (lams > 0)).all():
            raise ValueError(f"lams is {given['lams']!r}, but must be a list of finite numbers above 0.")
        return Options(
            int(given["intercept"] == "unpenalised"),
            lams,
            *(float(given[name]) for name in ("mu_scale", "psi", "delta")),
        )

    def _is_uniform(self) -> bool:
        """Whether the first epoch has not ended yet."""
        return bool(self._memory.clock[SUPPORT] == 0)
