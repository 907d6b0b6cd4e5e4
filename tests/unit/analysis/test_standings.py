"""Mean ranks, performance profiles, and differences from a reference bandit by size, on tables made by hand."""

import warnings

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis.classification.standings import (
    differences_by_size,
    groups,
    profiles,
    ranks,
    regrets_of,
)


def regret_table(values, families=None, protocol="paper"):
    """Regrets of bandits a, b, ... (datasets, bandits) of one reading and protocol."""
    rows = [
        {"reading": "residual", "protocol": protocol, "bandit": "abcde"[j], "dataset": f"d{i}",
         "family": families[i] if families else f"d{i}", "regret": regret}
        for i, row in enumerate(values) for j, regret in enumerate(row)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def holm_table(told):
    rows = [("residual", "paper", r, c, 0.01 if {r, c} in told else 0.2) for r, c in ("ab", "ac", "bc")]
    return pd.DataFrame(rows, columns=["reading", "protocol", "row", "column", "p_holm"])


def test_regrets_are_means_over_shuffles():
    rows = [("residual", "paper", bandit, dataset, shuffle, regret)
            for bandit, dataset, regrets in (("a", "x", (0.1, 0.2)), ("a", "y", (0.4,)), ("b", "x", (0.3, 0.5)))
            for shuffle, regret in enumerate(regrets)]  # fmt: skip
    scores = pd.DataFrame(rows, columns=["reading", "protocol", "bandit", "dataset", "shuffle", "regret"])
    table = regrets_of(pd.concat([scores, scores.assign(protocol="fixed", regret=0.7)]), {"x": "f", "y": "g"})
    assert table.set_index(["protocol", "bandit", "dataset"])["regret"].to_dict() == {
        ("paper", "a", "x"): 0.15, ("paper", "a", "y"): 0.4, ("paper", "b", "x"): 0.4,
        ("fixed", "a", "x"): 0.7, ("fixed", "a", "y"): 0.7, ("fixed", "b", "x"): 0.7,
    }  # fmt: skip
    assert table["family"].tolist() == ["f", "g", "f"] * 2


def test_mean_ranks_by_hand_with_equal_regrets_sharing_theirs():
    table = ranks(regret_table([[0.3, 0.1, 0.2], [0.2, 0.2, 0.4]]), holm_table([{"a", "b"}]))
    assert table["bandit"].tolist() == ["b", "a", "c"]
    assert table["mean_rank"].tolist() == [(1 + 1.5) / 2, (3 + 1.5) / 2, (2 + 3) / 2]
    assert table["regret"].tolist() == pytest.approx([0.15, 0.25, 0.3])
    assert table["groups"].tolist() == ["", "1", "1"]
    assert table["datasets"].tolist() == [2, 2, 2]


def test_views_are_ranked_separately():
    """The pairs of another protocol tell nothing apart in this one."""
    first, second = [[0.1, 0.2, 0.3]] * 2, [[0.3, 0.2, 0.1]]
    counts = holm_table([{"a", "b"}, {"b", "c"}, {"a", "c"}])
    counts = pd.concat([counts, counts.assign(protocol="fixed", p_holm=0.5)])
    table = ranks(pd.concat([regret_table(first), regret_table(second, protocol="fixed")]), counts)
    assert table["bandit"].tolist() == ["a", "b", "c", "c", "b", "a"]
    assert table["datasets"].tolist() == [2, 2, 2, 1, 1, 1]
    assert table["groups"].tolist() == ["", "", "", "1", "1", "1"]


def test_friedmans_p_is_that_of_the_textbook_formula():
    values = np.random.default_rng(0).random((12, 3))
    place = values.argsort(axis=1).argsort(axis=1) + 1
    statistic = 12 * 12 / (3 * 4) * ((place.mean(axis=0) - 2) ** 2).sum()
    table = ranks(regret_table(values), holm_table([]))
    assert table["p_friedman"].iloc[0] == pytest.approx(np.exp(-statistic / 2))  # chi-square with 2 degrees of freedom
    equal = ranks(regret_table(np.full((4, 3), 0.5)), holm_table([]))
    assert equal["p_friedman"].isna().all()
    assert ranks(regret_table(values[:, :2]), holm_table([]))["p_friedman"].isna().all()


def test_groups_are_longest_rows_of_neighbours():
    told = {frozenset("ae"), frozenset("bd")}
    assert groups(list("abcde"), told) == [["a", "b", "c"], ["c", "d", "e"]]
    assert groups(list("abc"), set()) == [["a", "b", "c"]]
    assert groups(list("ab"), {frozenset("ab")}) == []


def test_profiles_by_hand():
    table = profiles(regret_table([[0.3, 0.1], [0.2, 0.2], [0.1, 0.5], [0.1, 0.5]]))
    a, b = (table[table["bandit"] == bandit] for bandit in "ab")
    assert a["distance"].tolist() == [0.0, 0.2]
    assert a["share"].tolist() == [0.75, 1.0]
    assert b["distance"].tolist() == [0.0, 0.4]
    assert b["share"].tolist() == [0.5, 1.0]


def sizes(*rows):
    return pd.DataFrame([(f"d{i}", *row) for i, row in enumerate(rows)], columns=["name", "n", "d", "K"])


THREE = sizes((50, 3, 2), (100, 3, 2), (500, 3, 3))


def differences(regrets, datasets, reference="a"):
    table = differences_by_size(regrets, datasets, reference, np.random.default_rng(0))
    return table.set_index(["protocol", "by", "stratum", "bandit"])


def test_differences_from_the_reference_overall_and_by_size():
    regrets = regret_table([[0.1, 0.2], [0.3, 0.4], [0.8, 0.6]], families=["one", "one", "two"])
    table = differences(regrets, THREE).loc["paper"]
    assert {by for by, _, _ in table.index} == {"all", "n", "d", "K"}
    whole = table.loc[("all", "all", "b")]
    assert (whole["datasets"], whole["regret"]) == (3, pytest.approx(0.4))
    assert whole["difference"] == pytest.approx(0.0)
    assert (whole["difference_low"], whole["difference_high"]) == (-1.0, 1.0)  # two families say nothing
    small = table.loc[("n", "≤ 100", "b")]
    assert (small["datasets"], small["regret"], small["difference"]) == (2, pytest.approx(0.3), pytest.approx(0.1))
    assert (small["difference_low"], small["difference_high"]) == pytest.approx((0.1, 0.1))  # one family
    assert table.loc[("n", "101–1,000", "b"), "difference"] == pytest.approx(-0.2)
    assert ("n", "> 10,000", "b") not in table.index


def test_the_reference_differs_from_itself_by_nothing():
    values = np.random.default_rng(0).random((3, 3))
    table = differences(regret_table(values), THREE, reference="b").loc["paper"].xs("b", level="bandit")
    assert (table[["difference", "difference_low", "difference_high"]] == 0).all(axis=None)
    assert table.loc[("all", "all"), "regret"] == pytest.approx(values[:, 1].mean())


def test_the_reference_is_that_of_the_same_protocol():
    both = pd.concat([regret_table([[0.1, 0.2]] * 3), regret_table([[0.5, 0.3]] * 3, protocol="fixed")])
    table = differences(both, THREE)["difference"]
    assert table["paper", "all", "all", "b"] == pytest.approx(0.1)
    assert table["fixed", "all", "all", "b"] == pytest.approx(-0.2)


def test_a_size_of_which_no_dataset_has_a_held_out_regret_has_no_row_for_it():
    """The only dataset with more than 100 observations has a single shuffle."""
    values = [[0.1, 0.2], [0.3, 0.4], [0.8, 0.6]]
    both = pd.concat([regret_table(values), regret_table(values[:2], protocol="held_out")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = differences(both, THREE)
    assert table.loc[("held_out", "all", "all", "b"), "datasets"] == 2
    assert table.loc[("held_out", "all", "all", "b"), "difference"] == pytest.approx(0.1)
    assert ("paper", "n", "101–1,000", "b") in table.index
    assert ("held_out", "n", "101–1,000", "b") not in table.index
    assert table["difference"].notna().all()
