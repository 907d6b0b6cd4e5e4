"""Bandits that came after the paper, in plain NumPy: to read, and as the reference in tests of the kernels.

``squarecb`` is inverse gap weighting (Foster and Rakhlin 2020), ``drts`` doubly robust Thompson sampling (Kim, Kim and
Paik 2021). Their fast versions are ``bandits.squarecb`` and ``bandits.drts``, which explain how each is applied to arms
with a parameter each. As in ``boxes``, every estimate is computed from the full history, without update formulas.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, stats

from balanced_bandits.boxes import Arm, Choices, Clock, with_intercept

Array = NDArray[Any]


class Played(NamedTuple):
    """What a run gives."""

    arms: list[Arm]  # the ridge regressions of the arms' own rewards
    propensities: Array  # (T, K): of each arm in each round


class DoublyRobust(NamedTuple):
    """What a run of DRTS gives besides."""

    arms: list[Arm]  # the imputation estimates
    propensities: Array  # (T, K)
    pseudo: Array  # (T, K): pseudo-rewards
    theta: Array  # (K, p): doubly robust estimates
    inverse: Array  # (p, p): B^-1


def squarecb(
    contexts: Array, rewards: Array, rng: np.random.Generator, choices: Choices, gamma_scale: float,
    forced: Sequence[int] = (),
) -> Played:  # fmt: skip
    """SquareCB with gamma_t = gamma_scale sqrt(t); ``contexts``, ``rewards`` and ``forced`` as in ``boxes``."""
    rows, K = with_intercept(contexts, choices.intercept), rewards.shape[1]
    arms = [Arm(choices, rows.shape[1]) for _ in range(K)]
    propensities = np.full((len(rows), K), 1.0 / K)
    for t, x in enumerate(rows):
        estimates = np.array([x @ arm.theta for arm in arms if arm.theta is not None])
        if t < len(forced):
            a = int(forced[t])
        elif len(estimates) < K:
            a = int(rng.random() * K)
        else:
            propensities[t] = inverse_gaps(estimates, gamma_scale * np.sqrt(t + 1))
            a = draw(propensities[t], rng)
        observe(arms[a], t, x, rewards[t, a])
    return Played(arms, propensities)


def inverse_gaps(estimates: Array, gamma: float) -> Array:
    """Probability 1 / (K + gamma gap) of every arm but the best, which has the rest; equally good ones share it."""
    best = estimates == estimates.max()
    p: Array = 1.0 / (len(estimates) + gamma * (estimates.max() - estimates))
    p[best] = (1.0 - p[~best].sum()) / best.sum()
    return p


def drts(
    contexts: Array, rewards: Array, rng: np.random.Generator, choices: Choices, v: float, threshold: float,
    lam_scale: float, forced: Sequence[int] = (),
) -> DoublyRobust:  # fmt: skip
    """Doubly robust Thompson sampling; ``contexts``, ``rewards`` and ``forced`` as in ``boxes``."""
    rows, K = with_intercept(contexts, choices.intercept), rewards.shape[1]
    size = rows.shape[1]
    arms = [Arm(choices, size) for _ in range(K)]
    penalised = np.diag((np.arange(size) >= int(choices.intercept == "unpenalised")).astype(float))
    refresh, lam = Clock(choices.schedule), 0.0
    theta: Array = np.zeros((K, size))
    inverse: Array = np.zeros((size, size))
    propensities, pseudo = np.full((len(rows), K), 1.0 / K), np.empty((len(rows), K))
    for t, x in enumerate(rows):
        if t < len(forced):
            a = int(forced[t])
        elif any(arm.theta is None for arm in arms):
            a = int(rng.random() * K)
        else:
            win = win_probabilities(theta @ x, v * np.sqrt(x @ inverse @ x))
            propensities[t] = resampled(win, threshold / (K + 1))
            a = draw(propensities[t], rng)
        r = rewards[t, a]
        imputed = np.array([0.0 if arm.theta is None else x @ arm.theta for arm in arms])
        pseudo[t] = imputed + (np.arange(K) == a) * (r - imputed[a]) / propensities[t, a]
        observe(arms[a], t, x, r)
        if refresh.is_due(t + 1):
            lam = lam_scale * np.sqrt(t + 1)
        X = rows[: t + 1]
        inverse = np.linalg.inv(X.T @ X + lam * penalised)  # the same for all arms
        theta = (inverse @ X.T @ pseudo[: t + 1]).T
    return DoublyRobust(arms, propensities, pseudo, theta, inverse)


def resampled(win: Array, threshold: float) -> Array:
    """The distribution of an arm that is drawn again and again until its probability is above the threshold."""
    kept: Array = np.where(win > threshold, win, 0.0)
    kept /= kept.sum()
    return kept


def win_probabilities(means: Array, deviation: float) -> Array:
    """The probability of each arm that its draw from N(mean, deviation^2) is the highest."""
    if deviation == 0:
        best: Array = (means == means.max()).astype(float)
        best /= best.sum()
        return best
    gaps = (means.max() - means) / deviation

    def density(u: float, a: int) -> float:
        return float(stats.norm.pdf(u + gaps[a]) * np.prod(stats.norm.cdf(u + np.delete(gaps, a))))

    return np.array([integrate.quad(density, -8, 8, (a,), epsabs=1e-11, limit=200)[0] for a in range(len(means))])


def draw(p: Array, rng: np.random.Generator) -> int:
    """Draw an arm with probabilities ``p``."""
    return min(int(np.searchsorted(np.cumsum(p), rng.random(), side="right")), int(np.flatnonzero(p)[-1]))


def observe(arm: Arm, t: int, x: Array, r: float) -> None:
    """Add an observation with weight 1; lambda is chosen again when a refresh is due."""
    arm.append(t, x, r, 1.0)
    arm.fit()
    if arm.refresh.is_due(len(arm.r)):
        arm.choose_lam()
        arm.fit()
