"""Successive halving with offspring: it finds what is planted, keeps its budget, and repeats itself."""

import itertools
import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from balanced_bandits.plan.halving import LARGEST_SHARE, Purse, Space, first_rung, last_rung, next_rung, parts_of

LEVELS = [list("abcde")] * 5
PLANTED = "b-d-a-c-e"
DEFAULT = "a-a-a-a-a"


def letters(seed=0):
    """Readings of five dimensions with five levels each."""
    return Space(LEVELS, DEFAULT, seed)


def alike(name, other):
    return sum(map(str.__eq__, name.split("-"), other.split("-")))


def batches(name, rung, each=1.0):
    """One batch per rung so far; readings whose first level is e are dear."""
    return {f"{name} {k}": each * (30.0 if name[0] == "e" else 1.0) for k in range(rung + 1)}


def search(budget, rungs=4, seed=0, each=1.0):
    """The rungs of a search whose scorer counts the levels that the planted reading has, too, with some noise."""
    space, tried, known, done, ranked = letters(seed), set(), set(), [], []
    for k in range(rungs):
        prices = (lambda name, k=k: {f"{name} last": each}) if k == rungs - 1 else (
            lambda name, k=k: batches(name, k, each))  # fmt: skip
        purse = Purse(budget, prices, known)
        rung = (first_rung(space, purse) if k == 0 else last_rung(ranked, space, purse) if k == rungs - 1
                else next_rung(k, ranked, tried, space, purse))  # fmt: skip
        tried |= {*rung.chosen, *rung.too_costly}
        known |= {batch for name in rung.chosen for batch in prices(name)}
        noise = {name: random.Random(f"{name} {k}").gauss(0, 1 / (k + 1)) for name in rung.chosen}
        ranked = sorted(rung.chosen, key=lambda name: -alike(name, PLANTED) - noise[name])
        done.append(rung)
    return done, ranked


def test_a_planted_reading_is_found_though_it_is_not_drawn():
    """One of 3,125, by playing 100 at random and fewer in each further rung, with noise as large as one level."""
    found, drawn = 0, 0
    for seed in range(10):
        rungs, ranked = search(100.0, rungs=5, seed=seed)
        found += ranked[0] == PLANTED
        drawn += PLANTED in rungs[0].chosen
        assert len(rungs[0].chosen) == 100
    assert found >= 9
    assert drawn <= 2


def test_the_same_seed_the_same_rungs_and_another_seed_others():
    assert search(50.0) == search(50.0)
    assert search(50.0)[0][0] != search(50.0, seed=1)[0][0]


@given(budget=st.floats(1.0, 300.0), each=st.sampled_from([0.3, 1.0, 7.0]), rungs=st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_the_budget_of_a_rung_is_kept_and_used(budget, each, rungs):
    for rung in search(budget, rungs, each=each)[0]:
        assert sum(rung.chosen.values()) <= budget + 1e-9
    first = search(budget, rungs, each=each)[0][0]
    dearest = 30.0 * each if any(name[0] == "e" for name in first.chosen) else each
    assert budget - sum(first.chosen.values()) < dearest + 1e-9 or len(first.chosen) + len(first.too_costly) == 3125


def test_the_default_is_in_the_first_and_in_the_last_rung():
    rungs, _ = search(60.0)
    assert next(iter(rungs[0].chosen)) == next(iter(rungs[-1].chosen)) == DEFAULT


def test_readings_that_cost_too_much_of_the_budget_are_named_and_not_played():
    rung = search(60.0)[0][0]
    assert rung.too_costly
    assert all(name[0] == "e" for name in rung.too_costly)
    assert not any(name[0] == "e" for name in rung.chosen)
    rich = search(30.0 / LARGEST_SHARE)[0][0]
    assert any(name[0] == "e" for name in rich.chosen)
    assert not rich.too_costly


def test_a_third_survives_and_the_rest_of_the_budget_goes_to_children_of_the_survivors():
    ranked = ["a-a-a-a-b", "c-c-a-a-c", "a-a-a-a-d", "b-b-b-b-b"]
    purse = Purse(30.0, lambda name: batches(name, 1), known=[f"{name} 0" for name in ranked])
    rung = next_rung(1, ranked, set(ranked), letters(), purse)
    names = list(rung.chosen)
    assert names[:2] == ranked[:2]
    assert rung.chosen[ranked[0]] == 1.0  # its first batch is paid for
    assert len(names) == 2 + 14
    for name in names[2:]:
        known = zip(*(parent.split("-") for parent in ranked[:2]), strict=True)
        assert sum(level not in parents for level, parents in zip(name.split("-"), known, strict=True)) <= 1
        assert rung.chosen[name] == 2.0
        assert name not in ranked


def test_the_children_of_the_best_are_more_numerous():
    parents = [f"{letter}-{letter}-{letter}-{letter}-{letter}" for letter in "abcde"]
    levels = Counter("-".join(itertools.islice(letters().children(parents, 1), 500)).split("-"))
    assert levels["a"] > levels["b"] > levels["d"] > 0
    assert list(letters().children([], 1)) == []


def test_all_readings_are_drawn_once():
    drawn = list(letters().drawn())
    assert len(set(drawn)) == len(drawn) == 3125


def test_batches_that_readings_share_are_paid_for_once():
    purse = Purse(3.0, lambda name: {"shared": 1.0, name: 1.0})
    rung = last_rung(["p", "q"], letters(), purse)
    assert rung.chosen == {DEFAULT: 2.0, "p": 1.0}
    assert rung.too_costly == ["q"]


@given(st.dictionaries(st.text("xyz", max_size=4), st.floats(0.1, 50.0), max_size=30), st.integers(1, 8))
@settings(max_examples=50, deadline=None)
def test_parts_have_about_the_same_price(prices, parts):
    part_of = parts_of(prices, parts)
    assert part_of.keys() == prices.keys()
    sums = [sum(price for name, price in prices.items() if part_of[name] == part) for part in range(parts)]
    assert max(sums) - min(sums) <= max(prices.values(), default=0.0) + 1e-9


def test_a_space_may_be_smaller_than_the_budget():
    rungs, ranked = search(30_000.0)
    assert len(rungs[0].chosen) == 3125
    assert sum(rungs[0].chosen.values()) == 2500 + 625 * 30.0
    assert ranked[0] == PLANTED
