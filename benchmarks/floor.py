"""The floor: minimal compiled loops that play LinUCB and LinTS with a fixed lambda.

Each arm has an inverse (its lower triangle) and a coefficient vector; each round takes K projections, an argmax and a
rank-one update. No implementation that updates after every observation can do less. There is no separate treatment of
the intercept, no residual variance, no history, no propensities and no checks.
"""

import numba
import numpy as np


@numba.njit(cache=True, error_model="numpy", fastmath={"reassoc"})
def bare(rows, rewards, alpha, lam, thompson, rng):
    """The arms chosen in all rounds, for contexts (n, p) and rewards (n, K)."""
    n, p = rows.shape
    number = rewards.shape[1]
    inverse = np.zeros((number, p, p))
    theta = np.zeros((number, p))
    leverage = np.zeros((number, p))
    for a in range(number):
        for i in range(p):
            inverse[a, i, i] = 1.0 / lam
    chosen = np.empty(n, dtype=np.int64)
    for t in range(n):
        best, highest, best_mean, best_quadratic = 0, -np.inf, 0.0, 0.0
        for a in range(number):
            i = 0
            while i + 3 < p:  # four rows of the lower triangle at a time; each entry also serves as its mirror image
                x0, x1, x2, x3 = rows[t, i], rows[t, i + 1], rows[t, i + 2], rows[t, i + 3]
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                for j in range(i):
                    b0, b1, b2, b3 = inverse[a, i, j], inverse[a, i + 1, j], inverse[a, i + 2, j], inverse[a, i + 3, j]
                    leverage[a, j] += (x0 * b0 + x1 * b1) + (x2 * b2 + x3 * b3)
                    s0, s1 = s0 + rows[t, j] * b0, s1 + rows[t, j] * b1
                    s2, s3 = s2 + rows[t, j] * b2, s3 + rows[t, j] * b3
                leverage[a, i], leverage[a, i + 1], leverage[a, i + 2], leverage[a, i + 3] = s0, s1, s2, s3
                for k in range(i, i + 4):
                    for j in range(i, i + 4):
                        leverage[a, k] += rows[t, j] * inverse[a, max(j, k), min(j, k)]
                i += 4
            while i < p:
                total = rows[t, i] * inverse[a, i, i]
                for j in range(i):
                    leverage[a, j] += rows[t, i] * inverse[a, i, j]
                    total += rows[t, j] * inverse[a, i, j]
                leverage[a, i] = total
                i += 1
            mean, quadratic = 0.0, 0.0
            for j in range(p):
                mean += rows[t, j] * theta[a, j]
                quadratic += rows[t, j] * leverage[a, j]
            value = mean + alpha * np.sqrt(quadratic) * (rng.standard_normal() if thompson else 1.0)
            if value > highest:
                best, highest, best_mean, best_quadratic = a, value, mean, quadratic
        chosen[t] = best
        gain = 1.0 / (1.0 + best_quadratic)
        error = rewards[t, best] - best_mean
        for i in range(p):
            step = gain * leverage[best, i]
            theta[best, i] += error * step
            for j in range(i + 1):
                inverse[best, i, j] -= step * leverage[best, j]
    return chosen
