"""The plan of the multiverse: its universes and their identity, the datasets that the budget allows, its jobs."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.core.errors import InputError
from balanced_bandits.plan.choice_cost import _refreshes, play_seconds, work
from balanced_bandits.plan.cost import START_UP
from balanced_bandits.plan.multiverse import JOB_SECONDS
from balanced_bandits.plan.plan import Plan
from balanced_bandits.plan.subset import PARTS, stratified, stratum_of
from balanced_bandits.plan.universes import universes_of

NOTHING = {
    choice: []
    for choice in ("reading", "prior_weight", "intercept", "lams", "criterion", "ties", "schedule", "propensity",
                   "propensity_schedule", "posteriors", "logistic_c", "epochs", "standardise", "categoricals")
}  # fmt: skip


def plan(choices=None, combinations=(), **more):
    config = {"multiverse": {"choices": NOTHING | (choices or {}), "combinations": list(combinations)} | more}
    return Plan(config).multiverse


@pytest.fixture(scope="module")
def default():
    return Plan({}).multiverse


class TestUniverses:
    def test_the_default_comes_first_then_single_changes_then_combinations(self):
        found = plan({"ties": ["smallest"], "reading": ["literal"]},
                     [{"reading": ["residual", "literal"], "intercept": ["unpenalised", "none"]}])  # fmt: skip
        assert [universe.name for universe in found.universes] == [
            "default", "reading literal", "ties smallest", "intercept none", "reading literal, intercept none",
        ]  # fmt: skip
        (crossed,) = found.combinations
        assert crossed.levels == {"reading": ["residual", "literal"], "intercept": ["unpenalised", "none"]}
        assert crossed.universes == ["default", "intercept none", "reading literal", "reading literal, intercept none"]

    def test_names_folders_and_identities_are_unique(self, default):
        universes = default.universes
        for of in (lambda each: each.name, lambda each: each.folder, default.identity):
            assert len({of(universe) for universe in universes}) == len(universes) == 52

    def test_the_same_name_is_the_same_universe_in_every_plan(self, default):
        """Whatever else is in the plan, and in whatever order and form it is written."""
        other = plan({"lams": [[10, 1.0, 0.1]]}, [{"intercept": ["none"], "reading": ["literal"]}], hours=2)
        known = {universe.name: universe for universe in default.universes}
        for universe in other.universes:
            assert other.identity(universe) == default.identity(known[universe.name])
            for bandit in default.bandits:
                assert other.options(universe, bandit) == default.options(known[universe.name], bandit)
        assert [universe.name for universe in other.universes][1:] == [
            "lams 0.1 1 10",
            "reading literal, intercept none",
        ]

    def test_the_identity_depends_on_everything_that_the_runs_depend_on(self):
        first = plan().identity(plan().universes[0])
        for more in ({"shuffles": 6}, {"bandits": ["LinTS", "BLTS"]}):
            other = plan(**more)
            assert other.identity(other.universes[0]) != first
        other = Plan({"seed": 1, "multiverse": {"choices": NOTHING, "combinations": []}}).multiverse
        assert other.identity(other.universes[0]) != first

    def test_universes_that_differ_in_nothing_that_a_bandit_is_given_are_one(self):
        found = plan({"reading": ["plain"], "prior_weight": [0, 0.1], "epochs": [{"geometric": 1}]},
                     bandits=["LinTS", "LinUCB"])  # fmt: skip
        assert [universe.name for universe in found.universes] == ["default", "reading plain"]
        crossed = plan(combinations=[{"reading": ["residual", "plain"], "prior_weight": [0.1, 0]}])
        assert crossed.combinations[0].universes == ["default", *["prior_weight 0"] * 3]

    def test_the_default_universe_is_given_what_the_experiment_gives(self, default):
        classification = Plan({}).classification
        for bandit in default.bandits:
            ours = default.options(default.universes[0], bandit)
            main = json.loads(classification.options("iris", bandit))
            for key in ("seed", "choices", "grid"):
                assert ours[key] == main[key]
            assert ours["readings"].items() <= main["readings"].items()
            assert ours["shuffles"] <= main["shuffles"]
            assert ours["copies"] == 1
        assert default.data("default", "1")[0].startswith("data/registry60/")
        assert default.preparation("default") == ""

    def test_a_bandit_is_played_once_for_all_universes_that_give_it_the_same(self, default):
        assert default.players("propensity_monte_carlo") == ["BLTS"]
        assert default.players("logistic_c_0.1") == ["BLUCB"]
        assert default.players("reading_literal") == ["LinTS", "LinUCB", "BLTS", "BLUCB"]
        assert default.owners["propensity_monte_carlo", "LinTS"] == "default"
        assert default.owners["reading_literal_propensity_monte_carlo", "BLUCB"] == "reading_literal"
        assert default.players("standardise_none") == default.bandits  # other data

    def test_data_that_are_encoded_otherwise_have_a_folder_of_their_own(self, default):
        assert set(default.preparations) == {"standardise_running", "standardise_none", "categoricals_reference",
                                             "categoricals_ordinal"}  # fmt: skip
        how = json.loads(default.preparations["categoricals_ordinal"])
        assert (how["categoricals"], how["standardise"]) == ("ordinal", "whole")
        assert default.inputs("standardise_none", "1") == ["data/registry60/otherwise/standardise_none"]
        assert default.data("standardise_none", "1")[0].startswith("data/registry60/otherwise/standardise_none/")

    def test_two_values_that_look_alike_get_a_sentence(self):
        with pytest.raises(InputError, match=r"multiverse: 'lams 1 to 8 \(4\)' would be the name of two different"):
            plan({"lams": [[1, 2, 4, 8], [1, 3, 5, 8]]})

    def test_a_choice_that_is_not_crossed_keeps_its_default(self):
        usual = {"reading": "residual", "lams": [1.0, 10.0], "criterion": "loo"}
        found, _ = universes_of(usual, {}, [{"criterion": ["fixed"], "lams": [[1]]}])
        assert found[1].choices == {"reading": "residual", "lams": [1.0], "criterion": "fixed"}
        with pytest.raises(InputError, match="'criterion fixed' has the criterion fixed and 2 values of lams"):
            universes_of(usual, {"criterion": ["fixed"]}, [])

    def test_the_claims_are_those_about_the_bandits(self, default):
        assert default.claims == CLAIMS
        assert plan(bandits=["LinTS", "BLTS"]).claim_names == ["BLTS_LinTS"]


class TestBudget:
    @pytest.mark.parametrize("hours", [0.03, 0.1, 0.5, 3.0])
    def test_the_budget_is_kept(self, hours):
        found = Plan({"multiverse": {"hours": hours}}).multiverse
        played = sum(found.job_seconds(*path.removesuffix(".npz").split("/")[-2:]) for path in found.runs())
        assert played == pytest.approx(found.total_seconds(found.datasets))
        assert played <= 3600 * hours
        assert json.loads(found.account())["total_seconds"] == pytest.approx(played, abs=0.1)

    def test_more_hours_play_more_datasets_and_none_play_none(self):
        numbers = [len(Plan({"multiverse": {"hours": hours}}).multiverse.datasets) for hours in (1e-6, 0.1, 0.5, 3)]
        assert numbers[0] == 0
        assert numbers == sorted(set(numbers))

    def test_the_default_budget_has_datasets_of_many_kinds(self, default):
        strata = [default.strata[name] for name in default.datasets]
        assert len(default.datasets) >= 30
        for place, fewest in ((0, 3), (1, 3), (2, 2)):
            assert len({stratum[place] for stratum in strata}) >= fewest

    def test_jobs_are_few_and_short_and_play_every_dataset_once(self, default):
        assert len(default.runs()) < 80
        for folder, batches in default.batches.items():
            assert [name for batch in batches for name in batch] == default.datasets
            for number, batch in enumerate(batches, start=1):
                assert default.job_seconds(folder, str(number)) <= JOB_SECONDS + 5 * START_UP or len(batch) == 1

    @given(st.lists(st.tuples(st.floats(0.1, 50), st.sampled_from("abc")), min_size=1, max_size=30), st.floats(1, 300))
    def test_a_subset_fits_and_nothing_more_would(self, given_, budget):
        seconds = {f"d{i}": cost for i, (cost, _) in enumerate(given_)}
        strata = {f"d{i}": (kind, kind, kind) for i, (_, kind) in enumerate(given_)}
        chosen = stratified(seconds, strata, budget)
        assert chosen == stratified(seconds, strata, budget)
        assert len(set(chosen)) == len(chosen)
        left = budget - sum(seconds[name] for name in chosen)
        assert left >= -1e-9
        largest = budget / min(PARTS, len(seconds))
        assert not [name for name in seconds if name not in chosen and seconds[name] <= min(left - 1e-9, largest)]

    def test_strata_have_their_shares(self):
        seconds = {f"{kind}{i}": 1.0 + i / 100 for kind, number in (("a", 30), ("b", 15)) for i in range(number)}
        strata = {name: (name[0], "", "") for name in seconds}
        chosen = stratified(seconds, strata, 20.0)
        assert sum(name[0] == "a" for name in chosen) == pytest.approx(2 / 3 * len(chosen), abs=1)
        assert [name for name in chosen if name[0] == "b"] == [f"b{i}" for i in range(sum("b" in n for n in chosen))]

    def test_the_classes_are_those_of_table_2(self):
        assert stratum_of(100, 10, 2) == ("≤ 100", "≤ 10", "2")
        assert stratum_of(10001, 101, 11) == ("> 10,000", "> 100", "> 10")


class TestCost:
    def test_refreshes_are_those_of_the_kernels(self):
        from balanced_bandits.bandits.linear import schedule_numbers

        def by_hand(schedule, n):
            batch, rho = schedule_numbers(schedule)
            found, now = [1], 1
            while (now := max(now + batch, int(np.ceil(now * (1 + rho) - 1e-9)))) <= n:
                found.append(now)
            return found

        for schedule in ("every_step", {"batch": 7}, {"geometric": 0.05}, {"geometric": 1}):
            ours = _refreshes(schedule, 500).tolist()
            assert [number for number in ours if number < 500 or number in by_hand(schedule, 500)] == by_hand(
                schedule, 500
            )

    @pytest.mark.parametrize(("bandit", "choices"), [
        ("LinTS", {"schedule": "every_step"}), ("LinUCB", {"criterion": "kfold"}), ("BLTS", {"posteriors": "all"}),
        ("BLTS", {"propensity": "monte_carlo"}), ("BLTS", {"propensity_schedule": "every_step"}),
        ("BLUCB", {"propensity_schedule": "every_step"}), ("ILTCB", {"epochs": {"geometric": 0.01}}),
    ])  # fmt: skip
    def test_choices_that_are_more_work_are_predicted_to_cost_more_and_ever_more_with_n(self, bandit, choices):
        def ratio(n):
            return play_seconds(bandit, choices, n, 8, 2, 1) / play_seconds(bandit, {}, n, 8, 2, 1)

        assert ratio(1000) > 1.1
        if "every_step" in choices.values():
            assert ratio(10000) > 3 * ratio(1000)

    def test_every_step_refits_after_every_round(self):
        assert work("LinTS", {"schedule": "every_step"}, 1000, 3, 2)["refit"] == 1000
        assert work("LinTS", {}, 1000, 3, 2)["refit"] < 250

    def test_a_bandit_that_is_not_known_costs_as_much_as_blts(self):
        assert play_seconds("Own", {}, 100, 3, 2, 5) == play_seconds("BLTS", {}, 100, 3, 2, 5)
