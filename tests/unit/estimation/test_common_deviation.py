"""Win probabilities of arms with a common deviation, against adaptive quadrature and against the other kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from balanced_bandits.estimation.common_deviation import FAR, win_probabilities_alike
from balanced_bandits.estimation.propensity import win_probabilities
from balanced_bandits.successors import win_probabilities as by_quadrature


def fast(means, deviation):
    result = np.empty(len(means))
    win_probabilities_alike(np.array(means, dtype=float), float(deviation), np.empty((2, len(means))), result)
    return result


@given(
    means=st.lists(st.floats(-5, 5), min_size=1, max_size=7),
    deviation=st.sampled_from([1e-3, 0.1, 1.0, 30.0]),
)
@settings(max_examples=40, deadline=None)
def test_as_by_quadrature(means, deviation):
    found = fast(means, deviation)
    np.testing.assert_allclose(found, by_quadrature(np.array(means), deviation), atol=2e-8)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


def test_as_by_the_kernel_for_any_deviations_which_is_coarser():
    means = np.array([0.0, 0.3, -0.5, 0.4])
    np.testing.assert_allclose(fast(means, 0.5), win_probabilities(means, np.full(4, 0.5)), rtol=2e-4)


def test_many_equal_arms_are_equally_probable():
    np.testing.assert_allclose(fast(np.full(2000, 3.0), 0.2), 1 / 2000, rtol=1e-12)


@pytest.mark.parametrize(("K", "close"), [(10, 1e-11), (100, 1e-8), (1000, 1e-5)])
def test_one_arm_among_many_that_are_a_little_worse(K, close):
    """The highest of many draws has a narrow distribution, the hardest case for equally spaced nodes."""
    u = np.linspace(-12, 12, 20_001)
    exact = (stats.norm.pdf(u - 1) * stats.norm.cdf(u) ** (K - 1)).sum() * (u[1] - u[0])
    assert fast(np.append(np.zeros(K - 1), 1.0), 1.0)[-1] == pytest.approx(exact, rel=close)


def test_arms_that_are_far_behind_have_no_chance():
    assert fast([0.0, -FAR - 1e-9], 1.0).tolist() == [1.0, 0.0]
    near = fast([0.0, -FAR + 1e-9], 1.0)
    assert 0 < near[1] < 1e-8


def test_without_a_deviation_the_highest_win():
    assert fast([1.0, 2.0, 2.0], 0.0).tolist() == [0.0, 0.5, 0.5]
    assert fast([1.0], 0.0).tolist() == [1.0]
