"""The arms' estimates: rank-one steps against fits from the whole history."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import played

from balanced_bandits.boxes import ridge
from balanced_bandits.estimation.penalty import FIXED, MIDDLE
from balanced_bandits.estimation.ridge import (
    LARGEST_DRIFT,
    LITERAL,
    MEAN,
    RESIDUAL,
    Model,
    drift,
    fit,
    mirror,
    new_arms,
    observe,
    predict,
)


def problem(n, p, ones, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, p))
    rows[:, :ones] = 1.0
    return rows, rows @ rng.standard_normal(p) + rng.standard_normal(n), 100 ** rng.random(n)


def model_of(free, lam=0.7, variance=RESIDUAL, prior_weight=0.1):
    return Model(free, np.array([lam]), FIXED, MIDDLE, 5, variance, prior_weight, 0.25)


def fitted(rows, rewards, weights, model):
    arms = new_arms(1, rows.shape[1], model)
    arms.pulls[0] = len(rows)
    fit(arms, 0, rows, rewards, weights, model)
    return arms


# The three intercepts: free, in the rows but penalised, and not there.
@pytest.mark.parametrize(("free", "ones"), [(1, 1), (0, 1), (0, 0)])
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 25),
    more=st.integers(1, 25),
    p=st.integers(2, 9),
    lam=st.sampled_from([0.05, 1.0, 50.0]),
    variance=st.sampled_from([RESIDUAL, LITERAL, MEAN]),
    known=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_rank_one_steps_equal_a_fit_to_all_rows(free, ones, seed, n, more, p, lam, variance, known):
    rows, rewards, weights = problem(n + more, p, ones, seed)
    model = model_of(free, lam, variance)
    steps = fitted(rows[:n], rewards[:n], weights[:n], model)
    from_nothing = new_arms(1, p, model)
    for i in range(n + more):
        if i >= n:
            if known:
                predict(steps, 0, rows[i])
            observe(steps, 0, rows[i], rewards[i], weights[i], known, model)
        observe(from_nothing, 0, rows[i], rewards[i], weights[i], False, model)
    whole = fitted(rows, rewards, weights, model)
    for arms in (steps, from_nothing):
        mirror(arms, 0)
        assert arms.pulls[0] == n + more
        for name in ("theta", "inverse", "cost", "freedom", "scale"):
            expected = getattr(whole, name)
            # Against the largest entry: the small ones of an inverse are differences.
            size = max(np.abs(expected).max(), 1e-3)
            np.testing.assert_allclose(getattr(arms, name), expected, rtol=1e-8, atol=1e-8 * size, err_msg=name)


@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize("n", [3, 40])
def test_estimates_by_hand(n, free):
    rows, rewards, weights = problem(n, 4, free)
    B, theta, rss = ridge(rows, rewards, weights, 0.7, free)
    freedom = np.trace(np.linalg.solve(B, rows.T * weights @ rows))
    arms = fitted(rows, rewards, weights, model_of(free))
    np.testing.assert_allclose(arms.theta[0], theta, rtol=1e-9)
    np.testing.assert_allclose(arms.inverse[0], np.linalg.inv(B), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(arms.freedom[0], freedom, rtol=1e-9)
    np.testing.assert_allclose(arms.scale[0], (rss + 0.1 * 0.25) / (n - freedom + 0.1), rtol=1e-8)
    plain = fitted(rows, rewards, weights, model_of(free, prior_weight=0.0))
    np.testing.assert_allclose(plain.scale[0], rss / (n - freedom), rtol=1e-8)
    literal = fitted(rows, rewards, weights, model_of(free, variance=LITERAL))
    np.testing.assert_allclose(literal.scale[0], rss, rtol=1e-8)
    mean, deviation = predict(arms, 0, rows[0])
    assert mean == pytest.approx(rows[0] @ theta)
    assert deviation == pytest.approx(np.sqrt(arms.scale[0] * (rows[0] @ np.linalg.solve(B, rows[0]))))


@pytest.mark.parametrize("reward", [0.0, 1.0])
@pytest.mark.parametrize("by_steps", [False, True])
def test_the_prior_keeps_an_arm_with_equal_rewards_uncertain(reward, by_steps):
    rows, _, weights = problem(10, 3, 1)
    rewards = np.full(10, reward)
    for prior_weight in (0.1, 0.0):
        model = model_of(1, prior_weight=prior_weight)
        if by_steps:
            arms = new_arms(1, 3, model)
            for row, weight in zip(rows, weights, strict=True):
                observe(arms, 0, row, reward, weight, False, model)
        else:
            arms = fitted(rows, rewards, weights, model)
        deviation = predict(arms, 0, rows[0])[1]
        if prior_weight:
            assert deviation > 1e-3
        else:
            assert deviation < 1e-7


def test_drift_is_small_after_a_fit_and_finds_a_wrong_inverse():
    rows, rewards, weights = problem(30, 4, 1)
    model = model_of(1)
    arms = fitted(rows, rewards, weights, model)
    assert drift(arms, 0, rows, weights, model) < 1e-10
    arms.inverse[0, 1, 1] *= 1 + 1e-5
    assert drift(arms, 0, rows, weights, model) > LARGEST_DRIFT


@pytest.mark.parametrize("name", ["LinTS", "LinUCB"])
@pytest.mark.parametrize(
    ("scales", "most", "largest_drift"),
    [((1, 1, 1), 1e-8, LARGEST_DRIFT), ((1e2, 1, 1e-2), 1e-8, LARGEST_DRIFT), ((1e4, 1, 1e-4), 1e-6, np.inf)],
)
def test_a_million_rank_one_steps(name, scales, most, largest_drift):
    n = 1_000_000
    rng = np.random.default_rng(0)
    contexts = rng.standard_normal((n, 3))
    noise = rng.standard_normal((n, 2)) * 0.5
    rewards = contexts @ rng.standard_normal((3, 2)) + noise  # of the unscaled contexts: every column matters
    contexts *= scales
    chosen, _, memory = played(name, contexts, rewards, forced=np.array([0, 1]), criterion="fixed", lams=[1.0])
    model = Model(1, np.array([1.0]), FIXED, MIDDLE, 5, RESIDUAL, 0.1, 0.25)
    for arm in range(2):
        rows = np.ascontiguousarray(memory.rows[chosen == arm])
        weights = np.ones(len(rows))
        exact = ridge_theta(rows, rewards[chosen == arm, arm])
        # In units of what the coefficient does to a reward.
        size = np.array([1, *scales])
        error = np.abs((memory.arms.theta[arm] - exact) * size).max() / np.abs(exact * size).max()
        measured = drift(memory.arms, arm, rows, weights, model)
        assert error < most, f"arm {arm}, {len(rows)} steps: error {error:.1e}, drift {measured:.1e}"
        assert measured < largest_drift, f"arm {arm}, {len(rows)} steps: error {error:.1e}, drift {measured:.1e}"


def ridge_theta(rows, rewards):
    """Coefficients with lambda = 1 and a free intercept, as a least-squares problem (no normal equations)."""
    penalty = np.eye(rows.shape[1])[1:]
    return np.linalg.lstsq(np.vstack([rows, penalty]), np.r_[rewards, np.zeros(len(penalty))], rcond=None)[0]


def test_lambda_chosen_anew_is_in_force_for_the_steps_that_follow():
    rng = np.random.default_rng(1)
    contexts, rewards = rng.standard_normal((40, 2)), rng.standard_normal((40, 1))
    _, _, memory = played("LinUCB", contexts, rewards, lams=[0.1, 10.0], schedule={"batch": 1000})
    np.testing.assert_allclose(
        memory.arms.theta[0], ridge(memory.rows, rewards[:, 0], np.ones(40), memory.arms.lam[0], 1)[1], rtol=1e-8
    )
