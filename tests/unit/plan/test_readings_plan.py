"""The readings to search: their names, batches, costs, and what is refused."""

import itertools
import json

import pytest

from balanced_bandits.core.errors import InputError
from balanced_bandits.plan import cost
from balanced_bandits.plan.halving import Purse, first_rung
from balanced_bandits.plan.plan import Plan
from balanced_bandits.plan.players import Players
from balanced_bandits.plan.readings import Readings, reading_of
from balanced_bandits.vocabulary import DIMENSIONS, PLAYED


@pytest.fixture(scope="module")
def readings():
    return Plan({}).readings


def changed(readings, **levels):
    return "-".join((reading_of(readings.default) | levels).values())


def test_the_default_reading_is_the_default_of_the_project(readings):
    plan = Plan({})
    for batch in readings.batches(readings.default, 0):
        usual = json.loads(plan.synthetic.options(batch.bandit))
        assert batch.options["choices"] == usual["choices"]
        assert (batch.options["grid"], batch.options["seed"]) == (usual["grid"], usual["seed"])
    assert DIMENSIONS["threshold"].levels["95%"].value == plan.config["synthetic"]["criterion"]["threshold"]


def test_names_and_levels_are_the_same_thing(readings):
    assert all("-" not in level for dimension in DIMENSIONS.values() for level in dimension.levels)
    names = list(itertools.islice(readings.space.drawn(), 200))
    assert len(set(names)) == 200
    for name in names:
        assert "-".join(reading_of(name).values()) == name
        assert all(level in PLAYED[dimension].levels for dimension, level in reading_of(name).items())
    assert names == list(itertools.islice(Plan({}).readings.space.drawn(), 200))
    assert names != list(itertools.islice(Plan({"seed": 1}).readings.space.drawn(), 200))


def test_all_readings_of_the_space_are_drawn_once():
    space = {name: list(dimension.levels)[:1] for name, dimension in PLAYED.items()}
    space |= {"ties": ["smallest", "largest"], "variance": ["mean", "plain", "literal"]}
    drawn = list(Plan({"readings": {"space": space}}).readings.space.drawn())
    assert len(drawn) == len(set(drawn)) == 6
    assert {reading_of(name)["ties"] for name in drawn} == {"smallest", "largest"}


def test_the_same_name_the_same_batches_and_another_reading_others(readings):
    again = Readings(json.loads(readings.config()), Players(json.loads(readings.config())))
    first = [batch.name for batch in readings.batches(readings.default, 2)]
    assert first == [batch.name for batch in again.batches(readings.default, 2)]
    assert len(set(first)) == len(first) == 2 * 4 * 3
    other = Plan({"seed": 1}).readings
    assert not set(first) & {batch.name for batch in other.batches(other.default, 2)}


def test_readings_share_the_batches_of_bandits_that_they_do_not_concern(readings):
    def cells(**levels):
        mine = {batch.name for batch in readings.batches(readings.default, 0)}
        return {(batch.specification, batch.bandit) for batch in readings.batches(changed(readings, **levels), 0)
                if batch.name not in mine}  # fmt: skip

    assert cells(propensity="draws10") == {("well", "BLTS"), ("mis", "BLTS")}
    assert {spec for spec, _ in cells(interaction="without")} == {"well"}
    assert len(cells(variance="mean")) == 8


def test_each_rung_adds_simulations_and_those_of_the_last_are_new(readings):
    def simulations(rung):
        spans = {(batch.options["first"], batch.options["simulations"])
                 for batch in readings.batches(readings.default, rung)}  # fmt: skip
        return sorted(number for first, count in spans for number in range(first, first + count))

    assert [simulations(rung) for rung in range(4)] == [
        list(range(10)), list(range(20)), list(range(40)), list(range(40, 140))
    ]  # fmt: skip


def test_only_bandits_of_table_1_that_play_are_searched():
    asked = {"play": ["BLTS", "LinTS", "ILTCB"]}
    assert Plan(asked).readings.bandits == ["LinTS", "BLTS"]
    with pytest.raises(InputError, match="the search for readings needs one of LinTS, LinUCB, BLTS, BLUCB"):
        Plan({"synthetic": {"bandits": {"Greedy": {}}}}).readings.check()


def test_a_budget_that_is_too_small_is_refused_with_one_that_is_not(readings):
    readings.check()
    with pytest.raises(InputError, match=r"readings\.hours is 0\.01, .* at least ([\d.]+) CPU hours") as caught:
        Plan({"readings": {"hours": 0.01}}).readings.check()
    enough = float(str(caught.value).split("at least ")[1].split(" CPU")[0])
    Plan({"readings": {"hours": enough}}).readings.check()
    with pytest.raises(InputError):
        Plan({"readings": {"hours": 0.98 * enough}}).readings.check()


def test_the_first_rung_keeps_its_budget(readings):
    rung = first_rung(readings.space, Purse(readings.budget, lambda name: readings.prices(name, 0)))
    assert 0.95 * readings.budget < sum(rung.chosen.values()) <= readings.budget == 1800.0
    assert len(rung.chosen) > 30
    assert all(sum(readings.prices(name, 0).values()) > 90.0 for name in rung.too_costly)
    assert not any(reading_of(name)["schedule"] == "step" for name in rung.chosen)


def test_refreshes_after_every_observation_and_many_draws_cost_much_more(readings):
    def seconds(**levels):
        return sum(readings.prices(changed(readings, **levels), 0).values())

    default = seconds()
    assert 10 < default < 40  # ten simulations
    assert seconds(schedule="step") > 10 * default
    assert seconds(propensity="draws100") > 10 * default
    assert default < seconds(schedule="batch50") < 2 * default
    assert default < seconds(criterion="kfold") < 4 * default
    assert cost.refit_rows(1000, {"geometric": 0}) == cost.refit_rows(1000, "every_step") == 500_500
