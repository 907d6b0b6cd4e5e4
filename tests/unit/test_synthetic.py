"""The synthetic example: its design, its optima, and the table made from it."""

import numpy as np
import pytest
from scipy import stats

from balanced_bandits.analysis.table1 import find_rates, table1
from balanced_bandits.environments import synthetic
from balanced_bandits.files import write_arrays
from balanced_bandits.simulation.synthetic import snapshot_rounds


def contexts(n=200_000):
    return np.random.default_rng(0).standard_normal((n, 2))


def test_warm_start_contexts_follow_the_truncated_normal():
    draws = synthetic.truncated_normal((20_000,), -1.15, -0.85, np.random.default_rng(1))
    assert stats.kstest(draws, stats.truncnorm(-1.15, -0.85).cdf).pvalue > 0.01
    assert draws.min() > -1.15
    assert draws.max() < -0.85


def test_a_simulation_has_the_papers_design():
    x, rewards, warm = synthetic.draw(5000, np.random.default_rng(2))
    assert x.shape == (5050, 2)
    assert rewards.shape == (5050, 3)
    assert warm.shape == (50,)
    assert set(warm) == {0, 1, 2}
    assert ((x[:50] > -1.15) & (x[:50] < -0.85)).all()
    noise = rewards - synthetic.expected_rewards(x)
    assert noise.std() == pytest.approx(0.1, rel=0.05)
    assert stats.kstest(x[50:].ravel(), "norm").pvalue > 0.01


def test_expected_rewards_by_hand():
    np.testing.assert_allclose(
        synthetic.expected_rewards(np.array([[-1.0, -1.0], [1.0, 0.0]])), [[0, 1, 2], [2.5, 1, -0.5]]
    )


def test_arm_2_is_best_inside_the_disc_around_minus_one_and_arm_0_outside():
    x = contexts()
    inside = ((x + 1) ** 2).sum(axis=1) < 2
    np.testing.assert_array_equal(synthetic.optimal_arms(x, "well"), np.where(inside, 2, 0))


def test_best_linear_predictors_are_those_of_regression_on_many_draws():
    x = contexts()
    z = np.column_stack([np.ones(len(x)), x])
    fitted = np.linalg.lstsq(z, synthetic.expected_rewards(x), rcond=None)[0].T
    np.testing.assert_allclose(synthetic.best_linear_predictors(), fitted, atol=0.03)
    np.testing.assert_allclose(synthetic.best_linear_predictors(), [[2, 1, 1], [1, 0, 0], [0, -1, -1]], atol=1e-12)


def test_the_misspecified_optimum_is_a_half_plane():
    x = contexts()
    np.testing.assert_array_equal(synthetic.optimal_arms(x, "mis"), np.where(x.sum(axis=1) > -1, 0, 2))


def test_well_specified_models_can_represent_the_rewards_exactly():
    x = contexts(1000)
    z = np.column_stack([np.ones(len(x)), synthetic.features(x, "well")])
    residual = np.linalg.lstsq(z, synthetic.expected_rewards(x), rcond=None)[1]
    assert residual.max() < 1e-20


@pytest.mark.parametrize("horizon", [1, 2, 7, 10_000])
def test_snapshots_are_ascending_and_end_at_the_horizon(horizon):
    rounds = snapshot_rounds(horizon)
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    assert (np.diff(rounds) > 0).all()


def test_table1_from_hand_made_traces(tmp_path):
    agreement = np.array(
        [[[0.5, 0.96, 0.4], [0.1, 0.2, 0.3], [0.5, 0.5, 0.95]], [[0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.99, 0.1, 0.1]]]
    )
    record = {"bandit": "LinTS", "specification": "well", "settings": [{"alpha": 0.5}, {"alpha": 1.0}]}
    write_arrays(tmp_path / "a.npz", record, agreement=agreement, rounds=np.array([1, 10, 100]), regret=np.ones((2, 3)))
    rates = find_rates([tmp_path / "a.npz"], 0.95)
    assert list(rates["found"]) == [2, 1]
    assert list(rates["median_rounds_to_find"]) == [55.0, 1.0]
    best = table1(rates)
    assert list(best["setting"]) == ["alpha=0.5"]
    assert best["percent"][0] == pytest.approx(200 / 3)
    # Wilson's interval for 2 of 3, worked out from its formula
    z, p, n = 1.959963984540054, 2 / 3, 3
    centre, half = (p + z**2 / 2 / n), z * np.sqrt(p * (1 - p) / n + z**2 / 4 / n**2)
    assert best["percent_low"][0] == pytest.approx(100 * (centre - half) / (1 + z**2 / n))
    assert best["percent_high"][0] == pytest.approx(100 * (centre + half) / (1 + z**2 / n))
    assert best["paper_percent"][0] == 84
