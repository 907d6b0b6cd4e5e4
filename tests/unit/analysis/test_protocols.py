"""Tuning protocols: numbers worked out by hand, ties, and which regrets a choice may depend on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from balanced_bandits.analysis.classification.protocols import (
    ALL_SETTINGS,
    COLUMNS,
    Played,
    fixed_settings,
    held_out,
    matrices,
    paper,
    scores,
    typical,
)
from balanced_bandits.vocabulary import PROTOCOLS


def runs_of(regrets, bandit="LinTS"):
    """Runs of one bandit; ``regrets`` are matrices (settings, shuffles) by dataset, settings are called s0, s1, ..."""
    rows = [
        (dataset, bandit, f"s{i}", shuffle, regret)
        for dataset, of in regrets.items() for i, row in enumerate(of) for shuffle, regret in enumerate(row)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["dataset", "bandit", "setting", "shuffle", "regret"])


def played(regrets):
    regrets = np.array(regrets, dtype=float)
    return Played([f"s{i}" for i in range(len(regrets))], list(range(regrets.shape[1])), regrets)


def chosen(table, protocol, dataset, bandit="LinTS"):
    here = table[(table["protocol"] == protocol) & (table["dataset"] == dataset) & (table["bandit"] == bandit)]
    return here["setting"].tolist(), here["regret"].tolist()


X = [[0.1, 0.5, 0.3, 0.6],
     [0.2, 0.3, 0.3, 0.7]]  # fmt: skip
Y = [[0.9, 0.9],
     [0.1, 0.3]]  # fmt: skip


@pytest.fixture
def table():
    return scores(runs_of({"x": X, "y": Y}), {"x": "x", "y": "y"})


def test_one_row_per_protocol_dataset_and_shuffle(table):
    assert list(table.columns) == COLUMNS
    assert list(dict.fromkeys(table["protocol"])) == list(PROTOCOLS)
    assert not table.duplicated(["protocol", "bandit", "dataset", "shuffle"]).any()
    assert len(table) == len(PROTOCOLS) * (4 + 2)
    assert table["regret"].dtype == float


def test_the_papers_protocol_takes_the_best_setting_on_each_shuffle(table):
    # The third shuffle is a tie.
    assert chosen(table, "paper", "x") == (["s0", "s1", "s0", "s0"], [0.1, 0.3, 0.3, 0.6])


def test_held_out_takes_the_setting_that_is_best_on_the_other_shuffle_of_a_pair(table):
    assert chosen(table, "held_out", "x") == (["s1", "s0", "s0", "s0"], [0.2, 0.5, 0.3, 0.6])


def test_units_are_shuffles_and_pairs_of_shuffles_under_held_out(table):
    for protocol in PROTOCOLS:
        here = table[(table["protocol"] == protocol) & (table["dataset"] == "x")]
        assert here["shuffle"].tolist() == [0, 1, 2, 3]
        assert here["unit"].tolist() == ([0, 0, 1, 1] if protocol == "held_out" else [0, 1, 2, 3])


def test_held_out_does_not_use_a_shuffle_without_another_one():
    three = held_out(played([[0.1, 0.5, 0.0], [0.2, 0.3, 0.3]]))
    assert three.shuffles == [0, 1]
    assert three.regrets.tolist() == [0.2, 0.5]


def test_typical_is_the_mean_over_settings(table):
    settings, regrets = chosen(table, "typical", "x")
    assert settings == [ALL_SETTINGS] * 4
    assert regrets == pytest.approx([0.15, 0.4, 0.3, 0.65])
    assert typical(played([[0.0], [0.1], [0.8]])).regrets == pytest.approx([0.3])


def test_fixed_takes_the_setting_that_is_best_on_other_shuffles_of_other_families():
    regrets = {"x": [[0.1, 0.9], [0.2, 0.3]], "y": [[0.5, 0.4], [0.6, 0.2]], "y2": [[0.7, 0.1], [0.0, 0.8]]}
    own = {name: name for name in regrets}
    table = scores(runs_of(regrets), own)
    # For the first shuffle of x, the second ones of y and y2 count: (0.5, 1.0). For its second one: (1.2, 0.6).
    assert chosen(table, "fixed", "x") == (["s0", "s1"], [0.1, 0.3])
    assert chosen(table, "fixed", "y") == (["s0", "s1"], [0.5, 0.2])  # (1.0, 1.1) and (0.8, 0.2)
    assert chosen(table, "fixed", "y2") == (["s1", "s0"], [0.0, 0.1])  # (1.3, 0.5) and (0.6, 0.8)
    # With y and y2 as one family, both see x only: (0.9, 0.3) and (0.1, 0.2).
    table = scores(runs_of(regrets), own | {"y2": "y"})
    assert chosen(table, "fixed", "y2") == (["s1", "s0"], [0.0, 0.1])
    assert chosen(table, "fixed", "y") == (["s1", "s0"], [0.6, 0.4])


def test_fixed_counts_a_dataset_once_however_many_shuffles_it_has():
    table = scores(runs_of({"many": [[0.3] * 9, [0.2] * 9], "few": [[0.1], [0.4]], "new": [[0, 0], [0, 0]]}),
                   dict.fromkeys(["many", "few"], "old") | {"new": "new"})  # fmt: skip
    # On the first shuffles 0.4 against 0.6, on the second ones, which only one dataset has, 0.3 against 0.2.
    assert chosen(table, "fixed", "new")[0] == ["s1", "s0"]


def test_fixed_uses_the_first_shuffle_if_no_dataset_has_another():
    table = scores(runs_of({"x": [[0.1], [0.2]], "y": [[0.5], [0.4]]}), {"x": "x", "y": "y"})
    assert chosen(table, "fixed", "x") == (["s1"], [0.2])
    assert chosen(table, "fixed", "y") == (["s0"], [0.5])


def test_fixed_without_another_family_is_the_first_setting():
    table = scores(runs_of({"y": Y, "y2": Y}), {"y": "y", "y2": "y"})
    assert chosen(table, "fixed", "y") == (["s0"] * 2, [0.9, 0.9])


def test_ties_go_to_the_first_setting_whatever_the_rounding():
    # 0.1 + 0.2 is a little more than 0.3 in floating point.
    regrets = {"a": [[0.1], [0.3]], "b": [[0.2], [0.0]], "c": [[0.5], [0.4]]}
    assert scores(runs_of(regrets), {name: name for name in regrets}).query(
        "protocol == 'fixed' and dataset == 'c'"
    )["setting"].tolist() == ["s0"]  # fmt: skip
    table = scores(runs_of({"a": [[0.1 + 0.2, 0.5], [0.3, 0.1]]}), {"a": "a"})
    assert chosen(table, "paper", "a")[0] == ["s0", "s1"]
    assert chosen(table, "held_out", "a")[0] == ["s1", "s0"]


def test_a_single_shuffle_has_no_held_out_regret():
    assert held_out(played([[0.3], [0.2]])).shuffles == []
    table = scores(runs_of({"x": X, "one": [[0.3], [0.2]]}), {"x": "x", "one": "one"})
    assert set(table.loc[table["dataset"] == "one", "protocol"]) == {"paper", "typical", "fixed"}
    assert set(table.loc[table["dataset"] == "x", "protocol"]) == set(PROTOCOLS)


def test_bandits_are_chosen_for_separately():
    both = pd.concat([runs_of({"x": X, "y": Y}), runs_of({"x": X[::-1], "y": Y[::-1]}, bandit="BLTS")])
    table = scores(both, {"x": "x", "y": "y"})
    for protocol in PROTOCOLS:
        alone = scores(runs_of({"x": X, "y": Y}), {"x": "x", "y": "y"})
        assert chosen(table, protocol, "y") == chosen(alone, protocol, "y")
    assert chosen(table, "held_out", "x", "BLTS") == (["s0", "s1", "s1", "s0"], [0.2, 0.5, 0.3, 0.7])


def test_the_order_of_shuffles_in_the_table_does_not_matter():
    runs = runs_of({"x": X, "y": Y})
    backwards = runs.sort_values("shuffle", ascending=False, kind="stable")
    pd.testing.assert_frame_equal(scores(backwards, {"x": "x", "y": "y"}), scores(runs, {"x": "x", "y": "y"}))


def test_a_setting_that_has_not_played_every_shuffle_is_an_error():
    with pytest.raises(AssertionError, match="LinTS on x: not every setting has played every shuffle"):
        matrices(runs_of({"x": X}).iloc[:-1])


REGRETS = arrays.arrays(
    float, st.tuples(st.integers(1, 5), st.integers(2, 6)), elements=st.integers(0, 20).map(lambda wrong: wrong / 20)
)


@given(REGRETS, st.data())
def test_held_out_never_looks_at_the_shuffle_that_it_scores(regrets, data):
    shuffle = data.draw(st.integers(0, regrets.shape[1] // 2 * 2 - 1))
    other = regrets.copy()
    other[:, shuffle] = data.draw(arrays.arrays(float, len(regrets), elements=st.floats(0, 1)))
    assert held_out(played(other)).settings[shuffle] == held_out(played(regrets)).settings[shuffle]


@given(REGRETS, st.data())
def test_no_unit_of_held_out_depends_on_another(regrets, data):
    pair = data.draw(st.integers(0, regrets.shape[1] // 2 - 1))
    other = data.draw(arrays.arrays(float, regrets.shape, elements=st.floats(0, 1)))
    other[:, 2 * pair : 2 * pair + 2] = regrets[:, 2 * pair : 2 * pair + 2]
    before, after = held_out(played(regrets)), held_out(played(other))
    here = [place for place, unit in enumerate(before.units) if unit == pair]
    assert before.regrets[here].tolist() == after.regrets[here].tolist()


@given(REGRETS, REGRETS, st.data())
def test_fixed_looks_neither_at_the_family_that_it_scores_nor_at_shuffles_of_the_same_parity(first, second, data):
    settings = min(len(first), len(second))
    first, second = first[:settings], second[:settings]
    families = {"x": "x", "x2": "x", "y": "y"}
    before = {("b", "x"): played(first), ("b", "x2"): played(first), ("b", "y"): played(second)}
    changed = data.draw(arrays.arrays(float, first.shape, elements=st.floats(0, 1)))
    after = before | {("b", "x"): played(changed)}
    assert fixed_settings(after, families)["b", "x"] == fixed_settings(before, families)["b", "x"]
    assert fixed_settings(after, families)["b", "x2"] == fixed_settings(before, families)["b", "x2"]
    even = second.copy()
    even[:, ::2] = 1.0 - even[:, ::2]
    after = before | {("b", "y"): played(even)}
    assert fixed_settings(after, families)["b", "x"][::2] == fixed_settings(before, families)["b", "x"][::2]


@given(REGRETS)
def test_no_protocol_beats_the_papers_on_any_shuffle(regrets):
    table = scores(runs_of({"x": regrets, "y": regrets[::-1]}), {"x": "x", "y": "y"})
    wide = table.pivot(index=["dataset", "shuffle"], columns="protocol", values="regret")
    for protocol in PROTOCOLS:
        assert (wide["paper"] <= wide[protocol].fillna(1.0) + 1e-12).all()  # held_out leaves out an odd last shuffle


@given(REGRETS)
def test_with_one_setting_all_protocols_are_the_same(regrets):
    one = played(regrets[:1])
    for protocol in (paper, held_out, typical):
        chosen = protocol(one)
        np.testing.assert_array_equal(chosen.regrets, regrets[0][: len(chosen.shuffles)])
