"""The penalty lam of a weighted ridge regression: the whole grid from one eigendecomposition.

With the rows centred (for a free intercept) and scaled by the square roots of their weights, let their matrix be
A = U Q', where the columns of Q are orthonormal and U'U = diag(D). Then for every lam at once

    slopes       = Q (U'y / (D + lam))
    hat matrix   h_i = w_i / sum(w) [free intercept] + sum_j U_ij^2 / (D_j + lam)

and a row that is left out would have been predicted with the error e_i / (1 - h_i) (Allen's PRESS).
"""

import numpy as np

from balanced_bandits.compilation import kernel

LOO = 0  # leave one out, exactly: the sum of w_i (e_i / (1 - h_i))^2
GCV = 1  # generalised cross-validation: RSS / (n - trace of the hat matrix)^2
KFOLD = 2  # folds of neighbouring rows, fitted in turn without
FIXED = 3  # the grid's only value
SAME = 1e-6  # errors that differ by less, relatively, count as equal
UNEVEN = 1e8  # the largest ratio between the columns' sums of squares at which they may be squared
CRITERIA = {"loo": LOO, "gcv": GCV, "kfold": KFOLD, "fixed": FIXED}


@kernel
def decompose(rows, rewards, weights, free):
    """Decompose the rows (n, p): gives D, Q, U, U'y, the centre of the rows, the level of the rewards, sum(w)."""
    total = weights.sum()
    width = rows.shape[1] - free
    root = np.sqrt(weights)
    centre = np.zeros(width)
    level = 0.0
    if free == 1:
        for i in range(rows.shape[0]):
            for j in range(width):
                centre[j] += weights[i] * rows[i, j + 1]
            level += weights[i] * rewards[i]
        centre /= total
        level /= total
    scaled = np.empty((rows.shape[0], width))
    for i in range(rows.shape[0]):
        for j in range(width):
            scaled[i, j] = root[i] * (rows[i, j + free] - centre[j])
    squares = (scaled * scaled).sum(axis=0)
    if squares.max() > UNEVEN * squares.min():
        # Squaring the rows, as below, would drown the small columns in the rounding errors of the large ones.
        left, singular, right = np.linalg.svd(scaled, full_matrices=False)
        kept = singular > 1e-15 * singular[0]
        values = singular[kept] ** 2
        coordinates = np.ascontiguousarray(left[:, kept]) * singular[kept]
        basis = np.ascontiguousarray(right[kept].T)
    elif rows.shape[0] >= width:
        values, basis = np.linalg.eigh(np.dot(scaled.T, scaled))
        basis = np.ascontiguousarray(basis)
        coordinates = np.dot(scaled, basis)
        values = np.maximum(values, 0.0)
    else:
        # Fewer rows than columns: the small side of the matrix has the same eigenvalues.
        values, left = np.linalg.eigh(np.dot(scaled, scaled.T))
        values = np.maximum(values, 0.0)
        kept = values > 1e-14 * values[-1]
        values, left = values[kept], np.ascontiguousarray(left[:, kept])
        coordinates = left * np.sqrt(values)
        basis = np.dot(scaled.T, left / np.sqrt(values))
    return values, basis, coordinates, np.dot(coordinates.T, root * (rewards - level)), centre, level, total


@kernel
def loo_scores(rewards, weights, free, parts, lams):
    """Leave-one-out error of every lam; infinite where a row can't be left out."""
    values, _, coordinates, scores, _, level, total = parts
    shrink = np.empty((values.size, lams.size))
    fitted = np.empty((values.size, lams.size))
    for j in range(values.size):
        for k in range(lams.size):
            shrink[j, k] = 1.0 / (values[j] + lams[k])
            fitted[j, k] = scores[j] * shrink[j, k]
    hats = np.dot(coordinates * coordinates, shrink)
    fits = np.dot(coordinates, fitted)
    errors = np.zeros(lams.size)
    for i in range(rewards.size):
        base = 1.0 - free * weights[i] / total
        target = np.sqrt(weights[i]) * (rewards[i] - level)
        for k in range(lams.size):
            left = base - hats[i, k]
            errors[k] += ((target - fits[i, k]) / left) ** 2 if left > 1e-10 else np.inf
    return errors


@kernel
def gcv_scores(rewards, weights, free, parts, lams):
    """Generalised cross-validation error of every lam."""
    values, _, _, scores, _, level, _ = parts
    # The part of the rewards that no slope can fit, and what each direction fits more the smaller lam is.
    beyond = 0.0
    for i in range(rewards.size):
        beyond += weights[i] * (rewards[i] - level) ** 2
    parts_of_fit = np.zeros(values.size)
    for j in range(values.size):
        if values[j] > 0.0:
            parts_of_fit[j] = scores[j] ** 2 / values[j]
    beyond = max(beyond - parts_of_fit.sum(), 0.0)
    errors = np.empty(lams.size)
    for k in range(lams.size):
        rss, left = beyond, float(rewards.size - free - values.size)
        for j in range(values.size):
            lost = lams[k] / (values[j] + lams[k])
            rss += parts_of_fit[j] * lost**2
            left += lost
        errors[k] = rss / left**2 if left > 1e-10 else np.inf
    return errors


@kernel
def kfold_scores(rows, rewards, weights, free, lams, folds):
    """Error of every lam on folds of neighbouring rows, the first n mod k folds one row longer."""
    n = rows.shape[0]
    folds = min(folds, n)
    errors = np.zeros(lams.size)
    start = 0
    for fold in range(folds):
        stop = start + n // folds + (1 if fold < n % folds else 0)
        kept = np.concatenate((np.arange(start), np.arange(stop, n)))
        values, basis, _, scores, centre, level, _ = decompose(rows[kept], rewards[kept], weights[kept], free)
        for k in range(lams.size):
            slopes = np.dot(basis, scores / (values + lams[k]))
            for i in range(start, stop):
                mean = level
                for j in range(slopes.size):
                    mean += (rows[i, j + free] - centre[j]) * slopes[j]
                errors[k] += weights[i] * (rewards[i] - mean) ** 2
        start = stop
    return errors


@kernel
def choose_penalty(rows, rewards, weights, free, parts, lams, criterion, folds):
    """The lam of the grid with the smallest error; where the errors do not tell, with a single row too, the middle one.

    A large lam would claim that the slopes are known to be zero, a small one that nothing is known of them.
    """
    middle = lams.size // 2
    if rewards.size < 2:
        return lams[middle]
    if criterion == LOO:
        errors = loo_scores(rewards, weights, free, parts, lams)
    elif criterion == GCV:
        errors = gcv_scores(rewards, weights, free, parts, lams)
    else:
        errors = kfold_scores(rows, rewards, weights, free, lams, folds)
    best = middle
    for k in range(lams.size - 1, -1, -1):
        # With as many rows as coefficients, or equal rewards only, the errors are equal but for rounding.
        if errors[k] < errors[best] * (1.0 - SAME):
            best = k
    return lams[best]
