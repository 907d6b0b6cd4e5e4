"""The floor: the barest compiled loops that play LinUCB and LinTS with a fixed lambda, and keep nothing else.

An inverse and a coefficient vector for each arm, K projections, an argmax and a rank-one update: work that no
implementation with an update after every observation can do without. No intercept's special treatment, no variance of
residuals, no history, no propensities, no checks.
"""

import numba
import numpy as np


@numba.njit(cache=True, error_model="numpy")
def bare(rows, rewards, alpha, lam, thompson, rng):
    """Arms of every round of contexts (n, p) and rewards (n, K)."""
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
            for j in range(p):
                leverage[a, j] = 0.0
            i = 0
            while i + 3 < p:  # four rows at a time, or the sum would be loaded and stored four times as often
                x0, x1, x2, x3 = rows[t, i], rows[t, i + 1], rows[t, i + 2], rows[t, i + 3]
                for j in range(p):
                    leverage[a, j] += (x0 * inverse[a, i, j] + x1 * inverse[a, i + 1, j]) + (
                        x2 * inverse[a, i + 2, j] + x3 * inverse[a, i + 3, j]
                    )
                i += 4
            while i < p:
                for j in range(p):
                    leverage[a, j] += rows[t, i] * inverse[a, i, j]
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
            for j in range(p):
                inverse[best, i, j] -= step * leverage[best, j]
    return chosen
