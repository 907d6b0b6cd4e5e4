"""The synthetic example: its design, its optima, and how policies are held against them."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from balanced_bandits.core.files import read_arrays
from balanced_bandits.environments import optima, synthetic
from balanced_bandits.simulation.agreement import agreeing
from balanced_bandits.simulation.synthetic import snapshot_rounds


def contexts(n=200_000):
    return np.random.default_rng(0).standard_normal((n, 2))


@pytest.fixture(scope="module")
def value_best():
    return optima.value_best_policy()


def assigned(x):
    return synthetic.assignments(x, synthetic.best_linear_predictors(), np.zeros((3, 3)))


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
    np.testing.assert_array_equal(assigned(x)["truth"], np.where(inside, 2, 0))


def test_best_linear_predictors_are_those_of_regression_on_many_draws():
    x = contexts()
    z = np.column_stack([np.ones(len(x)), x])
    fitted = np.linalg.lstsq(z, synthetic.expected_rewards(x), rcond=None)[0].T
    np.testing.assert_allclose(synthetic.best_linear_predictors(), fitted, atol=0.03)
    np.testing.assert_allclose(synthetic.best_linear_predictors(), [[2, 1, 1], [1, 0, 0], [0, -1, -1]], atol=1e-12)


def test_the_best_linear_predictors_part_the_space_into_two_half_planes():
    x = contexts()
    np.testing.assert_array_equal(assigned(x)["predictors"], np.where(x.sum(axis=1) > -1, 0, 2))


def test_shares_of_the_arms_are_those_of_known_distributions():
    """Against the distribution of the distance from (-1, -1), and of x0 + x1, which are known."""
    x = contexts()
    by = assigned(x)
    assert (by["truth"] == 2).mean() == pytest.approx(stats.ncx2(2, 2).cdf(2), abs=0.004)
    assert (by["predictors"] == 0).mean() == pytest.approx(stats.norm.sf(-1 / np.sqrt(2)), abs=0.004)


def value_by_quadrature(theta):
    """The value of a linear policy by a fine product rule, which knows nothing of crossings."""
    axis = np.linspace(-7, 7, 1401)
    grid = np.array(np.meshgrid(axis, axis, indexing="ij")).reshape(2, -1).T
    weight = np.exp(-0.5 * (grid**2).sum(axis=1))
    rewards = synthetic.expected_rewards(grid)
    arms = np.column_stack([np.ones(len(grid)), grid]) @ theta.T
    return float(rewards[np.arange(len(grid)), arms.argmax(axis=1)] @ weight / weight.sum())


@pytest.mark.parametrize("seed", range(4))
def test_the_value_of_a_linear_policy_is_that_of_a_product_rule(seed):
    theta = np.random.default_rng(seed).standard_normal((3, 3))
    assert optima.policy_value(theta) == pytest.approx(value_by_quadrature(theta), abs=2e-3)


def test_values_known_in_closed_form():
    always = np.zeros((3, 3))
    for arm, value in enumerate((2.0, 1.0, 0.0)):  # E[bowl] = 0.5 (1 + 1) + 0.5 (1 + 1)
        always[:, 0] = np.eye(3)[arm]
        assert optima.policy_value(always) == pytest.approx(value, abs=1e-9)


def half_plane(cut):
    return np.array([[-cut, 1.0, 1.0], [-1e9, 0, 0], [0, 0, 0]])


def test_the_value_best_policy_beats_every_half_plane_and_perturbations_of_itself(value_best):
    best = optima.policy_value(value_best)
    assert value_by_quadrature(value_best) == pytest.approx(best, abs=2e-3)
    halves = [optima.policy_value(half_plane(cut)) for cut in np.linspace(-1.5, 0.5, 81)]
    assert best > max(halves) + 0.02
    assert best > optima.policy_value(synthetic.best_linear_predictors()) + 0.04
    rng = np.random.default_rng(3)
    for scale in (1e-3, 1e-2, 1e-1, 1.0):
        for _ in range(40):
            # of arm 0, and of arm 2 in proportion to its own size
            changed = value_best * (1.0 + scale * rng.standard_normal((3, 3)))
            assert optima.policy_value(changed) <= best + 1e-6
    assert optima.policy_value(optima.mirrored(value_best)) == pytest.approx(best, abs=1e-5)


def test_the_search_for_the_value_best_policy_ends_at_the_same_policy_from_other_starts(value_best):
    x = contexts(20_000)
    again = optima.value_best_policy(seed=5)
    same = synthetic.greedy_arms(x, again, "mis") == synthetic.greedy_arms(x, value_best, "mis")
    assert same.mean() > 0.99
    assert optima.policy_value(again) == pytest.approx(optima.policy_value(value_best), abs=1e-5)


def test_the_optima_are_written_with_their_arms_and_the_surfaces(tmp_path):
    optima.write_optima(tmp_path / "optima.npz", tmp_path / "surfaces.csv")
    record, arrays = read_arrays(tmp_path / "optima.npz")
    side = record["grid_side"]
    grid = arrays["grid"].reshape(side, side, 2)
    assert (grid[:, 0, 0] == np.linspace(-3.5, 3.5, side)).all()
    assert (grid[3, :, 0] == grid[3, 0, 0]).all()  # x0 is slow
    np.testing.assert_array_equal(arrays["arms_true"], synthetic.expected_rewards(arrays["grid"]).argmax(axis=1))
    assert record["values"]["value"] > record["values"]["predictors"]
    surfaces = pd.read_csv(tmp_path / "surfaces.csv")
    assert len(surfaces) == 61 * 61 * 3
    corner = surfaces[(surfaces["x0"] == 3.5) & (surfaces["x1"] == -3.5)].set_index("arm")["expected_reward"]
    assert list(corner) == pytest.approx([0.5 * 4.5**2 + 0.5 * 2.5**2, 1, 2 - 0.5 * 4.5**2 - 0.5 * 2.5**2])


def test_well_specified_models_can_represent_the_rewards_exactly():
    x = contexts(1000)
    z = np.column_stack([np.ones(len(x)), synthetic.features(x, "well")])
    residual = np.linalg.lstsq(z, synthetic.expected_rewards(x), rcond=None)[1]
    assert residual.max() < 1e-20


@pytest.mark.parametrize("horizon", [1, 2, 7, 10_000])
def test_snapshots_begin_after_the_warm_start_and_end_at_the_horizon(horizon):
    rounds = snapshot_rounds(horizon)
    assert rounds[:2].tolist() == [0, 1]
    assert rounds[-1] == horizon
    assert (np.diff(rounds) > 0).all()
    assert {shown for shown in synthetic.SHOWN if shown <= horizon} <= set(rounds.tolist())


@pytest.mark.parametrize("contexts_in_all", [1, 499, 500, 1203])
def test_agreement_is_counted_as_argmax_would(contexts_in_all):
    rng = np.random.default_rng(contexts_in_all)
    thetas = rng.integers(-2, 3, (6, 3, 4)).astype(float)  # whole numbers: ties are many
    thetas[3] = thetas[2]
    columns = rng.integers(-2, 3, (4, contexts_in_all)).astype(float)
    arms = rng.integers(0, 3, (2, contexts_in_all))
    expected = ((thetas @ columns).argmax(axis=1)[:, None] == arms).sum(axis=-1)
    np.testing.assert_array_equal(agreeing(thetas, columns, arms.astype(float)), expected)
