"""P-values against SciPy and by hand, Holm's correction, bootstrap in clusters."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from balanced_bandits.analysis.bootstrap import intervals
from balanced_bandits.analysis.significance import (
    Rounds,
    holm,
    paired_p,
    public_p,
    sign_test,
    unpaired_p,
    wilcoxon,
)  # fmt: skip
from balanced_bandits.datasets.families import family_of


def rounds_of(first, second):
    first, second = np.array(first, dtype=bool), np.array(second, dtype=bool)
    counts = (first & ~second).sum(), (second & ~first).sum(), first.sum(), second.sum(), len(first)
    return Rounds(*(np.array([number]) for number in counts))


def test_paired_p_is_the_exact_binomial_test_on_discordant_rounds():
    first = [1] * 9 + [0] * 2 + [1] * 5 + [0] * 4
    second = [0] * 9 + [1] * 2 + [1] * 5 + [0] * 4
    assert paired_p(rounds_of(first, second))[0] == pytest.approx(2 * stats.binom.cdf(2, 11, 0.5))
    assert paired_p(rounds_of(first, first))[0] == 1.0
    assert paired_p(rounds_of(first, second)) == paired_p(rounds_of(second, first))


@pytest.mark.parametrize(("one", "other"), [(0, 0), (0, 1), (3, 3), (0, 6), (17, 30), (400, 520), (0, 5000)])
def test_paired_p_and_the_sign_test_are_scipys(one, other):
    expected = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    counts = Rounds(*(np.array([number]) for number in (one, other, one, other, one + other + 10)))
    assert paired_p(counts)[0] == pytest.approx(expected, rel=1e-9)
    assert sign_test(one, other) == pytest.approx(expected, rel=1e-9)


def test_unpaired_and_public_p_by_hand():
    # 30 and 45 of 100 rounds are wrong: z = 0.15 / sqrt((0.21 + 0.2475) / 100) = 2.2176...
    rounds = Rounds(*(np.array([number]) for number in (30, 15, 70, 55, 100)))
    z = 0.15 / math.sqrt((0.21 + 0.2475) / 100)
    assert unpaired_p(rounds)[0] == pytest.approx(2 * stats.norm.sf(z))
    assert public_p(rounds)[0] == pytest.approx(1 - math.erf(z))
    assert public_p(rounds)[0] < unpaired_p(rounds)[0]


def test_the_public_formulas_five_percent_is_a_z_of_1_39():
    z = 1.386
    assert math.erfc(z) == pytest.approx(0.05, abs=1e-4)
    assert math.erfc(z / math.sqrt(2)) == pytest.approx(0.1657, abs=1e-3)


def test_unpaired_p_at_the_ends():
    all_right = Rounds(*(np.array([number]) for number in (0, 0, 9, 9, 9)))
    assert unpaired_p(all_right)[0] == public_p(all_right)[0] == 1.0
    opposite = Rounds(*(np.array([number]) for number in (9, 0, 9, 0, 9)))
    assert unpaired_p(opposite)[0] == public_p(opposite)[0] == 0.0


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


# Bootstrap


def test_without_families_the_interval_of_a_mean_is_about_the_normal_one():
    values = np.random.default_rng(0).standard_normal((400, 1))
    low, high = intervals(values, [str(i) for i in range(400)], np.random.default_rng(1))
    error = 1.96 * values.std() / 20
    assert low[0] == pytest.approx(values.mean() - error, abs=0.1 * error)
    assert high[0] == pytest.approx(values.mean() + error, abs=0.1 * error)


def test_copies_of_a_dataset_in_one_family_add_no_certainty():
    values = np.random.default_rng(0).standard_normal((50, 2))
    names = [f"d{i}" for i in range(50)]
    once = intervals(values, names, np.random.default_rng(1))
    copied = intervals(np.tile(values, (8, 1)), names * 8, np.random.default_rng(1))
    np.testing.assert_allclose(once, copied)
    apart = intervals(np.tile(values, (8, 1)), [str(i) for i in range(400)], np.random.default_rng(1))
    assert ((apart[1] - apart[0]) < 0.5 * (once[1] - once[0])).all()


def test_a_resample_takes_whole_families():
    # Two families of three and one: means of their resamples are 1, 0.75 (three ones, one zero) or 0.
    values = np.array([[1.0], [1.0], [1.0], [0.0]])
    low, high = intervals(values, ["a", "a", "a", "b"], np.random.default_rng(0), resamples=2000)
    assert (low[0], high[0]) == (0.0, 1.0)
    low, high = intervals(values, ["one"] * 4, np.random.default_rng(0))
    assert low[0] == high[0] == 0.75


@pytest.mark.parametrize(
    ("name", "given", "family"),
    [
        ("letter", "", "letter"), ("letter.v2", "", "letter"), ("Letter.V3", "", "letter"),
        ("oml00977_letter.v2", "", "letter"), ("fri_c0_100_5", "", "fri_c0_100_5"),
        ("waveform-5000", "", "waveform-5000"),
        ("pc1_req", "", "pc1_req"), ("1234_", "", "1234_"), ("mfeat-pixel", "mfeat", "mfeat"),
    ],
)  # fmt: skip
def test_versions_of_a_dataset_are_one_family(name, given, family):
    assert family_of(name, given) == family
