"""Choose the penalty lam of a weighted ridge regression: one eigendecomposition serves the whole grid.

Let A be the matrix of the rows, centred (if the intercept is free) and scaled by the square roots of their weights, and
let A = U Q', where the columns of Q are orthonormal and U'U = diag(D). Then, for every lam,

    slopes       = Q (U'y / (D + lam))
    hat matrix   h_i = w_i / sum(w) [free intercept] + sum_j U_ij^2 / (D_j + lam)

and the prediction error of a row that is left out is e_i / (1 - h_i) (Allen's PRESS).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.kernels import kernel

LOO = 0  # exact leave-one-out: the sum of w_i (e_i / (1 - h_i))^2
GCV = 1  # generalised cross-validation: RSS / (n - trace of the hat matrix)^2
KFOLD = 2  # k-fold cross-validation on contiguous folds
FIXED = 3  # the only value of the grid
SAME = 1e-6  # errors with a smaller relative difference count as equal
NOTHING = 1e-18  # errors below this share of the sum of squares are rounding errors
# Which lam is chosen where the errors do not tell. A large one claims that the slopes are known to be zero, a small one
# that nothing is known of them.
SMALLEST, MIDDLE, LARGEST = 0, 1, 2
TIES = {"smallest": SMALLEST, "middle": MIDDLE, "largest": LARGEST}
UNEVEN = 1e8  # largest ratio between the columns' sums of squares at which the Gram matrix is used
ROUNDING = 1e-24  # share of a column's sum of squares that is due to rounding when it is centred
CHUNK = 256  # rows that are processed together, so that their data stay in the cache
CRITERIA = {"loo": LOO, "gcv": GCV, "kfold": KFOLD, "fixed": FIXED}


class Parts(NamedTuple):
    """The decomposition of n rows with p columns, of rank k or less, without the column of a free intercept."""

    values: NDArray[np.float64]  # (k,): D
    basis: NDArray[np.float64]  # (p, k): Q
    coordinates: NDArray[np.float64]  # (n, k): U
    targets: NDArray[np.float64]  # (n,): y, the rewards minus their level, scaled like the rows
    scores: NDArray[np.float64]  # (k,): U'y
    centre: NDArray[np.float64]  # (p,): weighted mean of the rows, 0 if the intercept is not free
    level: float  # weighted mean of the rewards, 0 if the intercept is not free
    total: float  # sum of the weights


@kernel
def scale_rows(rows, rewards, weights, free):
    """The rows (n, free + p) and rewards, centred if the intercept is free and scaled by the roots of their weights.

    Returns A (n, p) and y (n,), the weighted means of the rows (p,) and of the rewards, and the sum of the weights.
    """
    n, width = rows.shape[0], rows.shape[1] - free
    total, level = 0.0, 0.0
    centre = np.zeros(width)
    for i in range(n):
        total += weights[i]
    if free == 1:
        for i in range(n):
            level += weights[i] * rewards[i]
            for j in range(width):
                centre[j] += weights[i] * rows[i, j + 1]
        level /= total
        for j in range(width):
            centre[j] /= total
    scaled, targets = np.empty((n, width)), np.empty(n)
    for i in range(n):
        root = np.sqrt(weights[i])
        targets[i] = root * (rewards[i] - level)
        for j in range(width):
            scaled[i, j] = root * (rows[i, j + free] - centre[j])
    return scaled, targets, centre, level, total


@kernel
def decompose(rows, rewards, weights, free):
    """Decompose the rows (n, free + p)."""
    scaled, targets, centre, level, total = scale_rows(rows, rewards, weights, free)
    n, width = scaled.shape
    squares = np.zeros(width)
    for i in range(n):
        for j in range(width):
            squares[j] += scaled[i, j] ** 2
    if uneven(squares, centre, total):
        values, basis, coordinates = decompose_uneven(scaled)
    elif n >= width:
        values, vectors = np.linalg.eigh(np.dot(scaled.T, scaled))
        basis = np.ascontiguousarray(vectors)
        coordinates = np.dot(scaled, basis)
        for j in range(width):
            values[j] = max(values[j], 0.0)
    else:
        values, basis, coordinates = decompose_wide(scaled, np.dot(scaled, scaled.T))
    return Parts(values, basis, coordinates, targets, np.dot(coordinates.T, targets), centre, level, total)


@kernel
def uneven(squares, centre, total):
    """Whether the Gram matrix of the rows loses the small columns to rounding errors of the large ones.

    ``squares`` are the columns' sums of squares (p,). Columns that are constant up to rounding, such as the indicator
    of a level that an arm has never seen, are ignored.
    """
    smallest, largest = np.inf, 0.0
    for j in range(squares.size):
        largest = max(largest, squares[j])
        if squares[j] > ROUNDING * (squares[j] + total * centre[j] ** 2):
            smallest = min(smallest, squares[j])
    return largest > UNEVEN * smallest


@kernel
def decompose_uneven(scaled):
    """D, Q and U from a singular value decomposition of the rows."""
    left, singular, right = np.linalg.svd(scaled, full_matrices=False)
    rank = 0
    while rank < singular.size and singular[rank] > 1e-15 * singular[0]:
        rank += 1
    values, basis, coordinates = np.empty(rank), np.empty((scaled.shape[1], rank)), np.empty((scaled.shape[0], rank))
    for k in range(rank):
        values[k] = singular[k] ** 2
        for j in range(scaled.shape[1]):
            basis[j, k] = right[k, j]
        for i in range(scaled.shape[0]):
            coordinates[i, k] = left[i, k] * singular[k]
    return values, basis, coordinates


@kernel
def decompose_wide(scaled, products):
    """D, Q and U for fewer rows than columns, from the smaller matrix AA', which has the same nonzero eigenvalues."""
    n = scaled.shape[0]
    squares, left = np.linalg.eigh(products)
    first = 0
    while first < n and not squares[first] > 1e-14 * squares[n - 1]:
        first += 1
    values, coordinates, unit = np.empty(n - first), np.empty((n, n - first)), np.empty((n, n - first))
    for k in range(n - first):
        values[k] = squares[first + k]
        root = np.sqrt(values[k])
        for i in range(n):
            coordinates[i, k] = left[i, first + k] * root
            unit[i, k] = left[i, first + k] / root
    return values, np.dot(scaled.T, unit), coordinates


@kernel
def loo_scores(weights, free, parts, lams):
    """Leave-one-out error of every lam; infinite if some row can't be left out."""
    values, coordinates, targets = parts.values, parts.coordinates, parts.targets
    n, number = coordinates.shape[0], lams.size
    shrink, fitted = np.empty((values.size, number)), np.empty((values.size, number))
    for j in range(values.size):
        for k in range(number):
            shrink[j, k] = 1.0 / (values[j] + lams[k])
            fitted[j, k] = parts.scores[j] * shrink[j, k]
    errors = np.zeros(number)
    squares = np.empty((min(CHUNK, n), values.size))
    for start in range(0, n, CHUNK):
        part = coordinates[start : start + CHUNK]
        for i in range(part.shape[0]):
            for j in range(values.size):
                squares[i, j] = part[i, j] * part[i, j]
        hats = np.dot(squares[: part.shape[0]], shrink)
        fits = np.dot(part, fitted)
        for i in range(part.shape[0]):
            base = 1.0 - free * weights[start + i] / parts.total
            target = targets[start + i]
            for k in range(number):
                left = base - hats[i, k]
                error = (target - fits[i, k]) / left
                errors[k] += error * error if left > 1e-10 else np.inf
    return errors


@kernel
def gcv_scores(free, parts, lams):
    """Generalised cross-validation error of every lam."""
    values, targets = parts.values, parts.targets
    # The sum of squares that no slopes can fit, and the part that each direction fits as lam tends to 0.
    beyond = 0.0
    for i in range(targets.size):
        beyond += targets[i] ** 2
    parts_of_fit = np.zeros(values.size)
    for j in range(values.size):
        if values[j] > 0.0:
            parts_of_fit[j] = parts.scores[j] ** 2 / values[j]
            beyond -= parts_of_fit[j]
    errors = np.empty(lams.size)
    for k in range(lams.size):
        rss, left = max(beyond, 0.0), float(targets.size - free - values.size)
        for j in range(values.size):
            lost = lams[k] / (values[j] + lams[k])
            rss += parts_of_fit[j] * lost**2
            left += lost
        errors[k] = rss / left**2 if left > 1e-10 else np.inf
    return errors


@kernel
def without(rows, rewards, weights, start, stop):
    """Copies of rows, rewards and weights without those from ``start`` to ``stop``."""
    n, width = rows.shape
    kept = n - (stop - start)
    other_rows, other_rewards, other_weights = np.empty((kept, width)), np.empty(kept), np.empty(kept)
    for i in range(kept):
        place = i if i < start else i + stop - start
        other_rewards[i], other_weights[i] = rewards[place], weights[place]
        for j in range(width):
            other_rows[i, j] = rows[place, j]
    return other_rows, other_rewards, other_weights


@kernel
def kfold_scores(rows, rewards, weights, free, lams, folds):
    """Cross-validation error of every lam on contiguous folds; the first n mod k folds have one more row."""
    n = rows.shape[0]
    folds = min(folds, n)
    errors = np.zeros(lams.size)
    start = 0
    for fold in range(folds):
        stop = start + n // folds + (1 if fold < n % folds else 0)
        other_rows, other_rewards, other_weights = without(rows, rewards, weights, start, stop)
        parts = decompose(other_rows, other_rewards, other_weights, free)
        for k in range(lams.size):
            slopes = slopes_of(parts, lams[k])
            for i in range(start, stop):
                mean = parts.level
                for j in range(slopes.size):
                    mean += (rows[i, j + free] - parts.centre[j]) * slopes[j]
                errors[k] += weights[i] * (rewards[i] - mean) ** 2
        start = stop
    return errors


@kernel
def slopes_of(parts, lam):
    """The penalised coefficients (p,) at ``lam``."""
    shrunk = np.empty(parts.values.size)
    for k in range(shrunk.size):
        shrunk[k] = parts.scores[k] / (parts.values[k] + lam)
    return np.dot(parts.basis, shrunk)


@kernel
def choose_penalty(rows, rewards, weights, free, parts, lams, criterion, folds, ties):
    """The lam of the grid with the smallest error; of equal ones, also with a single row, the one nearest to ``ties``.

    Errors are equal, except for rounding, if all rewards are, or if there are as many coefficients as rows.
    """
    place = place_of(lams, ties)
    if rewards.size < 2:
        return lams[place]
    if criterion == LOO:
        errors = loo_scores(weights, free, parts, lams)
    elif criterion == GCV:
        errors = gcv_scores(free, parts, lams)
    else:
        errors = kfold_scores(rows, rewards, weights, free, lams, folds)
    return lams[smallest_error(errors, rewards, weights, place)]


@kernel
def smallest_error(errors, rewards, weights, place):
    """The index of the smallest error; of equal ones, the one nearest to ``place``."""
    smallest, scale = np.inf, 0.0
    for k in range(errors.size):
        smallest = min(smallest, errors[k])
    for i in range(rewards.size):
        scale += weights[i] * rewards[i] ** 2
    best = -1
    for k in range(errors.size):
        if errors[k] <= smallest * (1.0 + SAME) + NOTHING * scale and (best < 0 or abs(k - place) <= abs(best - place)):
            best = k
    return max(best, 0)


@kernel
def place_of(lams, ties):
    """The index in the grid that ties go to; that is also where lam starts."""
    if ties == SMALLEST:
        return 0
    return lams.size // 2 if ties == MIDDLE else lams.size - 1
