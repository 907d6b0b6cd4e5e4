"""How often tests tell copies of one bandit apart: counts by hand, and rates of simulated copies."""

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis.classification.calibration import REPETITIONS, TESTS, _around, calibration
from balanced_bandits.analysis.intervals import wilson
from balanced_bandits.vocabulary import PROTOCOLS

KEYS = ["dataset", "bandit", "reading", "setting", "copy", "shuffle", "regret"]


def runs_of(regrets, bandit="LinTS", reading="residual", setting="a=1"):
    """Runs of one setting: ``regrets`` (copies, shuffles) by dataset."""
    rows = [
        (dataset, bandit, reading, setting, copy, shuffle, regret)
        for dataset, of in regrets.items() for copy, row in enumerate(of) for shuffle, regret in enumerate(row)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=KEYS)


def calibrated(runs, n=100):
    datasets = list(dict.fromkeys(runs["dataset"]))
    own = {name: name for name in datasets}
    return calibration(runs, own, dict.fromkeys(datasets, n), np.random.default_rng(0))


def rejected(table, **keys):
    """(rejected, tests) by test."""
    for name, value in keys.items():
        table = table[table[name] == value]
    return {row.test: (row.rejected, row.tests) for row in table.itertuples()}


LEVEL = np.tile([0.4, 0.42, 0.41, 0.43, 0.4], 2)
NOISE = np.tile([-0.01, 0.0, 0.0, 0.01, 0.0], 2)
# Copies 0 and 1 differ by two points on x and not at all on y; copies 2 and 3 by ten points on both.
BY_HAND = {
    "x": [LEVEL, LEVEL + 0.02, LEVEL, LEVEL + 0.1 + NOISE],
    "y": [LEVEL, LEVEL + NOISE, LEVEL + 0.1 + NOISE, LEVEL + 0.2],
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rejections_by_hand(protocol):
    """With one setting all protocols are the same."""
    table = calibrated(runs_of(BY_HAND))
    # All but copies 0 and 1 on y.
    assert rejected(table, protocol=protocol, bandit="LinTS")["dataset"] == (3, 4)
    assert rejected(table, protocol=protocol, bandit="all")["dataset"] == (3, 4)


def test_the_first_rows_are_of_all_bandits_and_readings_together():
    none = {name: [LEVEL] * 4 for name in "xy"}
    runs = [runs_of(BY_HAND), runs_of(none, reading="literal"), runs_of(none, bandit="ILTCB", reading="any")]
    table = calibrated(pd.concat(runs))
    assert len(table) == len(TESTS) * len(PROTOCOLS) * (1 + 3)
    assert (table["bandit"][: len(TESTS) * len(PROTOCOLS)] == "all").all()
    together = rejected(table, protocol="paper", bandit="all", reading="all")
    assert together["dataset"] == (3, 12)
    assert together["wilcoxon"] == (0, 3 * REPETITIONS)  # with two datasets, p is 0.5 at least
    assert rejected(table, protocol="paper", bandit="ILTCB", reading="any")["dataset"] == (0, 4)
    assert rejected(table, protocol="paper", bandit="LinTS", reading="literal")["interval"] == (0, REPETITIONS)


def test_percentages_have_wilsons_interval_where_tests_are_independent():
    runs = [runs_of(BY_HAND), runs_of(BY_HAND, reading="literal")]
    for row in calibrated(pd.concat(runs)).itertuples():
        assert row.percent == pytest.approx(100 * row.rejected / row.tests)
        if row.test == "dataset":
            assert (row.low, row.high) == pytest.approx([100 * end for end in wilson(row.rejected, row.tests)])
        else:
            assert np.isnan(row.low) == (row.bandit != "all")


def test_the_interval_of_tests_over_datasets_is_that_of_a_mean_over_bandits_and_readings():
    assert _around(np.array([4.0, 8.0, 6.0])) == pytest.approx(
        [6 - 4.303 * 2 / np.sqrt(3), 6 + 4.303 * 2 / np.sqrt(3)], abs=0.01
    )
    assert _around(np.array([1.0, 9.0])) == [0.0, pytest.approx(5 + 12.706 * 4, abs=0.01)]
    assert _around(np.array([5.0])) == [0.0, 100.0]


@pytest.mark.parametrize(
    ("found", "of", "ends"), [(5, 100, (0.0215, 0.1118)), (0, 40, (0.0, 0.0876)), (3, 3, (0.4385, 1.0))]
)
def test_wilsons_interval_by_hand(found, of, ends):
    assert wilson(found, of) == pytest.approx(ends, abs=1e-4)


def test_a_copy_without_another_is_not_used():
    three = {name: [LEVEL, LEVEL, LEVEL + 0.3] for name in "xy"}
    assert rejected(calibrated(runs_of(three)), protocol="paper", bandit="LinTS")["dataset"] == (0, 2)


def test_without_enough_shuffles_only_tests_over_datasets_count():
    few = {name: [row[:3] for row in rows] for name, rows in BY_HAND.items()}
    table = calibrated(runs_of(few))
    row = table[(table["test"] == "dataset") & (table["bandit"] == "all")].iloc[0]
    assert (row["rejected"], row["tests"], row["low"], row["high"]) == (0, 0, 0.0, 100.0)
    assert np.isnan(row["percent"])
    assert rejected(table, protocol="paper", bandit="all")["wilcoxon"] == (0, REPETITIONS)


def simulated(of_setting, of_copy, seed=8):
    """Calibration with copies whose regret is that of the setting, the shuffle, the copy on the dataset, and noise.

    ``of_setting`` are the settings' differences in regret, ``of_copy`` is the deviation of a copy from the others on
    all shuffles of a dataset.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(25):
        shape = len(of_setting), 8, 10
        regrets = rng.uniform(0.1, 0.6) + rng.normal(0.0, 0.02, 10) + np.reshape(of_setting, (-1, 1, 1))
        regrets = regrets + rng.normal(0.0, of_copy, (1, 8, 1)) + rng.normal(0.0, 0.02, shape)
        rows += [(f"d{i}", "LinTS", "residual", f"a={setting}", copy, shuffle, regrets[setting, copy, shuffle])
                 for setting, copy, shuffle in np.ndindex(shape)]  # fmt: skip
    table = calibrated(pd.DataFrame(rows, columns=KEYS), n=500)
    return table[table["bandit"] == "all"].set_index(["test", "protocol"])


@pytest.fixture(scope="module", params=[(0.1, 0.0, 0.2), (0.0, 0.0, 0.0), (0.0, 0.01, 0.02)], ids=str)
def alike(request):
    """Three settings: one is clearly the best, all are equal, or they differ by less than the noise."""
    return simulated(request.param, of_copy=0.0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_copies_are_told_apart_on_a_dataset_in_about_5_percent_of_cases(alike, protocol):
    """Choosing settings on all other shuffles instead of one would give 17 % where settings are equal."""
    row = alike.loc[("dataset", protocol)]
    assert row["tests"] == 25 * 4
    assert row["low"] < 5
    assert row["percent"] <= 10


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("test", ["wilcoxon", "interval"])
def test_copies_are_told_apart_over_datasets_in_about_5_percent_of_cases(alike, protocol, test):
    """Choosing fixed settings on the same shuffles of other datasets would give more than 20 %."""
    row = alike.loc[(test, protocol)]
    assert row["tests"] == REPETITIONS
    assert row["percent"] < 14


def test_a_test_that_sees_too_much_is_found_out():
    """Shuffles with something in common that a copy alone has are not independent, as the t test assumes."""
    table = simulated([0.0], of_copy=0.03)
    assert table.loc[("dataset", "paper"), "low"] > 30
    assert table.loc[("wilcoxon", "paper"), "percent"] < 14  # over datasets they are
