"""Approximate residual balancing (section 2.3 of the paper): weights of an arm's rows that balance their contexts.

For the n rows x_i of an arm and a target x, the mean of all contexts so far, the weights are the solution of

    minimise  (1 - zeta) |w|^2 + zeta |x - sum_i w_i x_i|_inf^2   subject to  sum_i w_i = 1,  0 <= w_i <= n^(-2/3)

The dual has one multiplier per column. With y_i = x_i - (mean of the rows), v = (mean of the rows) - x and
s = 2 (1 - zeta):

    minimise over m   m'b - (1 - zeta) |w|^2 + |m|_1^2 / (4 zeta),   where  b = v + sum_i w_i y_i,
                      w_i = clip(level + m'y_i / s, 0, n^(-2/3)),    and the level is such that the weights sum to 1

This function is convex, and quadratic between kinks. Its gradient is b + sign(m) |m|_1 / (2 zeta). Newton's method
moves the multipliers that are not 0 or that must not stay there; those that would change their sign stop at 0. Damping
(Levenberg and Marquardt) makes the step shorter where it fails: rows at a bound have no curvature.

For any multipliers, the weights satisfy the constraints, and their distance from the solution w* is known:
(1 - zeta) |w - w*|^2 <= gap, the difference between both objectives. The method stops when the gap is negligible.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.kernels import kernel, tight, written_out
from balanced_bandits.estimation.lapack import add_gram, cholesky

INVERSE_PROPENSITY = 0
RESIDUAL_BALANCING = 1
WEIGHTS = {"inverse_propensity": INVERSE_PROPENSITY, "residual_balancing": RESIDUAL_BALANCING}

TOLERANCE = 1e-16  # of the gap, as a share of (1 - zeta) |w|^2: |w - w*| <= 1e-8 |w|
ROUNDING = 1e-15  # smaller changes of the objective, as a share of its terms, are rounding errors
CHUNK = 256  # rows whose part of the Hessian is computed together
FIRST_DAMPING = 1e-3
LEAST_DAMPING = 1e-12
MOST_STEPS = 500
MOST_DAMPINGS = 40


class Problem(NamedTuple):
    """The rows of an arm, and what is asked of their weights."""

    rows: NDArray[np.float64]  # (n, p): y, the rows minus their mean
    offset: NDArray[np.float64]  # (p,): v, that mean minus the target
    cap: float  # the largest weight
    zeta: float


class Point(NamedTuple):
    """The dual at some multipliers."""

    level: float  # added to all rows' images, so that the weights sum to 1
    norm: float  # |m|_1
    largest: float  # |b|_inf
    squares: float  # |w|^2
    value: float  # of the dual's objective
    gap: float  # between the objectives: zeta |b|_inf^2 + m'b + |m|_1^2 / (4 zeta), in terms that are not negative


@written_out
def centred_problem(rows, target, zeta):
    """The problem of rows (n, p) and a target (p,)."""
    n, size = rows.shape
    moved, mean, offset = np.empty((n, size)), np.zeros(size), np.empty(size)
    for i in range(n):
        for j in range(size):
            mean[j] += rows[i, j]
    for j in range(size):
        mean[j] /= n
        offset[j] = mean[j] - target[j]
    for i in range(n):
        for j in range(size):
            moved[i, j] = rows[i, j] - mean[j]
    return Problem(moved, offset, n ** (-2.0 / 3.0), zeta)


@kernel
def fill(weights, images, cap, level):
    """Set ``weights`` to clip(level + images, 0, cap), with the level at which they sum to 1; returns that level.

    Their sum is linear in the level between kinks and increasing: Newton's method within a bracket, from ``level``.
    """
    n, low, high = weights.size, -images[0], cap - images[0]
    for i in range(1, n):
        low, high = min(low, -images[i]), max(high, cap - images[i])
    level = min(max(level, low), high)
    while True:
        total, between = 0.0, 0
        for i in range(n):
            weight = level + images[i]
            if weight <= 0.0:
                weight = 0.0
            elif weight >= cap:
                weight = cap
            else:
                between += 1
            weights[i] = weight
            total += weight
        if abs(total - 1.0) <= 4e-16 * math.sqrt(n):
            return level
        if total < 1.0:
            low = level
        else:
            high = level
        guess = level - (total - 1.0) / between if between > 0 else low
        if not low < guess < high:
            guess = 0.5 * (low + high)
        if not low < guess < high:  # no number between them
            return level
        level = guess


@kernel
def evaluate(problem, multipliers, level, weights, imbalance):
    """The dual at ``multipliers``; writes w (n,) and b (p,)."""
    zeta = problem.zeta
    images = np.dot(problem.rows, multipliers)
    for i in range(images.size):
        images[i] /= 2.0 * (1.0 - zeta)
    level = fill(weights, images, problem.cap, level)
    np.dot(weights, problem.rows, imbalance)
    norm, largest, product, squares, unused = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(imbalance.size):
        imbalance[j] += problem.offset[j]
        norm += abs(multipliers[j])
        largest = max(largest, abs(imbalance[j]))
        product += multipliers[j] * imbalance[j]
    for i in range(weights.size):
        squares += weights[i] * weights[i]
    for j in range(imbalance.size):
        unused += abs(multipliers[j]) * largest + multipliers[j] * imbalance[j]
    value = product - (1.0 - zeta) * squares + norm * norm / (4.0 * zeta)
    gap = zeta * (largest - norm / (2.0 * zeta)) ** 2 + unused
    return Point(level, norm, largest, squares, value, gap)


@kernel
def curvature(problem, weights, places, signs):
    """Hessian (k, k) of the dual in the multipliers at ``places`` (k,), lower triangle; rows at a bound have none."""
    rows, cap, count = problem.rows, problem.cap, 0
    between, mean = np.empty(weights.size, dtype=np.int64), np.zeros(places.size)
    for i in range(weights.size):
        if 0.0 < weights[i] < cap:
            between[count] = i
            count += 1
            for k in range(places.size):
                mean[k] += rows[i, places[k]]
    for k in range(places.size):
        mean[k] /= max(count, 1)
    matrix, part = np.empty((places.size, places.size)), np.empty((CHUNK, places.size))
    for k in range(places.size):
        for other in range(places.size):
            matrix[k, other] = signs[k] * signs[other] / (2.0 * problem.zeta)
    root = math.sqrt(0.5 / (1.0 - problem.zeta))
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        for i in range(start, stop):
            for k in range(places.size):
                part[i - start, k] = root * (rows[between[i], places[k]] - mean[k])
        add_gram(matrix, part[: stop - start])
    return matrix


@kernel
def damped_step(matrix, damping, slope, step):
    """Write -(matrix + diag(damping))^-1 slope to ``step`` (k,); returns whether the sum is positive definite."""
    size = slope.size
    factor = np.empty((size, size))
    for i in range(size):
        for k in range(i + 1):
            factor[i, k] = matrix[i, k]
        factor[i, i] += damping[i]
    if not cholesky(factor):
        return False
    for i in range(size):
        rest = -slope[i]
        for k in range(i):
            rest -= factor[i, k] * step[k]
        step[i] = rest / factor[i, i]
    for i in range(size - 1, -1, -1):
        rest = step[i]
        for k in range(i + 1, size):
            rest -= factor[k, i] * step[k]
        step[i] = rest / factor[i, i]
    return True


@tight
def copy(values, result):
    """Copy a vector."""
    for i in range(values.size):
        result[i] = values[i]


@written_out
def descend(problem, multipliers, weights):
    """Minimise the dual from ``multipliers`` (p,), in place; writes the weights, returns the point and the steps."""
    zeta = problem.zeta
    n, size = problem.rows.shape
    stiffness = np.full(size, 0.5 / zeta)
    for i in range(n):
        for j in range(size):
            stiffness[j] += 0.5 / (1.0 - zeta) * problem.rows[i, j] ** 2
    imbalance, moved, damped = np.empty(size), np.empty(size), np.empty(size)
    all_places, all_signs, all_slopes = np.empty(size, dtype=np.int64), np.empty(size), np.empty(size)
    trial, trial_weights, trial_imbalance = np.empty(size), np.empty(n), np.empty(size)
    here = evaluate(problem, multipliers, 1.0 / n, weights, imbalance)
    damping = FIRST_DAMPING
    for steps in range(MOST_STEPS):
        if here.gap <= TOLERANCE * (1.0 - zeta) * here.squares:
            return here, steps
        slack = here.norm / (2.0 * zeta)
        count = 0
        for j in range(size):
            if multipliers[j] != 0.0 or abs(imbalance[j]) > slack:
                leading = multipliers[j] if multipliers[j] != 0.0 else -imbalance[j]
                all_places[count], all_signs[count] = j, math.copysign(1.0, leading)
                all_slopes[count] = imbalance[j] + all_signs[count] * slack
                count += 1
        places, signs, slope = all_places[:count], all_signs[:count], all_slopes[:count]
        matrix = curvature(problem, weights, places, signs)
        noise = ROUNDING * (here.norm * (here.largest + 0.5 * slack) + (1.0 - zeta) * here.squares)
        better = False
        for attempt in range(MOST_DAMPINGS):
            for k in range(count):
                damped[k] = damping * stiffness[places[k]]
            if damped_step(matrix, damped, slope, moved):
                promised, change = 0.0, 0.0
                copy(multipliers, trial)
                for k in range(count):
                    j = places[k]
                    promised -= slope[k] * moved[k]
                    trial[j] += moved[k]
                    if trial[j] * signs[k] < 0.0:
                        trial[j] = 0.0
                    change += slope[k] * (trial[j] - multipliers[j])
                there = evaluate(problem, trial, here.level, trial_weights, trial_imbalance)
                flat = promised <= noise  # values can't be compared any more, but the gap can
                if flat:
                    better = there.gap < 0.5 * here.gap
                else:
                    better = change < 0.0 and there.value <= here.value + 1e-4 * change
                if better:
                    copy(trial, multipliers)
                    copy(trial_weights, weights)
                    copy(trial_imbalance, imbalance)
                    here = there
                    damping = max(0.1 * damping, LEAST_DAMPING) if attempt == 0 else damping
                    break
                if flat and damping == LEAST_DAMPING:
                    return here, steps
                if flat:  # perhaps the step is too short because it is damped
                    damping = LEAST_DAMPING
                    continue
            damping *= 10.0
        if not better:
            return here, steps
    return here, MOST_STEPS


@kernel
def balance_rows(rows, target, zeta, multipliers, weights):
    """Write the weights (n,) of an arm's rows (n, p), which sum to 1; returns the number of Newton steps.

    ``target`` (p,) is the mean that the weighted mean of the rows should have. The search starts from ``multipliers``
    (p,), zeros or those of an earlier solution, and leaves its own there.

    The weights are the solution up to rounding errors. These grow with the square of the contexts and with
    1 / (1 - zeta): at contexts in the thousands, the search can end early, with weights that satisfy the constraints
    but are not the best. Weights that are worse than equal ones, or do not sum to 1, are replaced by equal ones.
    """
    n = rows.shape[0]
    if n == 1:
        weights[0] = 1.0
        return 0
    problem = centred_problem(rows, target, zeta)
    found, steps = descend(problem, multipliers, weights)
    largest = 0.0
    for j in range(multipliers.size):
        largest = max(largest, abs(problem.offset[j]))
    equal = (1.0 - zeta) / n + zeta * largest**2
    good = (1.0 - zeta) * found.squares + zeta * found.largest**2 <= equal * (1.0 + 1e-12)
    if not (good and abs(weights.sum() - 1.0) <= 1e-6):
        multipliers[:], weights[:] = 0.0, 1.0 / n
    return steps
