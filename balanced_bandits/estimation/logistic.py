"""Multinomial logistic regression of arm on context, for the propensities of BLUCB.

Minimises   C * sum_i -log p(a_i | x_i)  +  |slopes|^2 / 2   over an intercept and slopes for each arm; intercepts are
not penalised. For two arms there is one intercept and one vector of slopes, as in scikit-learn. A fit starts from the
previous one, so that a refit costs a few passes over the rows. It uses Newton's method if there are few coefficients,
and L-BFGS otherwise.
"""

import math

import numpy as np

from balanced_bandits.core.kernels import kernel, tight
from balanced_bandits.estimation.lapack import add_product

NEWTON = 64  # largest number of coefficients for Newton's method, whose cost per row is quadratic in them
CHUNK = 256  # rows whose part of the Hessian is computed together
CACHED = 32768  # numbers in the rows that are processed together, so that their data stay in the cache
REMEMBERED = 10  # pairs of steps and gradient changes that L-BFGS keeps
MOST_STEPS = 500
ROUNDING = 1e-14  # relative changes of the loss below this are rounding errors


@kernel
def new_coefficients(arms, size):
    """Coefficients that give every arm the same probability; ``size`` includes the intercept."""
    return np.zeros((1 if arms == 2 else arms, size))


@tight
def probability(coefficients, z, arms, arm):
    """Probability of ``arm`` at one row."""
    largest, mine, total = -np.inf, 0.0, 0.0
    for a in range(coefficients.shape[0]):
        score = 0.0
        for j in range(z.size):
            score += z[j] * coefficients[a, j]
        if score > largest:
            total = total * math.exp(largest - score) + 1.0
            largest = score
        else:
            total += math.exp(score - largest)
        if a == arm:
            mine = score
    if arms == 2:
        score = largest if arm == 1 else -largest
        return 1.0 / (1.0 + math.exp(min(-score, 700.0)))
    return math.exp(mine - largest) / total


@tight
def add_losses(scores, chosen, arms, loss):
    """Add the losses of rows to ``loss``; overwrites their ``scores`` (n, K) with p(a | x_i) - 1{a = a_i}."""
    for i in range(chosen.size):
        if arms == 2:
            s = scores[i, 0]
            small = math.exp(-abs(s))
            loss += math.log1p(small) + max(s, 0.0) - (s if chosen[i] == 1 else 0.0)
            scores[i, 0] = (1.0 if s >= 0.0 else small) / (1.0 + small) - (1.0 if chosen[i] == 1 else 0.0)
        else:
            largest = scores[i, 0]
            for a in range(1, arms):
                largest = max(largest, scores[i, a])
            mine, total = scores[i, chosen[i]], 0.0
            for a in range(arms):
                scores[i, a] = math.exp(scores[i, a] - largest)
                total += scores[i, a]
            loss += math.log(total) + largest - mine
            for a in range(arms):
                scores[i, a] /= total
            scores[i, chosen[i]] -= 1.0
    return loss


@kernel
def loss_and_gradient(coefficients, rows, chosen, arms, free, penalty, gradient, residuals):
    """Mean loss plus the penalty (penalty / 2n) |slopes|^2.

    Writes its gradient (K, p) to ``gradient``, and p(a | x_i) - 1{a = a_i} for each row to ``residuals`` (n, K).
    """
    n, size = rows.shape
    turned = np.ascontiguousarray(coefficients.T)
    gradient[:] = 0.0
    loss, chunk = 0.0, max(CACHED // size, 16)
    for start in range(0, n, chunk):
        part, scores = rows[start : start + chunk], residuals[start : start + chunk]
        np.dot(part, turned, scores)
        loss = add_losses(scores, chosen[start : start + chunk], arms, loss)
        add_product(gradient, scores, part)
    for a in range(coefficients.shape[0]):
        for j in range(coefficients.shape[1]):
            if j >= free:
                loss += 0.5 * penalty * coefficients[a, j] ** 2
                gradient[a, j] += penalty * coefficients[a, j]
            gradient[a, j] /= n
    return loss / n


@kernel
def hessian(residuals, rows, chosen, arms, free, penalty):
    """Hessian of the mean loss, from the residuals that ``loss_and_gradient`` writes.

    For rows z with probabilities q, it is the sum of diag(q) x zz' - qq' x zz' (Kronecker products). Let Y have the
    rows q x z; then the second term is Y'Y, and the diagonal blocks of the first term are the blocks of Y'Z.
    """
    n, size = rows.shape
    number = residuals.shape[1]
    squares, blocks = np.zeros((number * size, number * size)), np.zeros((number * size, size))
    outer = np.empty((min(CHUNK, n), number * size))
    for start in range(0, n, CHUNK):
        part = rows[start : start + CHUNK]
        for i in range(part.shape[0]):
            for a in range(number):
                mine = chosen[start + i] == (1 if arms == 2 else a)
                q = residuals[start + i, a] + (1.0 if mine else 0.0)
                for j in range(size):
                    outer[i, a * size + j] = q * part[i, j]
        full = outer[: part.shape[0]]
        add(squares, squares, 1.0, np.dot(full.T, full))
        add(blocks, blocks, 1.0, np.dot(full.T, part))
    result = np.empty((number * size, number * size))
    for a in range(number):
        for j in range(size):
            for b in range(number):
                for k in range(size):
                    same = blocks[a * size + j, k] if a == b else 0.0
                    result[a * size + j, b * size + k] = (same - squares[a * size + j, b * size + k]) / n
            # Adding a constant to all intercepts changes nothing; a tiny curvature there makes the step unique.
            result[a * size + j, a * size + j] += penalty / n if j >= free else 1e-9
    return result


@kernel
def largest_entry(matrix):
    """The largest absolute entry."""
    largest = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            largest = max(largest, abs(matrix[i, j]))
    return largest


@kernel
def product(first, second):
    """Sum of the entrywise products of two matrices."""
    total = 0.0
    for i in range(first.shape[0]):
        for j in range(first.shape[1]):
            total += first[i, j] * second[i, j]
    return total


@kernel
def add(result, first, factor, second):
    """Set ``result`` to first + factor * second."""
    for i in range(first.shape[0]):
        for j in range(first.shape[1]):
            result[i, j] = first[i, j] + factor * second[i, j]


@kernel
def step_along(direction, slope, length, coefficients, loss, gradient, residuals, rows, chosen, arms, free, penalty):
    """Move the coefficients along ``direction``, and update gradient and residuals; returns success and the loss.

    The step is ``length``, halved until the loss decreases or, where the loss is flat up to rounding, until its slope
    decreases.
    """
    candidate = np.empty(coefficients.shape)
    for _ in range(40):
        add(candidate, coefficients, length, direction)
        new_loss = loss_and_gradient(candidate, rows, chosen, arms, free, penalty, gradient, residuals)
        if abs(new_loss - loss) <= ROUNDING * abs(loss):
            moved = abs(product(direction, gradient)) <= -0.9 * slope
        else:
            moved = new_loss <= loss + 1e-4 * length * slope
        if moved:
            add(coefficients, candidate, 0.0, candidate)
            return True, new_loss
        length *= 0.5
    return False, loss


@kernel
def newton_direction(direction, gradient, residuals, rows, chosen, arms, free, penalty):
    """Set ``direction`` to minus the inverse Hessian times the gradient."""
    curvature = hessian(residuals, rows, chosen, arms, free, penalty)
    solve_symmetric(curvature, gradient, direction)
    add(direction, direction, -2.0, direction)


@kernel
def solve_symmetric(matrix, right, solution):
    """Solve a positive definite system by Cholesky decomposition; right and solution (K, p) are flattened vectors."""
    size, width = matrix.shape[0], right.shape[1]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(max(rest, 1e-15)) if i == j else rest / matrix[j, j]
    for i in range(size):
        rest = right[i // width, i % width]
        for k in range(i):
            rest -= matrix[i, k] * solution[k // width, k % width]
        solution[i // width, i % width] = rest / matrix[i, i]
    for i in range(size - 1, -1, -1):
        rest = solution[i // width, i % width]
        for k in range(i + 1, size):
            rest -= matrix[k, i] * solution[k // width, k % width]
        solution[i // width, i % width] = rest / matrix[i, i]


@kernel
def lbfgs_direction(direction, gradient, steps, changes, inner, shares, newest, kept):
    """Set ``direction`` to minus an approximate inverse Hessian times the gradient (L-BFGS two-loop recursion)."""
    add(direction, gradient, -2.0, gradient)
    for back in range(kept):
        i = (newest - back) % REMEMBERED
        shares[i] = product(steps[i], direction) / inner[i]
        add(direction, direction, -shares[i], changes[i])
    if kept > 0:
        i = newest % REMEMBERED
        add(direction, direction, inner[i] / product(changes[i], changes[i]) - 1.0, direction)
    for back in range(kept - 1, -1, -1):
        i = (newest - back) % REMEMBERED
        add(direction, direction, shares[i] - product(changes[i], direction) / inner[i], steps[i])


@kernel
def fit_logistic(coefficients, rows, chosen, arms, free, c, tolerance):
    """Fit ``coefficients`` in place, starting from their current values; returns the number of steps.

    The first ``free`` columns of the rows (the intercept) are not penalised. The fit stops when no entry of the
    gradient of the mean loss is larger than ``tolerance``, or when rounding errors prevent further progress.
    """
    penalty, shape = 1.0 / c, coefficients.shape
    newton = coefficients.size <= NEWTON
    remembered = 0 if newton else REMEMBERED
    steps, changes = np.zeros((remembered, shape[0], shape[1])), np.zeros((remembered, shape[0], shape[1]))
    inner, shares = np.zeros(remembered), np.zeros(remembered)
    direction, gradient, before, earlier = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    residuals = np.empty((rows.shape[0], shape[0]))
    loss = loss_and_gradient(coefficients, rows, chosen, arms, free, penalty, gradient, residuals)
    kept = 0
    for iteration in range(MOST_STEPS):
        if largest_entry(gradient) <= tolerance:
            return iteration
        length = 1.0
        if newton:
            newton_direction(direction, gradient, residuals, rows, chosen, arms, free, penalty)
        else:
            lbfgs_direction(direction, gradient, steps, changes, inner, shares, iteration, kept)
        slope = product(direction, gradient)
        if not slope < 0.0:
            add(direction, gradient, -2.0, gradient)
            slope, kept = -product(gradient, gradient), 0
        if not newton and kept == 0:  # a first step of at most unit length, full steps afterwards
            length = 1.0 / max(1.0, math.sqrt(product(direction, direction)))
        add(before, coefficients, 0.0, coefficients)
        add(earlier, gradient, 0.0, gradient)
        moved, loss = step_along(
            direction, slope, length, coefficients, loss, gradient, residuals, rows, chosen, arms, free, penalty
        )
        if not moved:
            return iteration
        if not newton:
            i = (iteration + 1) % REMEMBERED
            add(steps[i], coefficients, -1.0, before)
            add(changes[i], gradient, -1.0, earlier)
            inner[i] = product(steps[i], changes[i])
            kept = min(kept + 1, REMEMBERED) if inner[i] > 0.0 else 0
    return MOST_STEPS
