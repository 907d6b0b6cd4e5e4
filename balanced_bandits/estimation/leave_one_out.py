"""A weighted ridge regression with lam by exact leave-one-out, from a tridiagonal matrix.

Let A be the matrix of the n rows, centred (if the intercept is free) and scaled by the square roots of their weights,
and y the rewards, treated alike. Both A'A, and AA' if there are fewer rows than columns, can be written as Q'TQ, with T
tridiagonal and Q orthogonal. That costs a third of an eigendecomposition, and systems in T + lam are solved as quickly
as diagonal ones: T + lam = L diag(D) L', where L has ones on and one entry below its diagonal.

    more rows       hat matrix h_i = w_i / sum(w) [free intercept] + a_i'(A'A + lam)^-1 a_i
                    error of a row that is left out: (y_i - a_i'(A'A + lam)^-1 A'y) / (1 - h_i)
    more columns    with g = (AA' + lam)^-1: 1 - h_i = lam g_ii - w_i / sum(w) [free intercept]
                    error of a row that is left out: lam (g y)_i / (1 - h_i)

Sums of products of the rows are kept between fits (``ridge.Arms``): rows whose weights stay the same are added once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.kernels import fused, kernel
from balanced_bandits.estimation.lapack import add_gram, tridiagonalise
from balanced_bandits.estimation.penalty import scale_rows, smallest_error, uneven

CHUNK = 256  # rows that are processed together, so that their data stay in the cache
PRECISION = 1e-14  # rounding errors of a matrix, as a share of its trace


class Centred(NamedTuple):
    """The rows of an arm with p columns, without the column of a free intercept, in sums."""

    gram: NDArray[np.float64]  # (p, p): A'A
    scores: NDArray[np.float64]  # (p,): A'y
    centre: NDArray[np.float64]  # (p,): weighted mean of the rows, 0 if the intercept is not free
    level: float  # weighted mean of the rewards, 0 if the intercept is not free
    total: float  # sum of the weights


class Fit(NamedTuple):
    """A ridge regression without its free intercept."""

    lam: float
    block: NDArray[np.float64]  # (p, p): (A'A + lam)^-1
    slopes: NDArray[np.float64]  # (p,)
    centre: NDArray[np.float64]
    level: float
    total: float
    well: bool  # whether rounding errors are negligible; if not, nothing else is valid


@kernel
def add_rows(arms, arm, rows, rewards, weights, free):
    """Bring the products of ``arm`` up to all its rows (n, p), of which the first ``arms.included`` are in them.

    They begin anew, with the present mean as origin, when the number of rows has doubled, or if it was set to 0.
    """
    n, size = rows.shape
    products, origin = arms.products[arm], arms.origin[arm]
    if arms.included[arm] == 0 or n >= 2 * arms.begun[arm]:
        if free == 1:
            for j in range(1, size):
                origin[j] = origin[j] + products[j, 0] / products[0, 0] if arms.begun[arm] > 0 else rows[0, j]
            origin[size] = origin[size] + products[size, 0] / products[0, 0] if arms.begun[arm] > 0 else rewards[0]
        products[:] = 0.0
        arms.included[arm], arms.begun[arm] = 0, n
    part = np.empty((min(CHUNK, n), size + 1))
    for start in range(arms.included[arm], n, CHUNK):
        stop = min(start + CHUNK, n)
        for i in range(start, stop):
            root = np.sqrt(weights[i])
            for j in range(size):
                part[i - start, j] = root * (rows[i, j] - origin[j])
            part[i - start, size] = root * (rewards[i] - origin[size])
        add_gram(products, part[: stop - start])
    arms.included[arm] = n


@kernel
def centred(products, origin, free):
    """The sums of one arm, centred if the intercept is free."""
    width = products.shape[0] - 1 - free
    gram, scores, centre = np.empty((width, width)), np.empty(width), np.zeros(width)
    for j in range(width):
        scores[j] = products[free + width, free + j]
        for k in range(j + 1):
            gram[j, k] = products[free + j, free + k]
    if free == 0:
        return Centred(gram, scores, centre, 0.0, 0.0)
    total, level = products[0, 0], products[width + 1, 0] / products[0, 0]
    for j in range(width):
        shift = products[j + 1, 0] / total
        centre[j] = origin[j + 1] + shift
        scores[j] -= shift * products[width + 1, 0]
        for k in range(j + 1):
            gram[j, k] -= shift * products[k + 1, 0]
    return Centred(gram, scores, centre, origin[width + 1] + level, total)


@kernel
def factorise(diagonal, beside, lam, below, pivots):
    """Write T + lam = L diag(D) L': the entries of L before each pivot, and 1 / D."""
    for j in range(diagonal.size):
        below[j] = beside[j - 1] * pivots[j - 1] if j > 0 else 0.0
        # in exact arithmetic, no pivot is smaller than lam
        pivots[j] = 1.0 / max(diagonal[j] + lam - (below[j] * beside[j - 1] if j > 0 else 0.0), lam)


@fused
def forms(columns, below, pivots, shares, number, solved, squares, products):
    """For vectors u, the columns of a matrix (m, n), write u'(T + lam)^-1 u and u'(T + lam)^-1 v.

    ``shares`` are L^-1 v / D. The size m is a multiple of four: each pass over the vectors eliminates four entries.
    """
    for i in range(number):
        solved[i] = 0.0
    for i in range(number):
        squares[i] = 0.0
    for i in range(number):
        products[i] = 0.0
    for j in range(0, columns.shape[0], 4):
        l0, l1, l2, l3 = below[j], below[j + 1], below[j + 2], below[j + 3]
        d0, d1, d2, d3 = pivots[j], pivots[j + 1], pivots[j + 2], pivots[j + 3]
        s0, s1, s2, s3 = shares[j], shares[j + 1], shares[j + 2], shares[j + 3]
        for i in range(number):
            u0 = columns[j, i] - l0 * solved[i]
            u1 = columns[j + 1, i] - l1 * u0
            u2 = columns[j + 2, i] - l2 * u1
            u3 = columns[j + 3, i] - l3 * u2
            solved[i] = u3
            squares[i] += (u0 * u0 * d0 + u1 * u1 * d1) + (u2 * u2 * d2 + u3 * u3 * d3)
            products[i] += (u0 * s0 + u1 * s1) + (u2 * s2 + u3 * s3)


@fused
def total_error(targets, fits, keep, hats, weights, factor, base, share, number):
    """Sum of ((keep target - fit) / left)^2, where left = base - share w + factor hat.

    Infinite if some row can't be left out.
    """
    total, stuck = 0.0, 0
    for i in range(number):
        left = base - share * weights[i] + factor * hats[i]
        error = (keep * targets[i] - fits[i]) / left
        total += error * error
        stuck += 1 if left <= 1e-10 else 0
    return total if stuck == 0 else np.inf


@kernel
def factors_of(diagonal, beside, scores, lams):
    """For every lam, L, 1 / D and L^-1 v / D, with zeros up to a multiple of four."""
    size, number = diagonal.size, lams.size
    padded = (size + 3) // 4 * 4
    below, pivots, shares = np.zeros((number, padded)), np.zeros((number, padded)), np.zeros((number, padded))
    for k in range(number):
        factorise(diagonal, beside, lams[k], below[k], pivots[k])
        value = 0.0
        for j in range(size):
            value = scores[j] - below[k, j] * value
            shares[k, j] = value * pivots[k, j]
    return below, pivots, shares


@kernel
def tall_errors(rows, rewards, weights, free, data, turn, factors, lams):
    """Leave-one-out errors of every lam for at least as many rows (n, free + p) as columns; ``turn`` is Q (p, p)."""
    below, pivots, shares = factors
    n, width = rows.shape[0], turn.shape[0]
    chunk = (n + (n - 1) // CHUNK) // ((n - 1) // CHUNK + 1)
    part, targets, columns = np.zeros((chunk, width)), np.zeros(chunk), np.zeros((below.shape[1], chunk))
    solved, hats, fits = np.empty(chunk), np.empty(chunk), np.empty(chunk)
    share = 1.0 / data.total if free == 1 else 0.0
    errors = np.zeros(lams.size)
    for start in range(0, n, chunk):
        number = min(chunk, n - start)
        for i in range(number):
            root = np.sqrt(weights[start + i])
            targets[i] = root * (rewards[start + i] - data.level)
            for j in range(width):
                part[i, j] = root * (rows[start + i, free + j] - data.centre[j])
        np.dot(turn, part.T, columns[:width])
        for k in range(lams.size):
            forms(columns, below[k], pivots[k], shares[k], number, solved, hats, fits)
            errors[k] += total_error(targets, fits, 1.0, hats, weights[start:], -1.0, 1.0, share, number)
    return errors


@kernel
def wide_errors(targets, weights, free, total, shift, turn, factors, lams):
    """Leave-one-out errors of every lam for fewer rows than columns; ``turn`` is Q (n, n)."""
    below, pivots, shares = factors
    n = turn.shape[0]
    columns = np.zeros((below.shape[1], n))
    columns[:n] = turn
    solved, hats, fits, errors = np.empty(n), np.empty(n), np.empty(n), np.empty(lams.size)
    for k in range(lams.size):
        forms(columns, below[k], pivots[k], shares[k], n, solved, hats, fits)
        for i in range(n):
            fits[i] *= lams[k]  # the residual, lam (g y)_i
        share = lams[k] / (total * (shift + lams[k])) if free == 1 else 0.0
        errors[k] = total_error(targets, fits, 0.0, hats, weights, lams[k], 0.0, share, n)
    return errors


@kernel
def half_inverse(turn, below, pivots):
    """Overwrite Q (m, m) with H = D^-1/2 L^-1 Q, so that (S + lam)^-1 = H'H."""
    size = turn.shape[0]
    for j in range(1, size):
        for i in range(size):
            turn[j, i] -= below[j] * turn[j - 1, i]
    for j in range(size):
        root = np.sqrt(pivots[j])
        for i in range(size):
            turn[j, i] *= root


@kernel
def lower_gram(matrix):
    """The lower triangle of matrix'matrix."""
    gram = np.zeros((matrix.shape[1], matrix.shape[1]))
    add_gram(gram, matrix)
    return gram


@kernel
def fit_tall(arms, arm, rows, rewards, weights, free, lams, place):
    """Fit an arm with at least as many rows (n, free + p) as columns."""
    add_rows(arms, arm, rows, rewards, weights, free)
    data = centred(arms.products[arm], arms.origin[arm], free)
    turn, squares = data.gram, np.diag(data.gram).copy()
    well = not uneven(squares, data.centre, data.total) and PRECISION * squares.sum() <= lams[0]
    if not well:
        return Fit(0.0, turn, data.scores, data.centre, data.level, data.total, False)
    diagonal, beside = tridiagonalise(turn)
    factors = factors_of(diagonal, beside, np.dot(turn, data.scores), lams)
    k = place
    if rewards.size > 1:
        k = smallest_error(
            tall_errors(rows, rewards, weights, free, data, turn, factors, lams), rewards, weights, place
        )
    half_inverse(turn, factors[0][k], factors[1][k])
    slopes = np.dot(turn.T, np.dot(turn, data.scores))
    return Fit(lams[k], lower_gram(turn), slopes, data.centre, data.level, data.total, True)


@kernel
def fit_wide(rows, rewards, weights, free, lams, place):
    """Fit an arm with fewer rows (n, free + p) than columns."""
    scaled, targets, centre, level, total = scale_rows(rows, rewards, weights, free)
    n, width = scaled.shape
    squares, shift = np.zeros(width), 0.0
    for i in range(n):
        for j in range(width):
            squares[j] += scaled[i, j] ** 2
    for j in range(width):
        shift += squares[j]
    if uneven(squares, centre, total) or PRECISION * shift > lams[0]:
        return Fit(0.0, scaled, squares, centre, level, total, False)
    turn = np.dot(scaled, scaled.T)
    if free == 1:  # AA' has the null vector sqrt(w); a large eigenvalue for it keeps T + lam well-conditioned
        for i in range(n):
            for j in range(i + 1):
                turn[i, j] += shift * np.sqrt(weights[i] * weights[j]) / total
    diagonal, beside = tridiagonalise(turn)
    factors = factors_of(diagonal, beside, np.dot(turn, targets), lams)
    k = place
    if n > 1:
        errors = wide_errors(targets, weights, free, total, shift, turn, factors, lams)
        k = smallest_error(errors, rewards, weights, place)
    half_inverse(turn, factors[0][k], factors[1][k])
    slopes = np.dot(np.dot(turn.T, np.dot(turn, targets)), scaled)
    block = lower_gram(np.dot(turn, scaled))
    for i in range(width):  # (A'A + lam)^-1 = (I - A'(AA' + lam)^-1 A) / lam
        for j in range(i + 1):
            block[i, j] = ((1.0 if i == j else 0.0) - block[i, j]) / lams[k]
    return Fit(lams[k], block, slopes, centre, level, total, True)
