"""Multinomial logistic regression of arm on context, for the propensities of BLUCB.

Minimises   C * sum_i -log p(a_i | x_i)  +  |slopes|^2 / 2   over an intercept and slopes for each arm, the intercepts
free; for two arms, as scikit-learn does, over one intercept and one vector of slopes. By L-BFGS from where the last
fit ended, so that a refit costs a few passes over the rows.
"""

import math

import numpy as np

from balanced_bandits.compilation import kernel, tight

REMEMBERED = 10  # pairs of steps and gradient changes
MOST_STEPS = 500
ROUNDING = 1e-14  # of the loss, relative; changes below it say nothing


@kernel
def new_coefficients(arms, size):
    """Coefficients that give every arm the same probability; ``size`` counts the intercept."""
    return np.zeros((1 if arms == 2 else arms, size))


@kernel
def probabilities(coefficients, rows, arms):
    """Probabilities (n, arms) at rows (n, p)."""
    scores = np.dot(rows, np.ascontiguousarray(coefficients.T))
    result = np.empty((rows.shape[0], arms))
    for i in range(rows.shape[0]):
        if arms == 2:
            result[i, 1] = 1.0 / (1.0 + math.exp(-min(max(scores[i, 0], -700.0), 700.0)))
            result[i, 0] = 1.0 - result[i, 1]
        else:
            largest, total = scores[i].max(), 0.0
            for a in range(arms):
                result[i, a] = math.exp(scores[i, a] - largest)
                total += result[i, a]
            for a in range(arms):
                result[i, a] /= total
    return result


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
        rising = 1.0 / (1.0 + math.exp(-min(max(largest, -700.0), 700.0)))
        return rising if arm == 1 else 1.0 - rising
    return math.exp(mine - largest) / total


@kernel
def loss_and_gradient(coefficients, rows, chosen, arms, free, penalty):
    """Mean loss with the penalty (penalty / 2n) |slopes|^2, and its gradient."""
    n = rows.shape[0]
    scores = np.dot(rows, np.ascontiguousarray(coefficients.T))
    loss = 0.0
    for i in range(n):
        if arms == 2:
            s = scores[i, 0]
            loss += math.log1p(math.exp(-abs(s))) + max(s, 0.0) - (s if chosen[i] == 1 else 0.0)
            rising = 1.0 / (1.0 + math.exp(-abs(s)))
            scores[i, 0] = (rising if s >= 0.0 else 1.0 - rising) - (1.0 if chosen[i] == 1 else 0.0)
        else:
            largest = scores[i].max()
            mine, total = scores[i, chosen[i]], 0.0
            for a in range(arms):
                scores[i, a] = math.exp(scores[i, a] - largest)
                total += scores[i, a]
            loss += math.log(total) + largest - mine
            for a in range(arms):
                scores[i, a] /= total
            scores[i, chosen[i]] -= 1.0
    gradient = np.dot(np.ascontiguousarray(scores.T), rows)
    for a in range(coefficients.shape[0]):
        for j in range(free, coefficients.shape[1]):
            loss += 0.5 * penalty * coefficients[a, j] ** 2
            gradient[a, j] += penalty * coefficients[a, j]
    return loss / n, gradient / n


@kernel
def fit_logistic(coefficients, rows, chosen, arms, free, c, tolerance):
    """Fit ``coefficients`` in place, starting from what they are; gives the number of steps taken.

    The first ``free`` columns of the rows, that of the intercept, are not penalised.
    """
    penalty = 1.0 / c
    shape = coefficients.shape
    size = coefficients.size
    loss, gradient = loss_and_gradient(coefficients, rows, chosen, arms, free, penalty)
    steps, changes = np.zeros((REMEMBERED, size)), np.zeros((REMEMBERED, size))
    inner = np.zeros(REMEMBERED)
    kept = 0
    for iteration in range(MOST_STEPS):
        if np.abs(gradient).max() <= tolerance:
            return iteration
        # The two loops of L-BFGS: the gradient times an approximate inverse Hessian.
        direction = -gradient.ravel()
        shares = np.zeros(REMEMBERED)
        for back in range(kept):
            i = (iteration - back) % REMEMBERED
            shares[i] = (steps[i] * direction).sum() / inner[i]
            direction -= shares[i] * changes[i]
        if kept > 0:
            i = iteration % REMEMBERED
            direction *= inner[i] / (changes[i] ** 2).sum()
        for back in range(kept - 1, -1, -1):
            i = (iteration - back) % REMEMBERED
            direction += steps[i] * (shares[i] - (changes[i] * direction).sum() / inner[i])
        slope = (direction * gradient.ravel()).sum()
        if slope >= 0.0:
            direction = -gradient.ravel()
            slope = -(gradient**2).sum()
            kept = 0
        # A first step as long as the curvature of the loss allows, then full steps; halved until the loss falls or,
        # where it is flat but for rounding, until its slope does. If neither does, this is as far as numbers go.
        length = 1.0 if kept > 0 else 1.0 / max(1.0, math.sqrt((direction**2).sum()))
        moved = False
        for _ in range(40):
            candidate = coefficients + length * direction.reshape(shape)
            new_loss, new_gradient = loss_and_gradient(candidate, rows, chosen, arms, free, penalty)
            flat = abs(new_loss - loss) <= ROUNDING * abs(loss)
            if flat:
                moved = abs((direction * new_gradient.ravel()).sum()) <= -0.9 * slope
            else:
                moved = new_loss <= loss + 1e-4 * length * slope
            if moved:
                break
            length *= 0.5
        if not moved:
            return iteration
        i = (iteration + 1) % REMEMBERED
        step = (candidate - coefficients).ravel()
        change = (new_gradient - gradient).ravel()
        product = (step * change).sum()
        coefficients[:] = candidate
        loss, gradient = new_loss, new_gradient
        steps[i], changes[i] = step, change
        inner[i] = max(product, 1e-300)
        kept = min(kept + 1, REMEMBERED) if product > 0.0 else 0
    return MOST_STEPS
