"""Propensities of Thompson sampling against SciPy, simulation, plain loops and the average over all periods."""

import itertools

import numpy as np
import pytest
from playing import played, problem
from scipy import integrate, stats

from balanced_bandits.bandits.blts import BLTS, balance
from balanced_bandits.bandits.memory import COUNTED, UNIFORM
from balanced_bandits.estimation.propensity import (
    NODES,
    add_shares,
    density,
    halve,
    keep_posterior,
    monte_carlo_propensity,
    new_posteriors,
    phi,
    put_posterior,
    win_probabilities,
    win_probability,
)


def some_posterior(K, p, seed):
    """Coefficients, B^-1 and scales of K arms."""
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((K, p, p))
    return rng.standard_normal((K, p)), roots @ roots.transpose(0, 2, 1), rng.random(K) + 0.1


def halves(inverse):
    """The factors of B^-1 (K, p, p)."""
    factors = np.full(inverse.shape, np.nan)
    for matrix, factor in zip(inverse, factors, strict=True):
        halve(matrix, factor)
    return factors


def keep(store, posterior, periods, rng, factor=1.0):
    """Put a posterior where that of the present interval is, and keep it."""
    put_posterior(store, store.periods.size - 1, *posterior, factor)
    keep_posterior(store, float(periods), rng)


def share(z, arm, theta, inverse, scale):
    """Probability of ``arm`` at ``z`` under one posterior, in plain NumPy."""
    deviations = np.sqrt(scale * np.einsum("i,kij,j->k", z, inverse, z))
    return win_probability(theta @ z, deviations, arm, np.empty(NODES))


def test_phi_is_that_of_scipy():
    x = np.linspace(-12, 12, 100_003)
    assert np.abs(np.array([phi(value) for value in x]) - stats.norm.cdf(x)).max() < 1e-12


def test_the_density_is_that_of_scipy():
    x = np.linspace(-7.99, 7.99, 10_001)
    assert np.abs(np.array([density(value) for value in x]) - stats.norm.pdf(x)).max() < 1e-11


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
    np.testing.assert_allclose(ours, simulated, atol=0.003)
    assert ours.sum() == pytest.approx(1.0, abs=1e-12)
    if pattern == "equal":
        np.testing.assert_allclose(ours, 1 / K, atol=1e-6)


def integrated(means, deviations, arm):
    """The same by adaptive quadrature, in pieces that end where another arm's distribution function is steep."""
    others = [a for a in range(len(means)) if a != arm]

    def integrand(z):
        draw = means[arm] + deviations[arm] * z
        return stats.norm.pdf(z) * np.prod([stats.norm.cdf((draw - means[a]) / deviations[a]) for a in others])

    ends = {-9.0, 9.0}
    for a, steps in itertools.product(others, (-6, -2, 0, 2, 6)):
        ends.add(float(np.clip((means[a] + steps * deviations[a] - means[arm]) / deviations[arm], -9, 9)))
    return sum(integrate.quad(integrand, *piece, epsabs=1e-13)[0] for piece in itertools.pairwise(sorted(ends)))


@pytest.mark.parametrize("K", [3, 5, 12])
@pytest.mark.parametrize("spread", [0.2, 0.7, 1.5], ids=["alike", "apart", "by factors of a hundred"])
def test_weights_are_right_within_one_percent_down_to_propensities_of_half_a_percent(K, spread):
    rng = np.random.default_rng(K)
    seen = 0
    while seen < 60:
        means, deviations = rng.standard_normal(K), np.exp(rng.normal(0, spread, K) + rng.normal(0, 0.8))
        arm = int(rng.integers(K))
        ours = win_probability(means, deviations, arm, np.empty(NODES))
        if 0.005 <= ours <= 0.1:  # where 1 / p is large
            assert abs(integrated(means, deviations, arm) / ours - 1) < 0.01
            seen += 1


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
@pytest.mark.parametrize("p", [3, 32, 71])  # less than a panel of the factor, one, and more than two
def test_add_shares_equals_a_plain_loop(K, p):
    rng = np.random.default_rng(0)
    theta, inverse, scale = some_posterior(K, p, 1)
    rows, chosen = rng.standard_normal((600, p)), rng.integers(0, K, 600)  # more than two chunks
    start = rng.random(600)
    shares = start.copy()
    add_shares(rows, chosen, theta, halves(inverse), scale, 3.0, shares)
    expected = [share(z, a, theta, inverse, scale) for z, a in zip(rows, chosen, strict=True)]
    np.testing.assert_allclose(shares, start + 3 * np.array(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rank", [6, 4, 1, 0])
def test_the_factor_reads_the_lower_triangle_and_serves_singular_matrices(rank):
    rng = np.random.default_rng(rank)
    root = rng.standard_normal((6, rank))
    inverse = root @ root.T
    factor = halves(np.where(np.tri(6), inverse, np.nan)[None])[0]
    assert (np.triu(factor, 1) == 0).all()
    np.testing.assert_allclose(factor @ factor.T, inverse, rtol=1e-9, atol=1e-6)
    slightly_negative = np.diag([2.0, -1e-17, 1.0])
    np.testing.assert_allclose(halves(slightly_negative[None])[0], np.diag(np.sqrt([2.0, 0.0, 1.0])))


@pytest.mark.parametrize("capacity", [3, 8])
def test_the_store_keeps_all_periods_in_order_and_no_group_grows_beyond_its_bound(capacity):
    rng = np.random.default_rng(0)
    store, total = new_posteriors(capacity, 2, 3), 0.0
    for kept in range(1, 200):
        theta, inverse, scale = some_posterior(2, 3, 0)
        theta[:] = kept  # by which it is known
        keep(store, (theta, inverse, scale), 1 + kept % 3, rng, factor=4.0)
        total += 1 + kept % 3
        number = store.number[0]
        assert number == min(kept, capacity)
        assert store.periods[:number].sum() == total
        assert store.periods[:number].max() <= max(3, 2 * total / (capacity - 1))
        known = store.theta[:number, 0, 0]
        assert (np.diff(known) > 0).all()
        assert known[-1] == kept
        np.testing.assert_array_equal(store.scale[number - 1], 4.0 * scale)
        np.testing.assert_allclose(
            store.factor[:number] @ store.factor[:number].transpose(0, 1, 3, 2) - inverse, 0, atol=1e-12
        )


def test_each_posterior_survives_in_proportion_to_its_periods():
    """So that every period is as likely to be represented by itself: the store is an unbiased sample of all."""
    periods = [1, 5, 2, 2, 9, 1, 1, 4, 3, 2, 6, 1]
    kept = np.zeros(len(periods))  # periods that stand behind each of them at the end, summed over repetitions
    repetitions = 4000
    rng = np.random.default_rng(1)
    theta, inverse, scale = some_posterior(1, 1, 0)
    for _ in range(repetitions):
        store = new_posteriors(4, 1, 1)
        for i, number in enumerate(periods):
            theta[:] = i
            keep(store, (theta, inverse, scale), number, rng)
        for place in range(4):
            kept[int(store.theta[place, 0, 0])] += store.periods[place]
    expected = repetitions * np.array(periods)
    error = np.sqrt(repetitions) * sum(periods) / 2  # a bound on the standard deviation of each count
    np.testing.assert_array_less(np.abs(kept - expected), 4 * error)
    assert kept.sum() == expected.sum()
    assert (kept > 0).all()


def test_monte_carlo_converges_to_the_exact_average():
    rng = np.random.default_rng(0)
    store = new_posteriors(4, 2, 3)
    for c in range(3):
        keep(store, some_posterior(2, 3, c), c + 2, rng)
    z, uniform = rng.standard_normal(3), 3
    inverses = store.factor @ store.factor.transpose(0, 1, 3, 2)
    terms = [store.periods[c] * share(z, 0, store.theta[c], inverses[c], store.scale[c]) for c in range(3)]
    exact = (sum(terms) + uniform / 2) / (uniform + store.periods[:3].sum())
    draws = np.array([100, 1000, 10_000])
    errors = [[monte_carlo_propensity(store, uniform, z, 0, n, rng) - exact for _ in range(400)] for n in draws]
    rms = np.sqrt(np.mean(np.square(errors), axis=1))
    slope = np.polyfit(np.log(draws), np.log(rms), 1)[0]
    assert -0.6 < slope < -0.4, f"rms errors {rms} at {draws} draws"
    np.testing.assert_allclose(np.mean(errors[2]), 0, atol=4 * rms[2] / np.sqrt(400))
    np.testing.assert_allclose(rms, np.sqrt(exact * (1 - exact) / draws), rtol=0.2)  # that of a binomial


class Log:
    """Contexts, arms and rewards of a run, and the average of the propensities over all its periods, one by one."""

    def __init__(self, K, n=160, d=3, schedule="every_step"):
        self.K, self.schedule = K, schedule
        self.contexts, rewards = problem(K, n, d, K)
        self.arms, _, _ = played("BLTS", self.contexts, rewards, seed=1)
        self.rewards = rewards[np.arange(n), self.arms]
        rows = np.column_stack([np.ones(n), self.contexts])
        self.bandit = self.learner(0, "every_step", "all")
        sums, periods = np.zeros(n), 0
        for t in range(n):
            if not self.bandit._is_uniform():
                estimates = self.bandit._memory.arms
                factors = halves(estimates.inverse)
                add_shares(rows, self.arms, estimates.theta, factors, estimates.scale, 1.0, sums)
                periods += 1
            self.bandit.update(self.contexts[t], int(self.arms[t]), self.rewards[t])
        uniform = n - periods
        self.average = (sums + uniform / K) / n

    def learner(self, seed, propensity_schedule, posteriors):
        # gamma = 1: weights are 1, and the estimates do not depend on what the propensities are.
        return BLTS(
            self.K, self.contexts.shape[1], seed=seed, gamma=1.0, schedule=self.schedule,
            propensity_schedule=propensity_schedule, posteriors=posteriors,
        )  # fmt: skip

    def propensities(self, seed, propensity_schedule, posteriors):
        """What BLTS makes of the log, and the sizes of its groups of periods."""
        bandit = self.learner(seed, propensity_schedule, posteriors)
        for x, arm, reward in zip(self.contexts, self.arms, self.rewards, strict=True):
            bandit.update(x, int(arm), reward)
        return self.of(bandit)

    def of(self, bandit):
        memory = bandit._memory
        for arm in range(self.K):
            balance(memory, arm, bandit._options_, bandit._rng)
        uniform, counted = memory.clock[UNIFORM], memory.clock[COUNTED]
        share = memory.shares[: len(self.arms)]
        groups = memory.posteriors.periods[: memory.posteriors.number[0]]
        return (share + uniform / self.K) / (uniform + counted), groups


@pytest.mark.parametrize("K", [2, 3])
def test_every_step_and_all_posteriors_give_the_average_over_all_periods(K):
    log = Log(K)
    ours, groups = log.of(log.bandit)
    np.testing.assert_allclose(ours, log.average, rtol=1e-9)
    assert (groups == 1).all()


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    ("schedule", "posteriors"), [("every_step", 4), ({"batch": 20}, "all"), ({"geometric": 0.2}, 8)], ids=str
)
def test_propensities_are_unbiased_and_keep_their_bound(K, schedule, posteriors):
    log, seeds = Log(K), 60
    found = [log.propensities(seed, schedule, posteriors) for seed in range(seeds)]
    errors = np.array([ours for ours, _ in found])[:, :128]  # of contexts whose periods are counted in all cases
    ends = log.average[:128]
    mean, error = errors.mean(axis=0) - ends, errors.std(axis=0) / np.sqrt(seeds)
    # The last interval is not counted yet, which moves all averages a little; the rest is noise.
    assert abs(mean.mean()) < 0.02
    assert np.quantile(np.abs(mean) - 3 * error, 0.95) < 0.03
    for ours, groups in found:
        largest = groups.max() / groups.sum()
        if posteriors != "all":
            interval = 0.2 / 1.2 + 2 / groups.sum() if schedule != "every_step" else 0.0
            assert largest <= max(2 / (posteriors - 1), interval) + 1e-9
        rms = np.sqrt(np.mean((ours[:128] - ends) ** 2))
        assert rms < 2 * np.sqrt(largest / 4) + 0.02  # twice the bound on the standard deviation


def test_old_posteriors_are_not_absorbed_by_recent_ones():
    """With every step and eight posteriors, one recent posterior once stood for 99 % of the history."""
    _, groups = Log(2, n=400).propensities(0, "every_step", 8)
    assert groups.max() / groups.sum() <= 2 / 7
