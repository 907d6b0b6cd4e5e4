"""Propensities of Thompson sampling: the probability that an arm is drawn highest.

The paper (section 2.3) treats the arrival time of a context as random: its propensity is that under the posterior of a
random earlier period, so an average over periods. ``Posteriors`` keeps earlier posteriors for contexts that arrive
later; for a context that is there already, a new period adds one term to a running sum.
"""

import math
import statistics
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.compilation import kernel, tight

EXACT = 0  # closed form for two arms, quadrature for more, averaged over earlier periods
MONTE_CARLO = 1  # the paper's: draw a period, draw every arm's reward, count which arm is highest
ASSIGNMENT = 2  # the probability at the time of choice, once and for all
METHODS = {"exact": EXACT, "monte_carlo": MONTE_CARLO, "assignment": ASSIGNMENT}

NODES = 24
CHUNK = 256  # rows that are looked at together
_NORMAL = statistics.NormalDist()
# The integral over an arm's draw is taken at the midpoints of equally likely intervals: robust where the others'
# distributions are so narrow that the integrand is a step.
QUANTILES = np.array([_NORMAL.inv_cdf((i + 0.5) / NODES) for i in range(NODES)])
# Phi by linear interpolation; the error is below 5e-7.
TABLE_REACH, TABLE_STEPS = 8.0, 4096
PHI = np.array([_NORMAL.cdf(TABLE_REACH * (2.0 * i / TABLE_STEPS - 1.0)) for i in range(TABLE_STEPS + 2)])


class Posteriors(NamedTuple):
    """Up to C earlier posteriors of the K arms, each with the number of periods it stands for."""

    theta: NDArray[np.float64]  # (C, K, p)
    inverse: NDArray[np.float64]  # (C, K, p, p)
    scale: NDArray[np.float64]  # (C, K), alpha^2 included
    periods: NDArray[np.float64]  # (C,)
    number: NDArray[np.int64]  # (1,): how many there are


@kernel
def new_posteriors(capacity, arms, size):
    """Room for ``capacity`` posteriors."""
    return Posteriors(
        np.zeros((capacity, arms, size)),
        np.zeros((capacity, arms, size, size)),
        np.zeros((capacity, arms)),
        np.zeros(capacity),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def keep_posterior(store, arms, alpha, periods):
    """Keep the arms' present posterior for ``periods`` periods.

    When there is no more room, of every two neighbours the later one stands for both.
    """
    capacity = store.periods.size
    if store.number[0] == capacity:
        half = capacity // 2
        for i in range(half):
            later = 2 * i + 1
            store.theta[i] = store.theta[later]
            store.inverse[i] = store.inverse[later]
            store.scale[i] = store.scale[later]
            store.periods[i] = store.periods[later] + store.periods[later - 1]
        store.number[0] = half
    i = store.number[0]
    store.theta[i] = arms.theta
    store.inverse[i] = arms.inverse
    store.scale[i] = alpha**2 * arms.scale
    store.periods[i] = periods
    store.number[0] = i + 1


@tight
def phi(x):
    """Standard normal distribution function."""
    place = (x / TABLE_REACH + 1.0) * (0.5 * TABLE_STEPS)
    if not place > 0.0:
        return 0.0
    if place >= TABLE_STEPS:
        return 1.0
    i = int(place)
    return PHI[i] + (place - i) * (PHI[i + 1] - PHI[i])


@tight
def win_probability(means, deviations, arm):
    """Probability that the draw of ``arm`` is the highest, draws being independent normals."""
    if means.size == 1:
        return 1.0
    if means.size == 2:
        other = 1 - arm
        spread = math.sqrt(deviations[arm] ** 2 + deviations[other] ** 2)
        lead = means[arm] - means[other]
        if spread == 0.0:
            return 0.5 if lead == 0.0 else (1.0 if lead > 0.0 else 0.0)
        return 0.5 * math.erfc(-lead / (spread * math.sqrt(2.0)))
    total = 0.0
    for node in QUANTILES:
        draw = means[arm] + deviations[arm] * node
        product = 1.0
        for other in range(means.size):
            if other != arm:
                if deviations[other] > 0.0:
                    product *= phi((draw - means[other]) / deviations[other])
                elif draw == means[other]:
                    product *= 0.5
                elif draw < means[other]:
                    product = 0.0
                if product < 1e-12:
                    break
        total += product
    return total / QUANTILES.size


@kernel
def win_probabilities(means, deviations):
    """Probabilities of all arms; they sum to one."""
    probabilities = np.empty(means.size)
    for arm in range(means.size):
        probabilities[arm] = win_probability(means, deviations, arm)
    return probabilities / probabilities.sum()


@kernel
def add_shares(rows, chosen, theta, inverse, scale, periods, shares):
    """Add, for each row (n, p), ``periods`` times the probability of the arm it was given, under one posterior.

    ``scale`` includes alpha^2.
    """
    n, arms = rows.shape[0], theta.shape[0]
    means, deviations = np.empty((CHUNK, arms)), np.empty((CHUNK, arms))
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        part = rows[start:stop]
        for a in range(arms):
            images = np.dot(part, inverse[a])
            centres = np.dot(part, theta[a])
            for i in range(stop - start):
                quadratic = 0.0
                for j in range(rows.shape[1]):
                    quadratic += images[i, j] * part[i, j]
                means[i, a] = centres[i]
                deviations[i, a] = math.sqrt(scale[a] * max(quadratic, 0.0))
        for i in range(stop - start):
            shares[start + i] += periods * win_probability(means[i], deviations[i], chosen[start + i])


@kernel
def monte_carlo_propensity(store, uniform_periods, z, arm, draws, rng):
    """The paper's Monte-Carlo propensity of ``arm`` at ``z``: draw a period, then every arm's reward; count.

    In the ``uniform_periods`` before every arm had an estimate, each arm was as likely.
    """
    arms, count = store.theta.shape[1], store.number[0]
    means, deviations = np.empty((count, arms)), np.empty((count, arms))
    for c in range(count):
        for a in range(arms):
            means[c, a] = np.dot(z, store.theta[c, a])
            quadratic = np.dot(z, np.dot(store.inverse[c, a], z))
            deviations[c, a] = math.sqrt(store.scale[c, a] * max(quadratic, 0.0))
    total = uniform_periods + store.periods[:count].sum()
    won = 0
    for _ in range(draws):
        period = rng.random() * total - uniform_periods
        if period < 0.0:
            won += 1 if int(rng.random() * arms) == arm else 0
            continue
        c = 0
        while c < count - 1 and period >= store.periods[c]:
            period -= store.periods[c]
            c += 1
        best, highest = 0, -np.inf
        for a in range(arms):
            draw = means[c, a] + deviations[c, a] * rng.standard_normal()
            if draw > highest:
                best, highest = a, draw
        won += 1 if best == arm else 0
    return won / draws
