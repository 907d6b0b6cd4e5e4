"""Two bandits on one dataset: differences by hand, the paired test against SciPy, and its size between copies."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from balanced_bandits.analysis.classification.pairs import COLUMNS, all_pairs, compare, paired_t, standard_error
from balanced_bandits.vocabulary import FEWEST_UNITS


def scores_of(regrets, protocol="paper", settings=None, unit_of=lambda shuffle: shuffle):
    """Scores of bandits on the dataset x; ``regrets`` (shuffles,) and ``settings`` (shuffles,) by bandit."""
    rows = [
        (protocol, bandit, "x", shuffle, unit_of(shuffle), settings[bandit][shuffle] if settings else "s", regret)
        for bandit, of in regrets.items() for shuffle, regret in enumerate(of)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["protocol", "bandit", "dataset", "shuffle", "unit", "setting", "regret"])


def compared(regrets, n=100, **more):
    return compare(scores_of(regrets, **more), {"x": "family"}, {"x": n}, all_pairs(regrets))


@pytest.mark.parametrize("shuffles", [5, 10, 30])
def test_the_p_value_is_that_of_scipys_paired_t_test(shuffles):
    rng = np.random.default_rng(shuffles)
    one, other = rng.normal(0.3, 0.05, shuffles), rng.normal(0.32, 0.05, shuffles)
    assert paired_t(one - other, 1000) == pytest.approx(stats.ttest_rel(one, other).pvalue)
    assert paired_t(one - other, 1000) == pytest.approx(stats.ttest_1samp(one - other, 0.0).pvalue)
    assert paired_t(other - one, 1000) == paired_t(one - other, 1000)


def test_with_too_few_shuffles_there_is_no_test():
    differences = np.linspace(0.1, 0.2, FEWEST_UNITS)
    assert paired_t(differences, 100) < 0.01
    assert np.isnan(paired_t(differences[1:], 100))
    assert np.isnan(paired_t(np.zeros(1), 100))


def test_no_difference_on_any_shuffle_has_p_1():
    assert paired_t(np.zeros(7), 100) == 1.0


def test_equal_differences_have_the_spread_of_rounding_to_whole_rounds():
    # One round of 100 on each of five shuffles: t = 0.01 / (0.01 / sqrt(12) / sqrt(5)) = sqrt(60).
    assert paired_t(np.full(5, 0.01), 100) == pytest.approx(2 * stats.t.sf(np.sqrt(60), 4))
    assert paired_t(np.full(5, 0.01), 1000) < paired_t(np.full(5, 0.01), 100)
    # A spread below that of rounding counts as rounding too; a larger one counts as it is.
    nearly = 0.01 + np.array([-1, -1, 0, 1, 1]) * 1e-9
    assert paired_t(nearly, 100) == pytest.approx(paired_t(np.full(5, 0.01), 100))
    spread = 0.01 + np.array([-1, -1, 0, 1, 1]) * 0.01
    assert paired_t(spread, 100) == pytest.approx(stats.ttest_1samp(spread, 0.0).pvalue)


def test_a_pair_by_hand():
    (row,) = compared({"A": [0.1, 0.3, 0.2], "B": [0.2, 0.3, 0.4]}).to_dict("records")
    assert list(row) == COLUMNS
    assert (row["protocol"], row["row"], row["column"], row["dataset"]) == ("paper", "A", "B", "x")
    assert (row["family"], row["n"], row["shuffles"]) == ("family", 100, 3)
    assert (row["regret_row"], row["regret_column"]) == (pytest.approx(0.2), pytest.approx(0.3))
    assert row["difference"] == pytest.approx(-0.1)
    assert row["difference_se"] == pytest.approx(0.1 / np.sqrt(3))  # of -0.1, 0, -0.2
    assert np.isnan(row["p"])
    assert row["outcome"] == "win"


def test_the_test_pairs_the_same_shuffles_whatever_their_order_in_the_table():
    one, other = [0.10, 0.20, 0.30, 0.40, 0.50], [0.11, 0.22, 0.31, 0.43, 0.52]
    table = scores_of({"A": one, "B": other})
    (row,) = compare(table.iloc[::-1], {"x": "x"}, {"x": 100}, [("A", "B")]).to_dict("records")
    assert row["p"] == pytest.approx(stats.ttest_rel(one, other).pvalue)
    assert row["p"] < 0.05 < stats.ttest_ind(one, other).pvalue


def test_the_outcome_is_a_tie_up_to_rounding():
    assert compared({"A": [0.1, 0.2], "B": [0.2, 0.1]})["outcome"].item() == "tie"
    (row,) = compared({"A": [0.1 + 0.2], "B": [0.3]}).to_dict("records")
    assert (row["difference"], row["outcome"]) == (0.0, "tie")
    assert compared({"A": [0.3], "B": [0.2]})["outcome"].item() == "loss"


def test_the_settings_are_the_most_frequent_ones():
    settings = {"A": ["s1", "s2", "s2"], "B": ["t", "t", "u"]}
    row = compared({"A": [0, 0, 0], "B": [0, 0, 0]}, settings=settings).iloc[0]
    assert (row["setting_row"], row["setting_column"]) == ("s2", "t")


def test_every_pair_is_compared_once_under_every_protocol():
    regrets = {"A": [0.1, 0.2], "B": [0.2, 0.3], "C": [0.3, 0.3]}
    table = pd.concat([scores_of(regrets), scores_of(regrets, protocol="typical")])
    pairs = compare(table, {"x": "x"}, {"x": 10}, all_pairs(regrets))
    assert list(zip(pairs["protocol"], pairs["row"], pairs["column"], strict=True)) == [
        (protocol, *pair) for protocol in ("paper", "typical") for pair in (("A", "B"), ("A", "C"), ("B", "C"))
    ]


def test_a_single_shuffle_has_no_standard_error():
    assert np.isnan(standard_error(np.array([0.2])))
    assert standard_error(np.array([0.0, 0.2])) == pytest.approx(0.1)


def same_bandit_twice(rng, pairs, shuffles=10, n=1000):
    """Which rounds two copies of one bandit got right, (pairs, 2, shuffles, n).

    A bandit's early luck decides how good it is for the rest of the run, so its share of right rounds is a matter of
    chance itself: rounds of one run are not independent.
    """
    share = np.clip(rng.normal(0.7, 0.05, (pairs, 2, shuffles, 1)), 0, 1)
    return rng.random((pairs, 2, shuffles, n), dtype=np.float32) < share


def test_copies_of_one_bandit_are_told_apart_in_about_5_percent_of_cases():
    rng = np.random.default_rng(0)
    tested = mcnemar = 0
    for _ in range(10):
        right = same_bandit_twice(rng, pairs=100)
        differences = right[:, 1].mean(axis=-1) - right[:, 0].mean(axis=-1)
        tested += sum(paired_t(of, 1000) < 0.05 for of in differences)
        # A test that takes rounds as independent, such as McNemar's, sees differences in far more cases.
        only_one = (right[:, 0] & ~right[:, 1]).sum(axis=(1, 2))
        only_other = (~right[:, 0] & right[:, 1]).sum(axis=(1, 2))
        z = (only_one - only_other) / np.sqrt(only_one + only_other)
        mcnemar += (np.abs(z) > 1.96).sum()
    assert 0.03 < tested / 1000 < 0.07
    assert mcnemar / 1000 > 0.25


def test_a_real_difference_is_found():
    rng = np.random.default_rng(1)
    found = sum(paired_t(rng.normal(0.05, 0.03, 10), 1000) < 0.05 for _ in range(100))
    assert found > 95


def test_units_of_several_shuffles_count_once_in_the_test():
    rng = np.random.default_rng(3)
    regrets = {"A": rng.uniform(0.2, 0.4, 10), "B": rng.uniform(0.2, 0.4, 10)}
    row = compared(regrets, unit_of=lambda shuffle: shuffle // 2).iloc[0]
    differences = (regrets["A"] - regrets["B"]).reshape(5, 2).mean(axis=1)
    assert row["p"] == pytest.approx(stats.ttest_1samp(differences, 0.0).pvalue)
    assert row["difference_se"] == pytest.approx(stats.sem(differences))
    assert row["difference"] == pytest.approx(np.mean(regrets["A"] - regrets["B"]))
    assert row["shuffles"] == 10
    assert np.isnan(compared({name: of[:8] for name, of in regrets.items()}, unit_of=lambda i: i // 2).iloc[0]["p"])
