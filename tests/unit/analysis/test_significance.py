"""Tests over many datasets: Wilcoxon's against SciPy and by hand, and Holm's correction."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balanced_bandits.analysis.significance import holm, wilcoxon


@pytest.mark.parametrize("n", [4, 12, 80])
def test_wilcoxon_is_scipys_without_zeros(n):
    differences = np.random.default_rng(n).standard_normal(n) + 0.3
    assert wilcoxon(differences) == pytest.approx(stats.wilcoxon(differences).pvalue)
    assert wilcoxon(np.append(differences, [0.0, 0.0])) == pytest.approx(wilcoxon(differences))
    assert wilcoxon(-differences) == pytest.approx(wilcoxon(differences))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_wilcoxon_with_ties_counts_all_signs(values):
    some = np.array([value for value in values if value], dtype=float)
    ranks = stats.rankdata(np.abs(some))
    signs = np.array(list(itertools.product([0, 1], repeat=len(some))))
    sums = signs @ ranks
    seen = ranks[some > 0].sum()
    expected = min(1.0, 2 * min((sums <= seen).mean(), (sums >= seen).mean()))
    assert wilcoxon(np.array(values) / 10) == pytest.approx(expected)


def test_wilcoxon_with_ties_and_many_datasets_is_near_the_normal_one():
    rng = np.random.default_rng(3)
    some = np.round(rng.normal(0.2, 1, 50), 1)
    more = np.round(rng.normal(0.2, 1, 51), 1)
    assert wilcoxon(some) == pytest.approx(stats.wilcoxon(some[some != 0], method="asymptotic").pvalue, abs=0.01)
    assert wilcoxon(more) == pytest.approx(stats.wilcoxon(more[more != 0], method="asymptotic").pvalue, abs=0.01)


def test_wilcoxon_of_nothing_but_ties_is_one_and_rounding_errors_are_ties():
    assert wilcoxon(np.zeros(5)) == 1.0
    assert wilcoxon(np.array([0.1 + 0.2 - 0.3, 0.0])) == 1.0


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm(np.array([0.5, 0.9, 0.02])), [1.0, 1.0, 0.06])
