"""Random streams and settings."""

import numpy as np

from balanced_bandits.core.settings import name_of, settings_of
from balanced_bandits.core.streams import stream
from balanced_bandits.environments.classification import rewards_of, shuffled


def test_a_stream_is_a_function_of_its_name_alone():
    first = stream(1, "classification", "iris", "LinTS", "alpha=1", 0).random(5)
    np.testing.assert_array_equal(first, stream(1, "classification", "iris", "LinTS", "alpha=1", 0).random(5))


def test_streams_of_different_names_differ():
    names = [(1, "a", "b"), (1, "ab"), (1, "b", "a"), (2, "a", "b"), (1, "a", "b", 0), (1, "a", "b", "0")]
    draws = {stream(*name).integers(2**63) for name in names}
    assert len(draws) == len(names)


def test_the_streams_do_not_change_between_versions():
    assert stream(1, "classification", "iris", "shuffle", 0).integers(1000) == 322


def test_every_shuffle_is_a_permutation_of_its_own():
    orders = [tuple(shuffled(50, 1, dataset, shuffle)) for dataset in ("a", "b") for shuffle in (0, 1)]
    assert len(set(orders)) == 4
    assert all(sorted(order) == list(range(50)) for order in orders)


def test_settings_are_all_combinations_and_their_names_do_not_depend_on_the_grid():
    grid = settings_of({"alpha": [1, 2], "gamma": [0.1, 0.2]})
    assert [name_of(setting) for setting in grid] == [
        "alpha=1 gamma=0.1",
        "alpha=1 gamma=0.2",
        "alpha=2 gamma=0.1",
        "alpha=2 gamma=0.2",
    ]


def test_the_right_class_is_worth_one():
    np.testing.assert_array_equal(rewards_of(np.array([1, 0, 2]), 3), [[0, 1, 0], [1, 0, 0], [0, 0, 1]])
