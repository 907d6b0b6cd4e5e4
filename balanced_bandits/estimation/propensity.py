"""Propensities of Thompson sampling: the probability that the draw of an arm is the highest.

The paper (section 2.3) treats the arrival time of a context as random: its propensity is the probability of its arm in
a random period. That is an average over all periods, each under the posterior that it chose with.

Periods are counted in intervals. Each interval is represented by one of its periods, drawn before the interval begins,
so the average is unbiased, however long the intervals are. For contexts that have arrived, an interval adds one term to
a running sum. For contexts that arrive later, ``Posteriors`` keeps at most C posteriors. To make room, the two
neighbours that represent the fewest periods become one; the survivor is drawn in proportion to their periods. By
induction, each survivor is uniformly distributed over the periods that it represents, so this is unbiased as well.

With T periods, merging makes no group of more than 2 T / (C - 1) of them, since C neighbours form C - 1 pairs whose
periods sum to at most 2 T. If the groups have g_1, g_2, ... periods, the variance of a propensity is at most
sum (g_i / T)^2 / 4 <= max g_i / (4 T).
"""

import math
import statistics
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.lapack import cholesky, triangular_forms

EXACT = 0  # closed form for two arms, quadrature for more, averaged over earlier periods
MONTE_CARLO = 1  # as in the paper: draw a period, draw every arm's reward, count which arm is highest
ASSIGNMENT = 2  # the probability at the time of choice, never updated
METHODS = {"exact": EXACT, "monte_carlo": MONTE_CARLO, "assignment": ASSIGNMENT}

CHUNK = 256  # rows that are processed together
NOTHING = 1e-14  # pivots below this share of their diagonal entry are rounding errors
_NORMAL = statistics.NormalDist()
# The integral over the standardised draw of an arm is taken where the integrand is not negligible: from where another
# arm is LEAD of its own deviations above, to where the normal density vanishes. Gauss-Legendre nodes are dense at the
# ends, where a narrow competitor makes a steep edge. The relative error is below 1 % for probabilities down to 0.005,
# even if deviations differ by a factor of a hundred (tests/unit/estimation/test_propensity.py).
NODES = 32
ABSCISSAE, WEIGHTS = np.polynomial.legendre.leggauss(NODES)
LEAD, TOP, SPAN = 4.0, 4.5, 2.5
SURE = 5.0  # deviations by which an arm that is below at every node is ignored: 3e-7
# Phi is expanded in a Taylor series about the nearest of equally spaced points; the error is below 1e-12 everywhere.
REACH, STEPS = 8, 256
PHI = np.array([_NORMAL.cdf(i / STEPS - REACH) for i in range(2 * REACH * STEPS + 1)])
DENSITY = np.array([_NORMAL.pdf(i / STEPS - REACH) for i in range(2 * REACH * STEPS + 1)])


class Posteriors(NamedTuple):
    """Up to C earlier posteriors of the K arms, each with the number of periods that it represents.

    The last place, C, holds the posterior that represents the present interval.
    """

    theta: NDArray[np.float64]  # (C + 1, K, p)
    factor: NDArray[np.float64]  # (C + 1, K, p, p): lower triangular L, where LL' = B^-1; zeros above the diagonal
    scale: NDArray[np.float64]  # (C + 1, K), including alpha^2
    periods: NDArray[np.float64]  # (C + 1,)
    number: NDArray[np.int64]  # (1,): number of posteriors kept


@kernel
def new_posteriors(capacity, arms, size):
    """An empty store for ``capacity`` posteriors; without capacity, an array of no posteriors."""
    places = capacity + 1 if capacity > 0 else 0
    return Posteriors(
        np.zeros((places, arms, size)),
        np.zeros((places, arms, size, size)),
        np.zeros((places, arms)),
        np.zeros(places),
        np.zeros(1, dtype=np.int64),
    )


@kernel
def put_posterior(store, place, theta, inverse, scale, factor):
    """Write a posterior to index ``place``, with its scale multiplied by ``factor``.

    Of B^-1, ``inverse`` (K, p, p), only the lower triangle is read.
    """
    for a in range(theta.shape[0]):
        store.scale[place, a] = factor * scale[a]
        for i in range(theta.shape[1]):
            store.theta[place, a, i] = theta[a, i]
        halve(inverse[a], store.factor[place, a])


@kernel
def halve(inverse, factor):
    """Write the lower triangular L to ``factor``, where LL' = B^-1."""
    copy_triangle(inverse, factor)
    if cholesky(factor):
        return
    # B^-1 is singular up to rounding: leave out the directions without variance
    copy_triangle(inverse, factor)
    for i in range(factor.shape[0]):
        for j in range(i + 1):
            rest = factor[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = math.sqrt(rest) if rest > NOTHING * inverse[i, i] else 0.0
            else:
                factor[i, j] = rest / factor[j, j] if factor[j, j] > 0.0 else 0.0


@tight
def copy_triangle(matrix, result):
    """Copy the lower triangle of a matrix; what is above the diagonal becomes zero."""
    for i in range(result.shape[0]):
        for j in range(i + 1):
            result[i, j] = matrix[i, j]
        for j in range(i + 1, result.shape[0]):
            result[i, j] = 0.0


@kernel
def move_posterior(store, source, place):
    """Copy a posterior and its number of periods from one place to another."""
    store.theta[place] = store.theta[source]
    store.factor[place] = store.factor[source]
    store.scale[place] = store.scale[source]
    store.periods[place] = store.periods[source]


@kernel
def keep_posterior(store, periods, rng):
    """Keep the posterior of the present interval for ``periods`` periods; merge two neighbours if the store is full."""
    capacity = store.periods.size - 1
    if store.number[0] == capacity:
        first, fewest = 0, np.inf
        for i in range(capacity - 1):
            together = store.periods[i] + store.periods[i + 1]
            if together < fewest:
                first, fewest = i, together
        if rng.random() * fewest < store.periods[first + 1]:
            move_posterior(store, first + 1, first)
        store.periods[first] = fewest
        for i in range(first + 1, capacity - 1):
            move_posterior(store, i + 1, i)
        store.number[0] -= 1
    store.periods[capacity] = periods
    move_posterior(store, capacity, store.number[0])
    store.number[0] += 1


@tight
def phi(x):
    """Standard normal distribution function, without branches, so that a loop over it is vectorised."""
    x = x if x > -REACH else -REACH
    x = x if x < REACH else REACH
    i = int((x + REACH) * STEPS + 0.5)
    x0 = i / STEPS - REACH
    h = x - x0
    return PHI[i] + h * DENSITY[i] * (1.0 - 0.5 * h * x0 + h * h * (x0 * x0 - 1.0) / 6.0)


@tight
def density(x):
    """Standard normal density within ``REACH``, by the same expansion as ``phi``."""
    i = int((x + REACH) * STEPS + 0.5)
    x0 = i / STEPS - REACH
    h = x - x0
    return DENSITY[i] * (1.0 - h * (x0 - 0.5 * h * (x0 * x0 - 1.0 - h * (x0 * x0 * x0 - 3.0 * x0) / 3.0)))


@tight
def step(lead, deviation):
    """Probability that a normal draw is below ``lead``; a step if it has no deviation, one half at the step."""
    if deviation > 0.0:
        return phi(lead / deviation)
    return 0.5 if lead == 0.0 else (1.0 if lead > 0.0 else 0.0)


@tight
def win_probability(means, deviations, arm, nodes):
    """Probability that the draw of ``arm`` is the highest of independent normal draws; ``nodes`` is scratch."""
    if means.size == 1:
        return 1.0
    if means.size == 2:
        other = 1 - arm
        spread = math.sqrt(deviations[arm] ** 2 + deviations[other] ** 2)
        lead = means[arm] - means[other]
        if spread == 0.0:
            return 0.5 if lead == 0.0 else (1.0 if lead > 0.0 else 0.0)
        return 0.5 * math.erfc(-lead / (spread * math.sqrt(2.0)))
    mean, deviation = means[arm], deviations[arm]
    if deviation == 0.0:
        product = 1.0
        for other in range(means.size):
            if other != arm:
                product *= step(mean - means[other], deviations[other])
        return product
    low = -LEAD
    for other in range(means.size):
        if other != arm:
            low = max(low, (means[other] - mean - LEAD * deviations[other]) / deviation)
    high = max(TOP, low + SPAN)
    if high >= REACH:
        return 0.0  # less than 1e-8
    middle, half = 0.5 * (high + low), 0.5 * (high - low)
    for k in range(NODES):
        nodes[k] = half * WEIGHTS[k] * density(middle + half * ABSCISSAE[k])
    for other in range(means.size):
        if other == arm:
            continue
        lead = mean + deviation * middle - means[other]
        if lead - deviation * half > SURE * deviations[other]:
            continue  # the other is below at every node
        if deviations[other] > 0.0:
            at, slope = lead / deviations[other], deviation * half / deviations[other]
            for k in range(NODES):
                nodes[k] *= phi(at + slope * ABSCISSAE[k])
        else:
            for k in range(NODES):
                nodes[k] *= step(lead + deviation * half * ABSCISSAE[k], 0.0)
    total = 0.0
    for k in range(NODES):
        total += nodes[k]
    return min(total, 1.0)


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
def add_shares(rows, chosen, theta, factor, scale, periods, shares):
    """For each row (n, p), add ``periods`` times the probability of its arm under one posterior to ``shares``.

    ``factor`` are the lower triangular L of the arms, with LL' = B^-1, so z'B^-1 z = |L'z|^2; ``scale`` includes
    alpha^2.
    """
    n, arms = rows.shape[0], theta.shape[0]
    chunk = min(CHUNK, n)
    deviations, quadratic, nodes = np.empty((chunk, arms)), np.empty(chunk), np.empty(NODES)
    for start in range(0, n, CHUNK):
        part = rows[start : min(start + CHUNK, n)]
        means = np.dot(part, theta.T)
        for a in range(arms):
            triangular_forms(part, factor[a], quadratic)
            for i in range(part.shape[0]):
                deviations[i, a] = math.sqrt(scale[a] * quadratic[i])
        for i in range(part.shape[0]):
            shares[start + i] += periods * win_probability(means[i], deviations[i], chosen[start + i], nodes)


@kernel
def monte_carlo_propensity(store, uniform_periods, z, arm, draws, rng):
    """Monte Carlo propensity of ``arm`` at ``z``, as in the paper: draw a period, then every arm's reward, and count.

    In the ``uniform_periods`` before every arm had an estimate, all arms were equally likely.
    """
    arms, count = store.theta.shape[1], store.number[0]
    means, deviations, total = np.empty((count, arms)), np.empty((count, arms)), float(uniform_periods)
    image = np.empty(z.size)  # L'z
    for c in range(count):
        total += store.periods[c]
        for a in range(arms):
            mean, quadratic = 0.0, 0.0
            for i in range(z.size):
                mean += z[i] * store.theta[c, a, i]
                image[i] = 0.0
                for j in range(i + 1):
                    image[j] += z[i] * store.factor[c, a, i, j]
            for j in range(z.size):
                quadratic += image[j] * image[j]
            means[c, a], deviations[c, a] = mean, math.sqrt(store.scale[c, a] * quadratic)
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
