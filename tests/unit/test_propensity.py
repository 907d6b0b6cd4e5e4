"""Propensities of Thompson sampling against SciPy, simulation and plain loops."""

import numpy as np
import pytest
from scipy import stats
from test_bandits import played, problem

from balanced_bandits.bandits.memory import COUNTED, SEEN, UNIFORM
from balanced_bandits.estimation.penalty import FIXED
from balanced_bandits.estimation.propensity import (
    NODES,
    add_shares,
    keep_posterior,
    monte_carlo_propensity,
    new_posteriors,
    phi,
    win_probabilities,
    win_probability,
)
from balanced_bandits.estimation.ridge import RESIDUAL, Model, new_arms


def posterior_arms(K, p, seed):
    """Arms with some posterior."""
    rng = np.random.default_rng(seed)
    arms = new_arms(K, p, Model(1, np.array([1.0]), FIXED, 5, RESIDUAL, 0.1, 0.25))
    arms.theta[:] = rng.standard_normal((K, p))
    roots = rng.standard_normal((K, p, p))
    arms.inverse[:] = roots @ roots.transpose(0, 2, 1)
    arms.scale[:] = rng.random(K) + 0.1
    return arms


def share(z, arm, theta, inverse, scale):
    """Probability of ``arm`` at ``z`` under one posterior, in plain NumPy."""
    deviations = np.sqrt(scale * np.einsum("i,kij,j->k", z, inverse, z))
    return win_probability(theta @ z, deviations, arm, np.empty(NODES))


def test_phi_is_that_of_scipy():
    x = np.linspace(-12, 12, 100_003)
    assert np.abs(np.array([phi(value) for value in x]) - stats.norm.cdf(x)).max() < 1e-12


def test_two_arms_have_the_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(200):
        means, deviations = rng.standard_normal(2) * 3, 10 ** rng.uniform(-3, 2, 2)
        expected = stats.norm.cdf((means[1] - means[0]) / np.hypot(*deviations))
        assert abs(win_probability(means, deviations, 1, np.empty(NODES)) - expected) < 1e-12
        assert abs(win_probabilities(means, deviations)[1] - expected) < 1e-12


@pytest.mark.parametrize("K", [3, 5, 10])
@pytest.mark.parametrize("pattern", ["spread", "equal", "one narrow", "one wide", "narrow and wide", "far apart"])
def test_more_arms_against_simulation(K, pattern):
    rng = np.random.default_rng(K)
    means, deviations = rng.standard_normal(K) * 0.5, rng.random(K) + 0.3
    if pattern == "equal":
        means[:], deviations[:] = 0.3, 0.7
    if pattern in ("one narrow", "narrow and wide"):
        deviations[0] = 1e-4
    if pattern in ("one wide", "narrow and wide"):
        deviations[1] = 50.0
    if pattern == "far apart":
        means[:] = np.arange(K) * 2.0
    ours = win_probabilities(means, deviations)
    draws = means + deviations * rng.standard_normal((1_000_000, K))
    simulated = np.bincount(draws.argmax(axis=1), minlength=K) / len(draws)
    # Against an arm far narrower than the others the integrand is a step, which 24 nodes place to half a node.
    stepped = "narrow" in pattern or "wide" in pattern
    np.testing.assert_allclose(ours, simulated, atol=0.5 / NODES if stepped else 0.006)
    assert ours.sum() == pytest.approx(1.0, abs=1e-12)
    if pattern == "equal":
        np.testing.assert_allclose(ours, 1 / K, atol=1e-12)


@pytest.mark.parametrize("K", [1, 2, 3, 6])
def test_without_deviations_the_best_wins_and_equals_share(K):
    means, none = np.arange(K, dtype=float), np.zeros(K)
    np.testing.assert_array_equal(win_probabilities(means, none), np.arange(K) == K - 1)
    np.testing.assert_allclose(win_probabilities(np.zeros(K), none), 1 / K)
    if K > 2:
        means[-2] = means[-1]
        expected = np.zeros(K)
        expected[-2:] = 0.5
        np.testing.assert_allclose(win_probabilities(means, none), expected)


@pytest.mark.parametrize("K", [2, 4])
def test_add_shares_equals_a_plain_loop(K):
    rng = np.random.default_rng(0)
    arms = posterior_arms(K, 3, 1)
    rows, chosen = rng.standard_normal((600, 3)), rng.integers(0, K, 600)  # more than two chunks
    start = rng.random(600)
    shares = start.copy()
    add_shares(rows, chosen, arms.theta, arms.inverse, arms.scale, 3.0, shares)
    expected = [share(z, a, arms.theta, arms.inverse, arms.scale) for z, a in zip(rows, chosen, strict=True)]
    np.testing.assert_allclose(shares, start + 3 * np.array(expected), rtol=1e-9, atol=1e-12)


def test_keep_posterior_merges_pairs_and_conserves_periods():
    store = new_posteriors(4, 2, 3)
    for kept in range(1, 20):
        arms = posterior_arms(2, 3, kept)
        keep_posterior(store, arms, 2.0, float(kept))
        number = store.number[0]
        assert number <= 4
        assert store.periods[:number].sum() == kept * (kept + 1) / 2
        np.testing.assert_array_equal(store.theta[number - 1], arms.theta)
        np.testing.assert_array_equal(store.scale[number - 1], 4.0 * arms.scale)
        if kept == 5:  # the first four as two: the later of each pair, with the periods of both
            np.testing.assert_array_equal(store.periods[:3], [1 + 2, 3 + 4, 5])
            np.testing.assert_array_equal(store.theta[0], posterior_arms(2, 3, 2).theta)
            np.testing.assert_array_equal(store.inverse[1], posterior_arms(2, 3, 4).inverse)


def test_monte_carlo_converges_to_the_exact_average():
    rng = np.random.default_rng(0)
    store = new_posteriors(4, 2, 3)
    for c in range(3):
        keep_posterior(store, posterior_arms(2, 3, c), 1.0, c + 2.0)
    z, uniform = rng.standard_normal(3), 3
    terms = [store.periods[c] * share(z, 0, store.theta[c], store.inverse[c], store.scale[c]) for c in range(3)]
    exact = (sum(terms) + uniform / 2) / (uniform + store.periods[:3].sum())
    draws = np.array([100, 1000, 10_000])
    errors = [[monte_carlo_propensity(store, uniform, z, 0, n, rng) - exact for _ in range(400)] for n in draws]
    rms = np.sqrt(np.mean(np.square(errors), axis=1))
    slope = np.polyfit(np.log(draws), np.log(rms), 1)[0]
    assert -0.6 < slope < -0.4, f"rms errors {rms} at {draws} draws"
    np.testing.assert_allclose(np.mean(errors[2]), 0, atol=4 * rms[2] / np.sqrt(400))
    np.testing.assert_allclose(rms, np.sqrt(exact * (1 - exact) / draws), rtol=0.2)  # that of a binomial


@pytest.mark.parametrize("K", [2, 3])
def test_the_running_average_equals_recomputation(K):
    contexts, rewards = problem(0, 60, 3, K)
    options = {"posteriors": 64, "schedule": {"geometric": 0.05}, "alpha": 0.5}
    chosen, _, memory = played("BLTS", contexts, rewards, seed=1, **options)
    store, clock = memory.posteriors, memory.clock
    number, seen = store.number[0], clock[SEEN]
    assert 10 < number < 64  # nothing was merged
    assert seen > 55
    assert store.periods[:number].sum() == clock[COUNTED] == seen - clock[UNIFORM]
    again = [
        sum(store.periods[c] * share(z, a, store.theta[c], store.inverse[c], store.scale[c]) for c in range(number))
        for z, a in zip(memory.rows[:seen], chosen[:seen], strict=True)
    ]
    np.testing.assert_allclose(memory.shares[:seen], again, rtol=1e-9, atol=1e-9)
