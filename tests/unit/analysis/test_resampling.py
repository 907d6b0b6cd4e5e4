"""Bootstrap over families, pointwise and simultaneous; the Bayesian signed-rank test against a plain transcription."""

import numpy as np
import pytest
from scipy import stats

from balanced_bandits.analysis.resampling import Bootstrap, bayesian_signed_rank
from balanced_bandits.datasets.families import family_of


def names(number):
    return [f"d{i}" for i in range(number)]


def bootstrap(values, families=None, seed=1, **more):
    values = np.array(values, dtype=float)
    return Bootstrap(values, families or names(len(values)), np.random.default_rng(seed), **more)


def width(interval):
    return interval.high - interval.low


# Bootstrap: resamples and pointwise intervals


def test_without_families_the_interval_of_a_mean_is_about_the_normal_one():
    values = np.random.default_rng(0).standard_normal((400, 1))
    low, high = bootstrap(values).pointwise()
    error = 1.96 * values.std() / 20
    assert low[0] == pytest.approx(values.mean() - error, abs=0.1 * error)
    assert high[0] == pytest.approx(values.mean() + error, abs=0.1 * error)


def test_copies_of_a_dataset_in_one_family_add_no_certainty():
    values = np.random.default_rng(0).standard_normal((50, 2))
    once = bootstrap(values)
    copied = bootstrap(np.tile(values, (8, 1)), names(50) * 8)
    apart = bootstrap(np.tile(values, (8, 1)))
    for kind in ("pointwise", "simultaneous"):
        np.testing.assert_allclose(getattr(copied, kind)(), getattr(once, kind)())
        assert (width(getattr(apart, kind)()) < 0.5 * width(getattr(once, kind)())).all()


def test_a_resample_takes_whole_families():
    # Two families of three and one: means of their resamples are 1, 0.75 (three ones, one zero) or 0.
    of = bootstrap([[1], [1], [1], [0]], ["a", "a", "a", "b"])
    assert of.means.tolist() == [0.75]
    means, counts = np.unique(of.resampled, return_counts=True)
    assert means.tolist() == [0.0, 0.75, 1.0]
    np.testing.assert_allclose(counts / 4000, [0.25, 0.5, 0.25], atol=0.03)
    error = of.resampled.std(ddof=1) * np.sqrt(2) * stats.t.ppf(0.975, 1)
    np.testing.assert_allclose(np.array(of.pointwise()).ravel(), [0.75 - error, 0.75 + error])


def test_with_a_single_family_intervals_are_the_mean_itself():
    of = bootstrap([[1, 5], [0, 5], [0, 8]], ["one"] * 3)
    for interval in (of.pointwise(), of.simultaneous()):
        np.testing.assert_allclose(interval, [[1 / 3, 6], [1 / 3, 6]])


def test_a_column_has_the_mean_of_the_datasets_that_have_a_value():
    values = np.random.default_rng(3).normal(size=(30, 2))
    values[::2, 1] = np.nan
    of, alone = bootstrap(values), bootstrap(values[1::2, 1:])
    np.testing.assert_allclose(of.means, [values[:, 0].mean(), values[1::2, 1].mean()])
    # The number of datasets with a value varies between resamples, which makes little difference.
    assert width(of.pointwise())[1] == pytest.approx(width(alone.pointwise())[0], rel=0.15)
    np.testing.assert_allclose(width(of.pointwise())[0], width(bootstrap(values[:, :1]).pointwise())[0])


def test_a_resample_without_a_value_for_a_column_does_not_count():
    values = [[1.0, 0.3], [3.0, np.nan]]
    of = bootstrap(values)
    assert np.isnan(of.resampled[:, 1]).mean() == pytest.approx(0.25, abs=0.03)  # only the second one is drawn
    for interval in (of.pointwise(), of.simultaneous()):
        assert (interval.low[1], interval.high[1]) == pytest.approx((0.3, 0.3))
        assert interval.low[0] <= 1.0 < 3.0 <= interval.high[0]


def test_there_may_be_nothing_to_resample():
    of = bootstrap(np.empty((0, 0)), [])
    for interval in (of.pointwise(), of.simultaneous()):
        assert interval.low.shape == interval.high.shape == (0,)


# Simultaneous intervals


def test_a_single_simultaneous_interval_is_the_normal_one():
    values = np.random.default_rng(0).standard_normal((300, 1))
    low, high = bootstrap(values).simultaneous()
    error = values.std(ddof=1) / np.sqrt(300)
    assert (low[0] + high[0]) / 2 == pytest.approx(values.mean())
    assert (high - low)[0] == pytest.approx(2 * 1.96 * error, rel=0.06)


def test_many_independent_columns_widen_all_of_them_alike():
    values = np.random.default_rng(0).standard_normal((400, 20)) * np.linspace(0.1, 3.0, 20)
    of = bootstrap(values)
    error = of.resampled.std(axis=0, ddof=1)
    reach = width(of.simultaneous()) / 2 / error
    np.testing.assert_allclose(reach, reach[0])
    # All of 20 independent deviations are below this with probability 0.95 (Šidák).
    assert reach[0] == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / 20)) / 2), rel=0.04)
    assert (width(of.simultaneous()) > 1.3 * width(of.pointwise())).all()


def test_columns_that_say_the_same_widen_nothing():
    values = np.random.default_rng(0).standard_normal((100, 1))
    np.testing.assert_allclose(
        width(bootstrap(np.tile(values, 20)).simultaneous()), width(bootstrap(values).simultaneous())[0]
    )


def test_all_intervals_contain_their_means_at_once_as_often_as_they_say():
    rng = np.random.default_rng(7)
    together = {"pointwise": 0, "simultaneous": 0}
    for _ in range(300):
        shared = rng.standard_normal((60, 1))
        of = Bootstrap(0.5 * shared + rng.standard_normal((60, 10)), names(60), rng, resamples=400)
        for kind in together:
            low, high = getattr(of, kind)()
            together[kind] += ((low <= 0) & (high >= 0)).all()
    assert 0.9 < together["simultaneous"] / 300 < 0.98
    assert together["pointwise"] / 300 < 0.8


@pytest.mark.parametrize("seed", [209, 276, 309])  # others need no care
def test_columns_of_equal_values_do_not_widen_the_others(seed):
    """The resampled means of equal values differ by rounding errors, which can be large compared with their spread."""
    rng = np.random.default_rng(seed)
    families = [f"d{i}" for i in rng.integers(0, 40, 40)]
    noisy, equal = rng.normal(0.0, 0.02, (40, 1)), np.tile(rng.normal(0.0, 0.1, 15).round(4), (40, 1))
    both = bootstrap(np.hstack([noisy, equal]), families).simultaneous()
    assert width(both)[0] == pytest.approx(width(bootstrap(noisy, families).simultaneous())[0])
    np.testing.assert_allclose(both.low[1:], equal[0])


# The Bayesian signed-rank test


def slow_signed_rank(differences, rope, rng, samples):
    """The Monte Carlo of Benavoli et al. (2017, section 4.2), pair by pair."""
    z = [0.0, *differences]
    won = [0, 0, 0]
    for _ in range(samples):
        weights = rng.dirichlet([0.5, *[1.0] * len(differences)])
        theta = [0.0, 0.0, 0.0]
        for i in range(len(z)):
            for j in range(len(z)):
                total = z[i] + z[j]
                if total < -2 * rope:
                    theta[0] += weights[i] * weights[j]
                elif total > 2 * rope:
                    theta[2] += weights[i] * weights[j]
                else:
                    theta[1] += weights[i] * weights[j]
        won[theta.index(max(theta))] += 1
    return [number / samples for number in won]


@pytest.mark.parametrize(("mean", "spread"), [(-0.008, 0.03), (0.0, 0.02), (0.012, 0.02)])
def test_probabilities_are_those_of_a_plain_transcription(mean, spread):
    rng = np.random.default_rng(2)
    differences = rng.normal(mean, spread, 8)
    expected = slow_signed_rank(differences.tolist(), 0.01, rng, 2000)
    found = bayesian_signed_rank(differences, names(8), 0.01, rng)
    assert 0.05 < max(expected) < 0.95  # otherwise this would say little
    assert found == pytest.approx(expected, abs=0.04)
    assert sum(found) == pytest.approx(1.0)


def test_probabilities_of_one_difference_by_hand():
    # With the weight w of the pseudo-observation, a share w^2 of averages is in the region: it wins if w > 1 / sqrt 2.
    # The distribution of w is Beta(1/2, 1), with P(w < x) = sqrt x.
    below, within, above = bayesian_signed_rank(
        np.array([-0.05]), ["a"], 0.01, np.random.default_rng(0), samples=50_000
    )
    assert below == pytest.approx(0.5**0.25, abs=0.01)
    assert within == pytest.approx(1 - 0.5**0.25, abs=0.01)
    assert above == 0.0


def test_an_average_on_the_edge_of_the_region_counts_half():
    # Both averages with the difference are in the region or on its edge. Above wins if (1 - w)^2 / 2 > 1/2: never.
    assert bayesian_signed_rank(np.array([0.01]), ["a"], 0.01, np.random.default_rng(0)) == (0.0, 1.0, 0.0)
    # A little further out it wins if (1 - w)^2 > 1/2, that is w < 1 - 1 / sqrt 2.
    above = bayesian_signed_rank(np.array([0.011]), ["a"], 0.01, np.random.default_rng(0), samples=50_000)[2]
    assert above == pytest.approx(np.sqrt(1 - np.sqrt(0.5)), abs=0.01)


def test_opposite_differences_have_opposite_probabilities():
    differences = np.random.default_rng(4).normal(0.01, 0.02, 12)
    forth = bayesian_signed_rank(differences, names(12), 0.01, np.random.default_rng(0))
    back = bayesian_signed_rank(-differences, names(12), 0.01, np.random.default_rng(0))
    assert forth == back[::-1]
    assert forth[2] > 0.2


@pytest.mark.parametrize(("difference", "sure"), [(-0.1, 0), (0.001, 1), (0.1, 2)])
def test_many_clear_differences_are_sure(difference, sure):
    differences = difference + np.linspace(-0.001, 0.001, 40)
    assert bayesian_signed_rank(differences, names(40), 0.01, np.random.default_rng(0))[sure] > 0.999


def test_the_datasets_of_a_family_share_its_weight():
    differences = np.random.default_rng(0).normal(-0.01, 0.02, 6)
    once = bayesian_signed_rank(differences, names(6), 0.01, np.random.default_rng(1))
    copied = bayesian_signed_rank(np.tile(differences, 5), names(6) * 5, 0.01, np.random.default_rng(1))
    assert copied == once
    apart = bayesian_signed_rank(np.tile(differences, 5), names(30), 0.01, np.random.default_rng(1))
    assert max(apart) > max(once) + 0.05


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
