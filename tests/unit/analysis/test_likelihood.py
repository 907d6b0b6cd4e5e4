"""The likelihood of the paper's counts given ours, against SciPy and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from balanced_bandits.analysis.synthetic.likelihood import log_likelihood, p_value

EIGHT = [84, 51, 92, 79, 39, 29, 58, 30]


@pytest.mark.parametrize("of", [100, 1000])
def test_it_is_the_beta_binomial_of_each_number(of):
    ours, n = np.array([17, 10, 20, 0, 8, 6, 11, 5]), 20
    single = [stats.betabinom(of, k + 0.5, n - k + 0.5).logpmf(p * of // 100) for p, k in zip(EIGHT, ours, strict=True)]
    assert log_likelihood(EIGHT, of, ours, n) == pytest.approx(sum(single))
    assert np.isfinite(single).all()  # not minus infinity for 0 of 20, where the paper has 79 %


def test_by_hand():
    """Our 0 of 1 gives the rate the distribution Beta(1/2, 3/2), with mean 1/4; one of one has that probability."""
    assert np.exp(log_likelihood([100], 1, [0], 1)) == pytest.approx(0.25)
    assert np.exp(log_likelihood([0], 1, [0], 1)) == pytest.approx(0.75)


def test_counts_of_many_readings_at_once_and_means_that_are_not_whole():
    counts = np.random.default_rng(0).uniform(0, 20, (3, 4, 8))
    whole = log_likelihood(EIGHT, 100, counts, 20)
    assert whole.shape == (3, 4)
    assert whole[1, 2] == pytest.approx(log_likelihood(EIGHT, 100, counts[1, 2], 20))


def test_the_nearer_the_likelier_and_the_more_so_the_more_simulations():
    percent = np.array(EIGHT)
    for n in (100, 1000):
        exact, near, far = (log_likelihood(EIGHT, 100, (percent - d) * n / 100, n) for d in (0, 5, 15))
        assert exact > near > far
    gap = [log_likelihood(EIGHT, 100, percent * n / 100, n) - log_likelihood(EIGHT, 100, (percent - 15) * n / 100, n)
           for n in (20, 100, 1000)]  # fmt: skip
    assert gap == sorted(gap)


def test_p_values_are_uniform_if_the_reading_made_the_numbers():
    rng, rates = np.random.default_rng(1), np.array(EIGHT) / 100
    values = []
    for _ in range(150):
        theirs, ours = rng.binomial(100, rates), rng.binomial(100, rates)
        values.append(p_value(theirs, 100, ours, 100, rng))
    assert stats.kstest(values, "uniform").pvalue > 0.01
    assert 0.005 < np.mean(np.array(values) < 0.05) < 0.12


@pytest.mark.parametrize("of", [100, 1000])
def test_p_values_are_small_if_it_did_not_and_near_one_if_the_numbers_are_equal(of):
    rng = np.random.default_rng(2)
    assert p_value(EIGHT, of, np.array(EIGHT), 100, rng) > 0.95
    assert p_value(EIGHT, of, np.array(EIGHT)[::-1], 100, rng) < 1e-3


@given(k=st.integers(0, 12), n=st.integers(12, 30), of=st.sampled_from([10, 100]))
@settings(max_examples=30, deadline=None)
def test_probabilities_of_all_counts_sum_to_one(k, n, of):
    percents = 100.0 * np.arange(of + 1) / of
    total = sum(np.exp(log_likelihood([percent], of, [k], n)) for percent in percents)
    assert total == pytest.approx(1.0)
