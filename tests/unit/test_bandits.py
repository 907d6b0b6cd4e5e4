"""The compiled bandits against a plain transcription, and their behaviour at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import play as reference_play
from sklearn.linear_model import Ridge

from balanced_bandits.bandits import MODULES, bandit_module
from balanced_bandits.estimation.ridge import RESIDUAL, VARIANCES, Model, best_of, new_arms, observe, predict
from balanced_bandits.simulation.streams import stream

NOTHING = np.empty(0, dtype=np.int64)


def problem(seed, n, d, K):
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((n, d))
    return contexts, contexts @ rng.standard_normal((d, K)) * 0.3 + rng.standard_normal((n, K)) * 0.2


@pytest.mark.parametrize("bandit", MODULES)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(5, 60),
    d=st.integers(1, 8),
    K=st.integers(1, 5),
    alpha=st.sampled_from([0.25, 1.0, 4.0]),
    lam=st.sampled_from([1e-3, 1.0, 50.0]),
    variance=st.sampled_from(["residual", "literal"]),
    warm=st.integers(0, 4),
)
@settings(max_examples=60, deadline=None)
def test_same_arms_and_estimates_as_the_plain_transcription(bandit, seed, n, d, K, alpha, lam, variance, warm):
    contexts, rewards = problem(seed, n, d, K)
    forced = np.random.default_rng(seed).integers(0, K, warm)
    expected, arms = reference_play(
        bandit, contexts, rewards, forced, alpha, lam, variance, 0.1, 0.25, stream(seed, "play")
    )
    model = Model(lam, VARIANCES[variance], 0.1, 0.25)
    chosen, thetas = bandit_module(bandit).play(
        contexts, rewards, np.arange(n), forced, np.array([n]), alpha, model, stream(seed, "play")
    )
    np.testing.assert_array_equal(chosen, expected)
    for a, arm in enumerate(arms):
        if arm.rows:
            np.testing.assert_allclose(thetas[0, a], arm.theta, rtol=1e-7, atol=1e-8)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), d=st.integers(1, 12), lam=st.sampled_from([0.01, 1.0, 100.0]))
@settings(max_examples=60, deadline=None)
def test_estimate_equals_scikit_learns_ridge_also_for_fewer_rows_than_columns(seed, n, d, lam):
    contexts, rewards = problem(seed, n, d, 1)
    arms = new_arms(1, d + 1)
    for context, reward in zip(contexts, rewards[:, 0], strict=True):
        observe(arms, 0, context, reward, Model(lam, RESIDUAL, 0.1, 0.25))
    ridge = Ridge(alpha=lam).fit(contexts, rewards[:, 0])
    np.testing.assert_allclose(arms.theta[0], [ridge.intercept_, *ridge.coef_], rtol=1e-6, atol=1e-8)
    mean, _ = predict(arms, 0, contexts[0])
    assert mean == pytest.approx(ridge.predict(contexts[:1])[0], abs=1e-8)


def test_an_arm_that_has_seen_equal_rewards_only_keeps_a_variance_with_the_prior_and_none_without():
    contexts = np.random.default_rng(0).standard_normal((50, 3))
    for weight, alive in ((0.1, True), (1e-300, False)):
        arms = new_arms(1, 4)
        for context in contexts:
            observe(arms, 0, context, 0.0, Model(1.0, RESIDUAL, weight, 0.25))
        assert (predict(arms, 0, contexts[0])[1] > 1e-3) is alive


@pytest.mark.parametrize("bandit", MODULES)
def test_no_arm_starves_when_the_first_rewards_are_all_zero(bandit):
    rng = np.random.default_rng(3)
    contexts = rng.standard_normal((3000, 2))
    rewards = np.zeros((3000, 3))
    rewards[100:, 2] = 1.0  # arm 2 becomes the best after everything has looked the same
    chosen, _ = bandit_module(bandit).play(
        contexts, rewards, np.arange(3000), NOTHING, NOTHING, 1.0, Model(1.0, RESIDUAL, 0.1, 0.25), stream(1, "x")
    )
    assert (chosen[-500:] == 2).mean() > 0.95


def test_ties_are_broken_evenly():
    rng = stream(7, "ties")
    picked = np.bincount([best_of(np.array([1.0, 2.0, 2.0, 2.0]), rng) for _ in range(6000)], minlength=4)
    assert picked[0] == 0
    assert (abs(picked[1:] - 2000) < 5 * np.sqrt(6000 * 2 / 9)).all()


@pytest.mark.parametrize("bandit", MODULES)
def test_the_order_of_rounds_is_followed_and_snapshots_are_taken_when_asked(bandit):
    contexts, rewards = problem(1, 30, 2, 2)
    order = np.random.default_rng(0).permutation(30)
    model = Model(1.0, RESIDUAL, 0.1, 0.25)
    play = bandit_module(bandit).play
    by_order = play(contexts, rewards, order, NOTHING, np.array([10, 20, 30]), 1.0, model, stream(2, "a"))
    moved = play(
        contexts[order], rewards[order], np.arange(30), NOTHING, np.array([10, 20, 30]), 1.0, model, stream(2, "a")
    )
    np.testing.assert_array_equal(by_order[0], moved[0])
    np.testing.assert_array_equal(by_order[1], moved[1])
    shorter = play(contexts, rewards, order[:20], NOTHING, np.array([10, 20]), 1.0, model, stream(2, "a"))
    np.testing.assert_array_equal(by_order[1][:2], shorter[1])


@pytest.mark.parametrize("bandit", MODULES)
def test_learns_a_linear_problem(bandit):
    contexts, rewards = problem(5, 4000, 4, 3)
    chosen, _ = bandit_module(bandit).play(
        contexts, rewards, np.arange(4000), NOTHING, NOTHING, 1.0, Model(1.0, RESIDUAL, 0.1, 0.25), stream(1, "x")
    )
    lost = rewards.max(axis=1) - rewards[np.arange(4000), chosen]
    uniform = (rewards.max(axis=1) - rewards.mean(axis=1)).mean()
    assert lost[2000:].mean() < 0.5 * uniform
