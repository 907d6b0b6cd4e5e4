"""Classification data as a bandit problem: rewards, orders of the rows, and contexts standardised as they arrive."""

import numpy as np
import pytest

from balanced_bandits.environments.classification import rewards_of, shuffled, spaced_rounds, standardised_so_far


def test_the_reward_is_one_for_the_class_of_the_row():
    np.testing.assert_array_equal(rewards_of(np.array([1, 0, 2]), 3), [[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def test_an_order_depends_on_seed_dataset_and_shuffle_only():
    orders = [shuffled(50, *key) for key in ((1, "iris", 0), (2, "iris", 0), (1, "wine", 0), (1, "iris", 1))]
    for order in orders:
        np.testing.assert_array_equal(np.sort(order), np.arange(50))
    assert len({tuple(order) for order in orders}) == 4
    np.testing.assert_array_equal(orders[0], shuffled(50, 1, "iris", 0))


@pytest.mark.parametrize("n", [1, 2, 7, 1000, 49_097])
def test_regret_is_recorded_at_the_first_and_the_last_round(n):
    rounds = spaced_rounds(n)
    assert rounds[0] == 1
    assert rounds[-1] == n
    assert (np.diff(rounds) > 0).all()


def test_running_standardisation_uses_the_rows_up_to_each_row_and_no_others():
    X = np.random.default_rng(0).normal([0.0, 3.0, -2.0], [1.0, 10.0, 0.1], size=(40, 3))
    scaled = standardised_so_far(X)
    for t in range(1, 40):
        seen = X[: t + 1]
        np.testing.assert_allclose(scaled[t], (X[t] - seen.mean(axis=0)) / seen.std(axis=0), rtol=1e-7, atol=1e-9)
    changed = X.copy()
    changed[30:] = 99.0
    np.testing.assert_array_equal(standardised_so_far(changed)[:30], scaled[:30])


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e9])
def test_neither_the_unit_of_a_column_nor_its_distance_from_zero_matters(unit):
    X = np.random.default_rng(1).standard_normal((60, 2))
    np.testing.assert_allclose(standardised_so_far(unit * (X + 1000.0)), standardised_so_far(X), rtol=1e-4, atol=1e-4)


def test_a_column_is_zero_until_it_varies():
    X = np.column_stack([[5.0, 5.0, 5.0, 6.0], np.full(4, 0.1)])
    scaled = standardised_so_far(X)
    np.testing.assert_array_equal(scaled[:3], 0.0)
    np.testing.assert_array_equal(scaled[:, 1], 0.0)
    assert scaled[3, 0] == pytest.approx((6 - 5.25) / np.std(X[:, 0]))
