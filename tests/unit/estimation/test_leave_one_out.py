"""Leave-one-out from a tridiagonal matrix, against the eigendecomposition, fits by hand and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge, RidgeCV

from balanced_bandits.boxes import ridge
from balanced_bandits.estimation.lapack import add_gram, tridiagonalise
from balanced_bandits.estimation.leave_one_out import add_rows, centred, factors_of, fit_tall, fit_wide, tall_errors
from balanced_bandits.estimation.penalty import LOO, MIDDLE, decompose, loo_scores
from balanced_bandits.estimation.ridge import RESIDUAL, Model, fit, forget, new_arms

LAMS = 10.0 ** np.arange(-4, 5)


def problem(n, p, free, seed, kind="normal"):
    """Rows, rewards and weights; some kinds have dependent, constant or many equal columns and rows."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, p))
    if kind == "levels":
        rows = np.eye(p)[rng.integers(p, size=n)]
    elif kind == "dependent" and p > 2:
        rows[:, p - 1], rows[:, p // 2] = rows[:, p - 2], 3.0
    elif kind == "ties":
        rows = np.round(rows)
    elif kind == "shifted":
        rows += 1000.0
    rows[:, :free] = 1.0
    return rows, (rng.random(n) < 0.4).astype(float), 10.0 ** (2.0 * rng.random(n))


def model_of(free):
    return Model(free, LAMS, LOO, MIDDLE, 5, RESIDUAL, 0.1, 0.25)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40, 70])
def test_the_tridiagonal_matrix_reassembles_the_gram_matrix(size):
    part = np.random.default_rng(size).standard_normal((2 * size, size))
    gram = np.zeros((size, size))
    add_gram(gram, part[:size])
    add_gram(gram, part[size:])
    np.testing.assert_allclose(gram, np.tril(part.T @ part), atol=1e-12 * size)
    diagonal, beside = tridiagonalise(gram)  # now Q
    middle = np.diag(diagonal) + np.diag(beside[: size - 1], 1) + np.diag(beside[: size - 1], -1)
    np.testing.assert_allclose(gram @ gram.T, np.eye(size), atol=1e-12)
    np.testing.assert_allclose(gram.T @ middle @ gram, part.T @ part, atol=1e-11 * size)


KINDS = st.sampled_from(["normal", "levels", "dependent", "ties", "shifted"])


@pytest.mark.parametrize("free", [0, 1])
@given(seed=st.integers(0, 10**6), n=st.integers(2, 300), p=st.integers(2, 12), kind=KINDS)
@settings(max_examples=60, deadline=None)
def test_errors_equal_those_of_the_eigendecomposition(free, seed, n, p, kind):
    rows, rewards, weights = problem(n, p, free, seed, kind)
    if n < p - free:
        return
    arms = new_arms(1, p, model_of(free))
    add_rows(arms, 0, rows, rewards, weights, free)
    data = centred(arms.products[0], arms.origin[0], free)
    rounding = 1e-13 * np.trace(data.gram) / LAMS  # of the matrix, relative to lambda
    diagonal, beside = tridiagonalise(data.gram)
    factors = factors_of(diagonal, beside, data.gram @ data.scores, LAMS)
    ours = tall_errors(rows, rewards, weights, free, data, data.gram, factors, LAMS)
    theirs = loo_scores(weights, free, decompose(rows, rewards, weights, free), LAMS)
    assert (np.abs(ours - theirs) <= (1e-6 + rounding) * theirs + 1e-12 * (weights * rewards**2).sum()).all()


@pytest.mark.parametrize("free", [0, 1])
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), p=st.integers(2, 30), kind=KINDS)
@settings(max_examples=100, deadline=None)
def test_fit_equals_the_definition_at_the_lambda_of_the_eigendecomposition(free, seed, n, p, kind):
    rows, rewards, weights = problem(n, p, free, seed, kind)
    arms = new_arms(1, p, model_of(free))
    arms.pulls[0] = n
    fit(arms, 0, rows, rewards, weights, model_of(free))
    errors = loo_scores(weights, free, decompose(rows, rewards, weights, free), LAMS)
    lam, size = arms.lam[0], (weights * rewards**2).sum()
    assert n == 1 or errors[list(LAMS).index(lam)] <= errors.min() * (1 + 3e-6) + 1e-11 * size
    B, theta, _ = ridge(rows, rewards, weights, lam, free)
    np.testing.assert_allclose(rows @ arms.theta[0], rows @ theta, atol=1e-5)
    np.testing.assert_allclose(arms.inverse[0] @ B, np.eye(p), atol=1e-10 + 1e-12 * np.linalg.cond(B))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "p"), [(5, 9), (8, 9), (9, 9), (60, 9), (300, 30)])
def test_lambda_is_that_of_scikit_learn(n, p, seed):
    rng = np.random.default_rng(seed)
    rows, _, weights = problem(n, p, 1, seed)
    rewards = rows @ rng.standard_normal(p) + rng.standard_normal(n)
    errors = (
        RidgeCV(LAMS, store_cv_results=True).fit(rows[:, 1:], rewards, sample_weight=weights).cv_results_.sum(axis=0)
    )
    place = len(LAMS) // 2
    arms = new_arms(1, p, model_of(1))
    if n >= p - 1:
        found = fit_tall(arms, 0, rows, rewards, weights, 1, LAMS, place)
    else:
        found = fit_wide(rows, rewards, weights, 1, LAMS, place)
    assert found.well
    assert errors[list(LAMS).index(found.lam)] <= errors.min() * (1 + 2e-6)  # errors that close count as equal
    theirs = Ridge(found.lam, solver="svd").fit(rows[:, 1:], rewards, sample_weight=weights)
    np.testing.assert_allclose(found.slopes, theirs.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("free", [0, 1])
@given(seed=st.integers(0, 10**6), p=st.integers(2, 6), kind=KINDS, steps=st.lists(st.integers(1, 60), max_size=6))
@settings(max_examples=40, deadline=None)
def test_sums_that_grow_equal_sums_from_nothing(free, seed, p, kind, steps):
    rows, rewards, weights = problem(p + sum(steps), p, free, seed, kind)
    growing, n = new_arms(1, p, model_of(free)), p
    for step in [0, *steps]:
        n += step
        add_rows(growing, 0, rows[:n], rewards[:n], weights[:n], free)
        fresh = new_arms(1, p, model_of(free))
        add_rows(fresh, 0, rows[:n], rewards[:n], weights[:n], free)
        ours, theirs = (centred(arms.products[0], arms.origin[0], free) for arms in (growing, fresh))
        scale = np.abs(np.tril(theirs.gram)).max() + 1e-9
        np.testing.assert_allclose(np.tril(ours.gram), np.tril(theirs.gram), atol=1e-10 * scale)
        np.testing.assert_allclose(ours.centre, theirs.centre, rtol=1e-12, atol=1e-12)
        assert ours.level == pytest.approx(theirs.level, abs=1e-12)
    weights = weights[::-1].copy()
    forget(growing, 0)
    add_rows(growing, 0, rows, rewards, weights, free)
    centre = weights @ rows / weights.sum() if free else np.zeros(p)
    scaled = np.sqrt(weights)[:, None] * (rows - centre)[:, free:]
    expected = np.tril(scaled.T @ scaled)
    ours = np.tril(centred(growing.products[0], growing.origin[0], free).gram)
    np.testing.assert_allclose(ours, expected, atol=1e-9 * (np.abs(expected).max() + 1.0))
