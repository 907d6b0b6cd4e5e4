"""One weighted ridge regression per arm: fitted from its history and updated after every observation.

For the rows z of an arm, with weights w and rewards r, and with D = diag(0, 1, ..., 1) if the first coefficient is an
unpenalised ("free") intercept and D = I otherwise:

    B      = Z'WZ + lam D                               theta = B^-1 Z'W r
    cost   = min over theta of  RSS + lam theta'D theta,      RSS = (r - Z theta)'W (r - Z theta)

``fit`` chooses lam and computes all of these from the rows (see ``penalty``). ``observe`` adds one row by a rank-one
update, in O(p^2). Rounding errors accumulate over many updates; ``drift`` measures them, so that an arm is refitted
before they matter.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.kernels import kernel, reordered, tight
from balanced_bandits.estimation.leave_one_out import Fit, fit_tall, fit_wide
from balanced_bandits.estimation.penalty import FIXED, LOO, choose_penalty, decompose, place_of, slopes_of

RESIDUAL = 0
LITERAL = 1
MEAN = 2
VARIANCES = {"residual": RESIDUAL, "literal": LITERAL, "mean": MEAN}
ONE = 0  # the grid of lam is in absolute numbers, or ...
DATA = 1  # ... in multiples of ``spread`` of the arm's rows
UNITS = {"one": ONE, "data": DATA}
NO_SPREAD = 1e-12  # relative spread of rows that counts as none
LARGEST_DRIFT = 1e-7  # relative error of B^-1 above which an arm is refitted
FIRST_CHECK = 256  # rank-one updates before the drift is measured for the first time


class Model(NamedTuple):
    """The parameters that all arms share.

    ``variance`` sets the scale s2 of V = B^-1 s2, the variance of theta:

    RESIDUAL  s2 = (RSS + prior_weight * prior_variance) / (n - freedom + prior_weight): the usual estimate of the
              variance of a reward, where freedom is the trace of the hat matrix. If all rewards of an arm were equal,
              RSS would be 0 and the arm would never be explored again; the prior, which counts as ``prior_weight``
              observations of variance ``prior_variance``, prevents this. prior_weight = 0 gives the usual formula.
    LITERAL   s2 = RSS, undivided, as printed in the algorithm boxes of the paper. It does not shrink as observations
              arrive, so exploration never stops. Both options exist because the text (section 2.2) describes the
              variance of the estimate, which is RESIDUAL, while the boxes print LITERAL.
    MEAN      s2 = RSS / n, the mean squared residual, which later code of the paper's authors uses.
    """

    free: int  # number of leading coefficients that are not penalised: 1 for a free intercept, else 0
    lams: NDArray[np.float64]  # the grid of lam, ascending
    criterion: int  # how lam is chosen from the grid: see penalty.CRITERIA
    ties: int  # which lam where errors are equal: see penalty.TIES
    folds: int  # for the criterion KFOLD
    variance: int
    prior_weight: float
    prior_variance: float
    unit: int = ONE  # of the grid of lam: see UNITS


class Arms(NamedTuple):
    """The estimates of K arms with p coefficients each: arrays that the kernels change in place."""

    inverse: NDArray[np.float64]  # (K, p, p): B^-1, symmetric; updates change its lower triangle only, see ``mirror``
    theta: NDArray[np.float64]  # (K, p): coefficients
    pulls: NDArray[np.int64]  # (K,): number of observations
    lam: NDArray[np.float64]  # (K,): current penalty
    cost: NDArray[np.float64]  # (K,): penalised residual sum of squares at theta
    freedom: NDArray[np.float64]  # (K,): effective degrees of freedom, the trace of the hat matrix
    scale: NDArray[np.float64]  # (K,): s2 of V = B^-1 s2
    leverage: NDArray[np.float64]  # (K, p): B^-1 z for the last context z that was evaluated
    mean: NDArray[np.float64]  # (K,): z'theta for the same z
    quadratic: NDArray[np.float64]  # (K,): z'B^-1 z for the same z
    # For leave-one-out: sums over the first rows of each arm.
    products: NDArray[np.float64]  # (K, p + 1, p + 1): of w (z, r)(z, r)', from the origin; only the lower triangle
    origin: NDArray[np.float64]  # (K, p + 1): near the means if the intercept is free, so that centring loses no digits
    included: NDArray[np.int64]  # (K,): number of rows in the sums
    begun: NDArray[np.int64]  # (K,): number of rows when the sums were last begun anew, 0 if never


@kernel
def new_arms(number, size, model):
    """``number`` arms with ``size`` coefficients each and no observations; lam starts where ties go to."""
    return Arms(
        np.zeros((number, size, size)),
        np.zeros((number, size)),
        np.zeros(number, dtype=np.int64),
        np.full(number, model.lams[place_of(model.lams, model.ties)]),
        np.zeros(number),
        np.zeros(number),
        np.zeros(number),
        np.zeros((number, size)),
        np.zeros(number),
        np.zeros(number),
        np.zeros((number, size + 1, size + 1)),
        np.zeros((number, size + 1)),
        np.zeros(number, dtype=np.int64),
        np.zeros(number, dtype=np.int64),
    )


@tight
def mirror(arms, arm):
    """Copy the lower triangle of B^-1 of ``arm`` to the upper one, for code that reads the whole matrix."""
    for i in range(arms.theta.shape[1]):
        for j in range(i):
            arms.inverse[arm, j, i] = arms.inverse[arm, i, j]


@reordered
def project(arms, arm, z):
    """Evaluate ``arm`` at ``z``: write z'theta, z'B^-1 z and B^-1 z to ``arms``."""
    # Only the lower triangle is read; each entry also serves as its mirror image. This halves the memory traffic, the
    # bottleneck for large matrices. Processing four rows at a time quarters the loads and stores of the sums.
    inverse, leverage, size = arms.inverse, arms.leverage, z.size
    done = 0
    while done + 3 < size:
        z0, z1, z2, z3 = z[done], z[done + 1], z[done + 2], z[done + 3]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(done):
            b0, b1 = inverse[arm, done, j], inverse[arm, done + 1, j]
            b2, b3 = inverse[arm, done + 2, j], inverse[arm, done + 3, j]
            leverage[arm, j] += (z0 * b0 + z1 * b1) + (z2 * b2 + z3 * b3)
            s0, s1, s2, s3 = s0 + z[j] * b0, s1 + z[j] * b1, s2 + z[j] * b2, s3 + z[j] * b3
        b10, b20, b30 = inverse[arm, done + 1, done], inverse[arm, done + 2, done], inverse[arm, done + 3, done]
        b21, b31 = inverse[arm, done + 2, done + 1], inverse[arm, done + 3, done + 1]
        b32 = inverse[arm, done + 3, done + 2]
        leverage[arm, done] = s0 + ((z0 * inverse[arm, done, done] + z1 * b10) + (z2 * b20 + z3 * b30))
        leverage[arm, done + 1] = s1 + ((z0 * b10 + z1 * inverse[arm, done + 1, done + 1]) + (z2 * b21 + z3 * b31))
        leverage[arm, done + 2] = s2 + ((z0 * b20 + z1 * b21) + (z2 * inverse[arm, done + 2, done + 2] + z3 * b32))
        leverage[arm, done + 3] = s3 + ((z0 * b30 + z1 * b31) + (z2 * b32 + z3 * inverse[arm, done + 3, done + 3]))
        done += 4
    for i in range(done, size):
        total = z[i] * inverse[arm, i, i]
        for j in range(i):
            leverage[arm, j] += z[i] * inverse[arm, i, j]
            total += z[j] * inverse[arm, i, j]
        leverage[arm, i] = total
    mean, quadratic = 0.0, 0.0
    for j in range(size):
        mean += z[j] * arms.theta[arm, j]
        quadratic += z[j] * leverage[arm, j]
    arms.mean[arm] = mean
    arms.quadratic[arm] = max(quadratic, 0.0)


@tight
def predict(arms, arm, z):
    """Mean and standard deviation of the reward of ``arm`` at ``z``: z'theta and sqrt(z'Vz)."""
    project(arms, arm, z)
    return arms.mean[arm], math.sqrt(arms.scale[arm] * arms.quadratic[arm])


@tight
def observe(arms, arm, z, reward, weight, known, model):
    """Add one observation of ``arm`` by a rank-one update; ``known``: z is the last context that was evaluated."""
    inverse, theta, leverage, size = arms.inverse, arms.theta, arms.leverage, z.size
    lam, penalty = arms.lam[arm], 0.0
    if arms.pulls[arm] == 0 and model.free == 1:
        # B = w zz' + lam D has a closed-form inverse; the intercept alone fits the reward.
        norm = 0.0
        for i in range(1, size):
            inverse[arm, i, i] = 1.0 / lam
            inverse[arm, i, 0] = -z[i] / lam
            norm += z[i] * z[i]
        inverse[arm, 0, 0] = 1.0 / weight + norm / lam
        theta[arm, 0] = reward
        arms.freedom[arm] = 1.0
    else:
        if arms.pulls[arm] == 0:
            for i in range(size):
                inverse[arm, i, i] = 1.0 / lam
        if not known:
            project(arms, arm, z)
        gain = weight / (1.0 + weight * arms.quadratic[arm])
        error, traced = reward - arms.mean[arm], 0.0
        for i in range(size):
            step = gain * leverage[arm, i]
            theta[arm, i] += error * step
            if i >= model.free:
                penalty += theta[arm, i] * theta[arm, i]
                traced += leverage[arm, i] * leverage[arm, i]
            for j in range(i + 1):
                inverse[arm, i, j] -= step * leverage[arm, j]
        # freedom = trace(B^-1 Z'WZ) = p - lam * (trace of B^-1 over the penalised coefficients)
        arms.freedom[arm] += lam * gain * traced
        arms.cost[arm] += gain * error * error
    arms.pulls[arm] += 1
    rescale(arms, arm, penalty, model)


@tight
def rescale(arms, arm, penalty, model):
    """Compute s2 of ``arm`` from its cost, ``penalty`` = theta'D theta, and its number of observations."""
    rss = max(arms.cost[arm] - arms.lam[arm] * penalty, 0.0)
    if model.variance == LITERAL:
        arms.scale[arm] = rss
    elif model.variance == MEAN:
        arms.scale[arm] = rss / arms.pulls[arm]
    else:
        left = max(arms.pulls[arm] - arms.freedom[arm], 0.0) + model.prior_weight
        arms.scale[arm] = (rss + model.prior_weight * model.prior_variance) / left if left > 0.0 else 0.0


@kernel
def fit(arms, arm, rows, rewards, weights, model):
    """Fit ``arm`` from its rows (n, p), with lam chosen by the model's criterion (FIXED keeps it).

    With leave-one-out, the sums over the first rows are those of the last fit: ``forget`` them if the rows changed.
    """
    free, lams = model.free, model.lams
    if model.unit == DATA:
        unit, lams = spread(rows, weights, free), lams.copy()
        for k in range(lams.size):
            lams[k] *= unit
    if model.criterion == LOO:
        place = place_of(lams, model.ties)
        if rewards.size >= rows.shape[1] - free:
            found = fit_tall(arms, arm, rows, rewards, weights, free, lams, place)
        else:
            found = fit_wide(rows, rewards, weights, free, lams, place)
        if not found.well:
            found = fit_by_parts(rows, rewards, weights, arms.lam[arm], lams, model)
    else:
        found = fit_by_parts(rows, rewards, weights, arms.lam[arm], lams, model)
    lam, block, slopes, theta, inverse = found.lam, found.block, found.slopes, arms.theta[arm], arms.inverse[arm]
    penalty, freedom = 0.0, float(free + slopes.size)
    for i in range(slopes.size):
        theta[free + i] = slopes[i]
        penalty += slopes[i] ** 2
        freedom -= lam * block[i, i]
        for j in range(i + 1):
            inverse[free + i, free + j] = inverse[free + j, free + i] = block[i, j]
    if free == 1:
        theta[0], inverse[0, 0] = found.level, 1.0 / found.total
        shift = np.dot(inverse[1:, 1:].copy(), found.centre)
        for j in range(slopes.size):
            inverse[0, j + 1] = inverse[j + 1, 0] = -shift[j]
            inverse[0, 0] += found.centre[j] * shift[j]
            theta[0] -= found.centre[j] * slopes[j]
    fitted, cost = np.dot(rows, theta), lam * penalty
    for i in range(rewards.size):
        cost += weights[i] * (rewards[i] - fitted[i]) ** 2
    arms.lam[arm], arms.cost[arm], arms.freedom[arm] = lam, cost, freedom
    rescale(arms, arm, penalty, model)


@kernel
def spread(rows, weights, free):
    """The mean of the columns' weighted sums of squares, around their means if the intercept is free.

    1 if that is 0 up to rounding, compared with the sums of squares themselves.

    A grid in multiples of it grows with the observations and with the scale of the contexts, as that of glmnet does.
    """
    n, size = rows.shape
    total, squares, uncentred = 0.0, 0.0, 0.0
    for i in range(n):
        total += weights[i]
    for j in range(free, size):
        centre = 0.0
        if free == 1:
            for i in range(n):
                centre += weights[i] * rows[i, j]
            centre /= total
        for i in range(n):
            squares += weights[i] * (rows[i, j] - centre) ** 2
            uncentred += weights[i] * rows[i, j] ** 2
    return squares / (size - free) if squares > NO_SPREAD * uncentred else 1.0


@kernel
def fit_by_parts(rows, rewards, weights, lam, lams, model):
    """The fit of an arm by a decomposition of its rows, which serves every criterion; FIXED keeps ``lam``."""
    free = model.free
    parts = decompose(rows, rewards, weights, free)
    if model.criterion != FIXED:
        lam = choose_penalty(rows, rewards, weights, free, parts, lams, model.criterion, model.folds, model.ties)
    # (S + lam)^-1 = Q diag(1 / (D + lam)) Q' + (I - QQ') / lam, where Q spans the rows; I = QQ' if Q is square
    values, basis = parts.values, parts.basis
    beyond = 0.0 if values.size == basis.shape[0] else 1.0 / lam
    stretched = np.empty(basis.shape)
    for k in range(values.size):
        for j in range(basis.shape[0]):
            stretched[j, k] = basis[j, k] * (1.0 / (values[k] + lam) - beyond)
    block = np.dot(stretched, basis.T)
    for i in range(basis.shape[0]):
        block[i, i] += beyond
    return Fit(lam, block, slopes_of(parts, lam), parts.centre, parts.level, parts.total, True)


@tight
def forget(arms, arm):
    """Have the next fit of ``arm`` sum over all its rows, since their weights have changed."""
    arms.included[arm] = 0


@kernel
def drift(arms, arm, rows, weights, model):
    """Measured relative error of B^-1 of ``arm``: the size of B (B^-1 v) - v relative to v, for a probe vector v."""
    mirror(arms, arm)
    size = arms.theta.shape[1]
    image, back = np.zeros(size), np.zeros(size)
    for i in range(size):
        for j in range(size):
            image[i] += arms.inverse[arm, i, j] * (1.0 - 2.0 * (j % 2))  # v = (1, -1, 1, ...)
    for i in range(weights.size):
        product = 0.0
        for j in range(size):
            product += rows[i, j] * image[j]
        for j in range(size):
            back[j] += weights[i] * product * rows[i, j]
    largest = 0.0
    for j in range(size):
        penalised = arms.lam[arm] * image[j] if j >= model.free else 0.0
        largest = max(largest, abs(back[j] + penalised - (1.0 - 2.0 * (j % 2))))
    return largest


@tight
def someone_is_new(arms):
    """Whether an arm has no estimate yet."""
    fewest = arms.pulls[0]
    for a in range(1, arms.pulls.size):
        fewest = min(fewest, arms.pulls[a])
    return fewest == 0


@tight
def best_of(values, rng):
    """Index of the largest value; ties are broken at random with ``rng``."""
    best, ties = 0, 1
    for i in range(1, values.size):
        if values[i] > values[best]:
            best, ties = i, 1
        elif values[i] == values[best]:
            ties += 1
            if rng.random() * ties < 1.0:
                best = i
    return best
