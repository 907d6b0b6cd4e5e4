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
# Phi by its Taylor series about the nearest of equally spaced points; the error is below 1e-12, beyond their reach too.
REACH, STEPS = 8, 256
PHI = np.array([_NORMAL.cdf(i / STEPS - REACH) for i in range(2 * REACH * STEPS + 1)])
DENSITY = np.array([_NORMAL.pdf(i / STEPS - REACH) for i in range(2 * REACH * STEPS + 1)])


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


@tight
def put_posterior(store, place, theta, inverse, scale, factor, periods):
    """Write a posterior, its scale times ``factor``, to ``place``."""
    for a in range(theta.shape[0]):
        store.scale[place, a] = factor * scale[a]
        for i in range(theta.shape[1]):
            store.theta[place, a, i] = theta[a, i]
            for j in range(theta.shape[1]):
                store.inverse[place, a, i, j] = inverse[a, i, j]
    store.periods[place] = periods


@kernel
def keep_posterior(store, arms, alpha, periods):
    """Keep the arms' present posterior for ``periods`` periods.

    When there is no more room, of every two neighbours the later one stands for both.
    """
    if store.number[0] == store.periods.size:
        store.number[0] //= 2
        for i in range(store.number[0]):
            later = 2 * i + 1
            together = store.periods[later] + store.periods[later - 1]
            put_posterior(store, i, store.theta[later], store.inverse[later], store.scale[later], 1.0, together)
    put_posterior(store, store.number[0], arms.theta, arms.inverse, arms.scale, alpha**2, periods)
    store.number[0] += 1


@tight
def phi(x):
    """Standard normal distribution function; no branches, so that a loop of it becomes vector instructions."""
    x = x if x > -REACH else -REACH
    x = x if x < REACH else REACH
    i = int((x + REACH) * STEPS + 0.5)
    x0 = i / STEPS - REACH
    h = x - x0
    return PHI[i] + h * DENSITY[i] * (1.0 - 0.5 * h * x0 + h * h * (x0 * x0 - 1.0) / 6.0)


@tight
def win_probability(means, deviations, arm, nodes):
    """Probability that the draw of ``arm`` is the highest, draws being independent normals; ``nodes`` is scratch."""
    if means.size == 1:
        return 1.0
    if means.size == 2:
        other = 1 - arm
        spread = math.sqrt(deviations[arm] ** 2 + deviations[other] ** 2)
        lead = means[arm] - means[other]
        if spread == 0.0:
            return 0.5 if lead == 0.0 else (1.0 if lead > 0.0 else 0.0)
        return 0.5 * math.erfc(-lead / (spread * math.sqrt(2.0)))
    for k in range(NODES):
        nodes[k] = 1.0
    for other in range(means.size):
        if other == arm:
            continue
        lead, spread = means[arm] - means[other], deviations[arm]
        if lead + spread * QUANTILES[NODES - 1] < -REACH * deviations[other]:
            return 0.0  # loses at every node
        if lead + spread * QUANTILES[0] > REACH * deviations[other]:
            continue  # wins at every node
        if deviations[other] > 0.0:
            lead, spread = lead / deviations[other], spread / deviations[other]
            for k in range(NODES):
                nodes[k] *= phi(lead + spread * QUANTILES[k])
        else:
            for k in range(NODES):
                draw = lead + spread * QUANTILES[k]
                nodes[k] *= 1.0 if draw > 0.0 else (0.5 if draw == 0.0 else 0.0)
    total = 0.0
    for k in range(NODES):
        total += nodes[k]
    return total / NODES


@kernel
def win_probabilities(means, deviations):
    """Probabilities of all arms; they sum to one."""
    probabilities, nodes, total = np.empty(means.size), np.empty(NODES), 0.0
    for arm in range(means.size):
        probabilities[arm] = win_probability(means, deviations, arm, nodes)
        total += probabilities[arm]
    for arm in range(means.size):
        probabilities[arm] /= total
    return probabilities


@kernel
def add_shares(rows, chosen, theta, inverse, scale, periods, shares):
    """Add, for each row (n, p), ``periods`` times the probability of the arm it was given, under one posterior.

    ``scale`` includes alpha^2.
    """
    n, arms = rows.shape[0], theta.shape[0]
    means, deviations, nodes = np.empty((CHUNK, arms)), np.empty((CHUNK, arms)), np.empty(NODES)
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
            shares[start + i] += periods * win_probability(means[i], deviations[i], chosen[start + i], nodes)


@kernel
def monte_carlo_propensity(store, uniform_periods, z, arm, draws, rng):
    """The paper's Monte-Carlo propensity of ``arm`` at ``z``: draw a period, then every arm's reward; count.

    In the ``uniform_periods`` before every arm had an estimate, each arm was as likely.
    """
    arms, count = store.theta.shape[1], store.number[0]
    means, deviations, total = np.empty((count, arms)), np.empty((count, arms)), float(uniform_periods)
    for c in range(count):
        total += store.periods[c]
        for a in range(arms):
            mean, quadratic = 0.0, 0.0
            for i in range(z.size):
                mean += z[i] * store.theta[c, a, i]
                for j in range(z.size):
                    quadratic += z[i] * store.inverse[c, a, i, j] * z[j]
            means[c, a], deviations[c, a] = mean, math.sqrt(store.scale[c, a] * max(quadratic, 0.0))
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
