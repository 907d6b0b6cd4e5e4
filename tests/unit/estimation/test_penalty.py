"""The choice of lambda against fits by hand and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge, RidgeCV

from balanced_bandits.boxes import ridge
from balanced_bandits.estimation.penalty import (
    FIXED,
    GCV,
    KFOLD,
    LARGEST,
    LOO,
    MIDDLE,
    SMALLEST,
    choose_penalty,
    decompose,
    gcv_scores,
    kfold_scores,
    loo_scores,
    uneven,
)
from balanced_bandits.estimation.ridge import RESIDUAL, Model, fit, new_arms

LAMS = np.array([1e-2, 1.0, 1e2])
SHAPES = [(5, 9), (6, 6), (6, 5), (40, 4)]  # fewer rows than columns, as many, (as many with the intercept), more


def problem(n, p, free, seed=0, most=100.0):
    """Rows, rewards and weights between 1 and ``most``."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, p))
    rows[:, :free] = 1.0
    return rows, rows @ rng.standard_normal(p) + rng.standard_normal(n), most ** rng.random(n)


def error_without(rows, rewards, weights, lam, free, parts):
    """Weighted squared errors on parts of the rows, each predicted by a fit to the others."""
    error = 0.0
    for part in parts:
        kept = np.setdiff1d(np.arange(len(rows)), part)
        theta = ridge(rows[kept], rewards[kept], weights[kept], lam, free)[1]
        error += (weights[part] * (rewards[part] - rows[part] @ theta) ** 2).sum()
    return error


def chosen(rows, rewards, weights, free, lams, criterion, folds=5, ties=MIDDLE):
    parts = decompose(rows, rewards, weights, free)
    return choose_penalty(rows, rewards, weights, free, parts, lams, criterion, folds, ties)


@pytest.mark.parametrize("free", [0, 1])
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30), p=st.integers(2, 12), folds=st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_scores_equal_those_of_refitting(free, seed, n, p, folds):
    rows, rewards, weights = problem(n, p, free, seed)
    parts = decompose(rows, rewards, weights, free)
    one_by_one, size = np.arange(n)[:, None], (weights * rewards**2).sum()
    loo = [error_without(rows, rewards, weights, lam, free, one_by_one) for lam in LAMS]
    np.testing.assert_allclose(loo_scores(weights, free, parts, LAMS), loo, rtol=1e-8, atol=1e-11 * size)
    groups = np.array_split(np.arange(n), min(folds, n))
    kfold = [error_without(rows, rewards, weights, lam, free, groups) for lam in LAMS]
    ours = kfold_scores(rows, rewards, weights, free, LAMS, folds)
    np.testing.assert_allclose(ours, kfold, rtol=1e-8, atol=1e-11 * size)
    gcv = []
    for lam in LAMS:
        B, _, rss = ridge(rows, rewards, weights, lam, free)
        gcv.append(rss / (n - np.trace(np.linalg.solve(B, rows.T * weights @ rows))) ** 2)
    np.testing.assert_allclose(gcv_scores(free, parts, LAMS), gcv, rtol=1e-5, atol=1e-11 * size)  # n - trace cancels
    errors = {LOO: loo, KFOLD: kfold, GCV: gcv}
    for criterion, by_hand in errors.items():
        lam = chosen(rows, rewards, weights, free, LAMS, criterion, folds)
        assert (
            by_hand[list(LAMS).index(lam)] <= min(by_hand) * (1 + 3e-6) + 1e-11 * size
        )  # errors that close count as equal


@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_decomposition_reassembles_the_rows(n, p, free):
    rows, rewards, weights = problem(n, p, free)
    values, basis, coordinates, _, scores, centre, level, total = decompose(rows, rewards, weights, free)
    scaled = np.sqrt(weights)[:, None] * (rows[:, free:] - centre)
    np.testing.assert_allclose(coordinates @ basis.T, scaled, atol=1e-10)
    np.testing.assert_allclose(coordinates.T @ coordinates, np.diag(values), atol=1e-8)
    np.testing.assert_allclose(scores, coordinates.T @ (np.sqrt(weights) * (rewards - level)), rtol=1e-10)
    assert total == pytest.approx(weights.sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_equals_scikit_learn(n, p, seed):
    rows, rewards, weights = problem(n, p, 1, seed)
    theirs = RidgeCV(LAMS, store_cv_results=True).fit(rows[:, 1:], rewards, sample_weight=weights)
    assert chosen(rows, rewards, weights, 1, LAMS, LOO) == theirs.alpha_
    ours = loo_scores(weights, 1, decompose(rows, rewards, weights, 1), LAMS)
    np.testing.assert_allclose(ours, theirs.cv_results_.sum(axis=0), rtol=1e-7)


@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize("lam", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize(("n", "p"), [*SHAPES, (1, 3)])
def test_fit_equals_scikit_learn(n, p, lam, free):
    rows, rewards, weights = problem(n, p, free)
    model = Model(free, np.array([lam]), FIXED, MIDDLE, 5, RESIDUAL, 0.1, 0.25)
    arms = new_arms(1, p, model)
    fit(arms, 0, rows, rewards, weights, model)
    theirs = Ridge(lam, fit_intercept=free == 1, solver="svd").fit(rows[:, free:], rewards, sample_weight=weights)
    np.testing.assert_allclose(arms.theta[0, free:], theirs.coef_, rtol=1e-8, atol=1e-9)
    if free:
        np.testing.assert_allclose(arms.theta[0, 0], theirs.intercept_, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("criterion", [LOO, GCV, KFOLD])
@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize(("ties", "place"), [(SMALLEST, 0), (MIDDLE, len(LAMS) // 2), (LARGEST, -1)])
def test_ties_and_single_rows_give_the_one_that_is_named(criterion, free, ties, place):
    rows, rewards, weights = problem(20, 3, free)
    given = {"free": free, "lams": LAMS, "criterion": criterion, "ties": ties}
    assert chosen(rows[:1], rewards[:1], weights[:1], **given) == LAMS[place]
    assert chosen(rows, np.zeros(20), weights, **given) == LAMS[place]  # every lambda fits perfectly
    if free:
        assert chosen(rows, np.ones(20), weights, **given) == LAMS[place]  # and so it does but for rounding
    flat = np.zeros((20, 3))
    flat[:, :free] = 1.0
    assert chosen(flat, rewards, weights, **given) == LAMS[place]  # no lambda fits anything


@pytest.mark.parametrize("ties", [SMALLEST, MIDDLE, LARGEST])
def test_where_errors_differ_ties_do_not_matter(ties):
    rows, rewards, weights = problem(40, 3, 1)
    assert chosen(rows, rewards, weights, 1, LAMS, LOO, ties=ties) == chosen(rows, rewards, weights, 1, LAMS, LOO)


@pytest.mark.parametrize("free", [0, 1])
def test_the_fixed_criterion_keeps_lambda(free):
    rows, rewards, weights = problem(20, 3, free)
    model = Model(free, np.array([0.5]), FIXED, MIDDLE, 5, RESIDUAL, 0.1, 0.25)
    arms = new_arms(1, 3, model)
    fit(arms, 0, rows, rewards, weights, model)
    assert arms.lam[0] == 0.5


@pytest.mark.parametrize("criterion", [LOO, GCV, KFOLD])
@pytest.mark.parametrize("case", ["duplicate", "constant", "scaled", "all scaled", "uneven"])
@pytest.mark.parametrize("n", [3, 30])
def test_awkward_columns(case, criterion, n):
    rows, rewards, weights = problem(n, 5, 1)
    if case == "duplicate":
        rows[:, 2] = rows[:, 1]
    elif case == "constant":
        rows[:, 2] = 7.0
    elif case == "scaled":
        rows[:, 2] *= 1e4
    elif case == "uneven":
        rows[:, 2] *= 1e8
    else:
        rows[:, 1:] *= 1e8
    model = Model(1, LAMS, criterion, MIDDLE, 3, RESIDUAL, 0.1, 0.25)
    arms = new_arms(1, 5, model)
    fit(arms, 0, rows, rewards, weights, model)
    assert arms.lam[0] in LAMS
    assert all(np.isfinite(part).all() for part in arms)
    theirs = Ridge(arms.lam[0], solver="svd").fit(rows[:, 1:], rewards, sample_weight=weights)
    fitted = rows @ arms.theta[0]
    np.testing.assert_allclose(fitted, theirs.predict(rows[:, 1:]), atol=1e-5)


@pytest.mark.parametrize("n", [4, 40])
def test_columns_are_uneven_by_their_size_and_not_because_one_is_constant(n):
    rng = np.random.default_rng(0)
    rows, weights = rng.standard_normal((n, 6)), 1.0 + rng.random(n)

    def found(rows):
        centre = weights @ rows / weights.sum()
        scaled = np.sqrt(weights)[:, None] * (rows - centre)
        return uneven((scaled**2).sum(axis=0), centre, weights.sum())

    assert not found(rows)
    assert found(rows * [1, 1, 1e5, 1, 1, 1])
    constant = rows.copy()
    constant[:, 3] = 0.1 + 0.2  # its mean is off by a rounding error
    assert not found(constant)
    assert found(constant * [1, 1, 1e5, 1, 1, 1])
