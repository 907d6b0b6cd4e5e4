"""The logistic regression of BLUCB against scikit-learn's."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from balanced_bandits.estimation.logistic import (
    MOST_STEPS,
    fit_logistic,
    hessian,
    loss_and_gradient,
    new_coefficients,
    probability,
)


def problem(kind, n, d, K, seed=0):
    """Rows with an intercept, and an arm for each; every arm occurs."""
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    scores = contexts @ rng.standard_normal((d, K))
    if kind == "noisy":
        scores += rng.gumbel(size=scores.shape)
    if kind == "imbalanced":
        scores[:, 0] += 6.0
    chosen = scores.argmax(axis=1)
    if kind != "separable":
        chosen[:K] = np.arange(K)
    return np.column_stack([np.ones(n), contexts]), np.unique(chosen, return_inverse=True)[1].astype(np.int64)


def probabilities(coefficients, rows, K):
    """Probabilities (n, K) at rows (n, p)."""
    scores = rows @ coefficients.T
    return np.column_stack([expit(-scores), expit(scores)]) if K == 2 else softmax(scores, axis=1)


def gradient_of(coefficients, rows, chosen, K, penalty):
    """Gradient of the mean loss."""
    gradient, residuals = np.empty(coefficients.shape), np.empty((len(rows), len(coefficients)))
    loss_and_gradient(coefficients, rows, chosen, K, 1, penalty, gradient, residuals)
    return gradient


def fitted(rows, chosen, K, c=1.0, tolerance=1e-10):
    coefficients = new_coefficients(K, rows.shape[1])
    return coefficients, fit_logistic(coefficients, rows, chosen, K, 1, c, tolerance)


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("K", [2, 3, 7])
@pytest.mark.parametrize(
    ("kind", "n", "d"), [("noisy", 200, 4), ("noisy", 20, 40), ("separable", 150, 3), ("imbalanced", 200, 3)]
)
def test_equals_scikit_learn(kind, n, d, K, c):
    rows, chosen = problem(kind, n, d, K)
    K = chosen.max() + 1
    coefficients, steps = fitted(rows, chosen, K, c)
    expected = LogisticRegression(C=c, solver="newton-cg", tol=1e-10, max_iter=10_000).fit(rows[:, 1:], chosen)
    ours = probabilities(coefficients, rows, K)
    np.testing.assert_allclose(ours, expected.predict_proba(rows[:, 1:]), atol=1e-6)
    np.testing.assert_allclose(coefficients[:, 1:], expected.coef_, atol=1e-6)
    np.testing.assert_allclose(coefficients[:, 0], expected.intercept_, atol=1e-6)
    assert steps < MOST_STEPS
    assert np.abs(gradient_of(coefficients, rows, chosen, K, 1 / c)).max() <= 1e-10


@pytest.mark.parametrize("K", [2, 3, 5])
def test_derivatives_equal_finite_differences(K):
    rows, chosen = problem("noisy", 300, 3, K)  # more than one chunk
    shape = new_coefficients(K, 4).shape
    point, arguments = np.random.default_rng(K).standard_normal(shape), (rows, chosen, K, 1, 0.7)

    def derivatives(coefficients):
        gradient, residuals = np.empty(shape), np.empty((300, shape[0]))
        loss = loss_and_gradient(coefficients, *arguments, gradient, residuals)
        return loss, gradient, residuals

    _, gradient, residuals = derivatives(point)
    curvature = hessian(residuals, *arguments)
    for i in range(point.size):
        step = np.zeros(point.size)
        step[i] = 1e-5
        up, down = (derivatives(point + sign * step.reshape(shape)) for sign in (1, -1))
        assert (up[0] - down[0]) / 2e-5 == pytest.approx(gradient.ravel()[i], abs=1e-9)
        np.testing.assert_allclose((up[1] - down[1]).ravel() / 2e-5, curvature[i], atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_reaches_a_tolerance_near_rounding(seed):
    # The losses of the last steps differ by rounding only; a search that goes by them alone never ends.
    rows, chosen = problem("noisy", 500, 10, 5, seed)
    coefficients, steps = fitted(rows, chosen, 5)
    assert steps < 100
    assert np.abs(gradient_of(coefficients, rows, chosen, 5, 1.0)).max() <= 1e-10


def test_ends_when_the_tolerance_is_beyond_rounding():
    rows, chosen = problem("noisy", 200, 4, 3)
    coefficients, steps = fitted(rows, chosen, 3, tolerance=1e-30)
    assert steps < MOST_STEPS
    assert np.abs(gradient_of(coefficients, rows, chosen, 3, 1.0)).max() < 1e-10


@pytest.mark.parametrize("K", [2, 5])
def test_a_warm_start_takes_fewer_steps(K):
    rows, chosen = problem("noisy", 420, 5, K)
    warm, _ = fitted(rows[:400], chosen[:400], K, tolerance=1e-6)
    warm_steps = fit_logistic(warm, rows, chosen, K, 1, 1.0, 1e-6)
    cold, cold_steps = fitted(rows, chosen, K, tolerance=1e-6)
    assert warm_steps < cold_steps
    np.testing.assert_allclose(warm, cold, atol=1e-3)


@pytest.mark.parametrize("K", [2, 3, 7])
def test_the_default_tolerance_is_close(K):
    rows, chosen = problem("noisy", 300, 5, K)
    loose, exact = (probabilities(fitted(rows, chosen, K, tolerance=t)[0], rows, K) for t in (1e-4, 1e-10))
    assert np.abs(loose - exact).max() < 1e-2


@pytest.mark.parametrize("K", [2, 3, 7])
def test_probability_of_one_row_equals_that_of_many(K):
    rng = np.random.default_rng(K)
    coefficients = rng.standard_normal((1 if K == 2 else K, 4)) * 3
    rows = rng.standard_normal((50, 4))
    single = [[probability(coefficients, z, K, a) for a in range(K)] for z in rows]
    np.testing.assert_allclose(single, probabilities(coefficients, rows, K), rtol=1e-12)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("size", [1e6, 1e-6])
def test_extreme_contexts_give_finite_results(K, size):
    rows, chosen = problem("noisy", 100, 3, K)
    rows[:, 1:] *= size
    coefficients, _ = fitted(rows, chosen, K, tolerance=1e-4)
    assert np.isfinite(coefficients).all()
    values = probabilities(coefficients, rows, K)
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    far = probabilities(coefficients, rows * 1e6, K)
    assert np.isfinite(far).all()
    assert all(np.isfinite(probability(coefficients, z, K, 0)) for z in rows * 1e6)
