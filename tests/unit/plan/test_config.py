"""The configuration: the committed one, defaults, and what is said of a wrong one."""

import math
import re
from pathlib import Path

import pytest
import yaml

from balanced_bandits.bandits import BANDITS
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import SOURCES
from balanced_bandits.plan.config import SCHEMA, checked_config, config_schema, with_schedules
from balanced_bandits.plan.players import grid_size
from balanced_bandits.vocabulary import READINGS

ROOT = Path(__file__).resolve().parents[3]


def test_an_empty_configuration_becomes_exactly_the_committed_one():
    assert checked_config({}) == yaml.safe_load((ROOT / "config.yaml").read_text())


def test_every_key_of_the_schema_has_a_description_and_a_comment_in_config_yaml():
    def walk(part):
        for key, inner in part.get("properties", {}).items():
            assert inner.get("description"), key
            yield key
            yield from walk(inner)

    lines = (ROOT / "config.yaml").read_text().splitlines()
    schema = config_schema()
    for part, name in ((schema, "bandits"), (schema, "references"), (schema["properties"]["synthetic"], "bandits")):
        del part["properties"][name]["properties"]  # any number of a bandit's parameters may have a grid
    for key in walk(schema):
        assert any(line.strip().startswith(f"{key}:") for line in lines), key


def test_every_default_is_written_down_once():
    """In the schema, or with the bandits' parameters; what config.yaml shows is compared with them above."""
    text = SCHEMA.read_text()
    for name in ("lams", "criterion", "prior_weight", "logistic_c"):
        assert f"{name}:" not in text.partition("synthetic:")[0]
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    for name, value in (
        config["ridge"] | config["balancing"] | {name: config[name] for name in ("schedule", "epochs")}
    ).items():
        usual = DEFAULTS[name]
        assert value == (list(usual) if isinstance(usual, tuple) else usual), name


def test_a_grid_may_have_any_number_that_is_a_parameter_of_its_bandit():
    grids = config_schema()["properties"]["bandits"]["properties"]
    assert list(grids) == list(BANDITS)
    assert "gamma" in grids["BLTS"]["properties"]
    assert "gamma" not in grids["LinTS"]["properties"]
    assert "schedule" not in grids["LinTS"]["properties"]


def test_the_default_bandits_are_the_papers_with_as_many_settings_for_iltcb_as_for_blts():
    bandits = checked_config({})["bandits"]
    sizes = {name: math.prod(len(values) for values in grid.values()) for name, grid in bandits.items()}
    assert sizes == {"LinTS": 3, "LinUCB": 3, "BLTS": 12, "BLUCB": 12, "ILTCB": 12}


def test_the_references_are_not_in_the_paper_and_have_no_more_settings_than_its_bandits():
    config = checked_config({})
    assert list(config["references"]) == ["EpsilonGreedy", "Greedy"]
    assert not config["references"].keys() & config["bandits"].keys()
    assert math.prod(len(values) for values in config["references"]["EpsilonGreedy"].values()) == 3
    assert config["references"]["Greedy"] == {}


def test_the_bandits_that_followed_are_available_with_as_many_settings_as_blts():
    """The grids that config.yaml suggests in a comment are valid, and those that docs/choices.md explains."""
    suggested = re.findall(r"^#   (\w+: \{.*\})$", (ROOT / "config.yaml").read_text(), flags=re.MULTILINE)
    grids = yaml.safe_load("\n".join(suggested))
    assert list(grids) == ["SquareCB", "DRTS"]
    page = (ROOT / "docs/choices.md").read_text()
    (explained,) = re.findall(r"### Bandits that followed.*?```yaml\n(.*?)```", page, flags=re.DOTALL)
    assert yaml.safe_load(explained) == {"references": grids}
    config = checked_config({"references": grids})
    for grid in config["references"].values():
        assert math.prod(len(values) for values in grid.values()) == 12
    assert not grids.keys() & checked_config({})["references"].keys()


def test_the_schema_knows_the_readings_that_there_are():
    properties = config_schema()["properties"]["classification"]["properties"]
    assert properties["readings"]["items"]["enum"] == list(READINGS)


def test_the_schema_of_suites_knows_the_sources_that_there_are():
    suite = yaml.safe_load((ROOT / "workflow/schemas/suite.schema.yaml").read_text())
    assert suite["properties"]["source"]["enum"] == list(SOURCES)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"shufles": 2}, ["unknown key shufles", "'shuffles'"]),
        ({"synthetic": {"horison": 2}}, ["unknown key synthetic.horison", "'horizon'"]),
        ({"bandits": {"LinTS": {"alpha": [1]}, "LinUBC": {"alpha": [1]}}}, ["bandits.LinUBC", "'LinUCB'"]),
        ({"zzzzz": 1}, ["unknown key zzzzz", "the known keys are seed, suite"]),
        ({"shuffles": "three"}, ["shuffles is 'three'", "integer of at least 1"]),
        ({"shuffles": 0}, ["shuffles is 0", "integer of at least 1"]),
        ({"shuffles": True}, ["shuffles is True"]),
        ({"strict": "1"}, ["strict is '1'", "true or false"]),
        ({"shuffles": "true"}, ["shuffles is 'true'"]),
        ({"shuffles": 2.0}, ["shuffles is 2.0", "integer of at least 1"]),
        ({"ridge": {"lams": [math.nan]}}, ["ridge.lams.0 is nan", "number above 0"]),
        ({"ridge": {"prior_weight": math.inf}}, ["ridge.prior_weight is inf"]),
        ({"synthetic": {"simulations": "1" * 5000}}, ["synthetic.simulations is '111", "integer of at least 1"]),
        ({"seed": -(10**400)}, ["seed is -1000", "at least 0"]),
        ({"seed": -1}, ["seed is -1", "at least 0"]),
        ({"ridge": {"lams": [0]}}, ["ridge.lams.0 is 0", "above 0"]),
        ({"ridge": {"lams": ["1e-3"]}}, ["ridge.lams.0 is '1e-3'", "number above 0"]),
        ({"schedule": {"geometrical": 0.1}}, ["schedule is", "'every_step', {'batch': b}"]),
        ({"bandits": {"LinTS": {"alpha": [1]}, "BLTS": {"alpha": [1], "gamma": [2]}}}, ["bandits.BLTS.gamma.0 is 2"]),
        ({"classification": {"reading": "literal"}}, ["unknown key classification.reading", "'readings'"]),
        (
            {"classification": {"readings": ["litteral"]}},
            ["classification.readings.0 is 'litteral'", "literal, plain or mean"],
        ),
        ({"classification": {"readings": []}}, ["classification.readings is []"]),
        ({"classification": {"runs": 2}}, ["unknown key classification.runs"]),
        ({"classification": {"rope": 0}}, ["classification.rope is 0", "number above 0"]),
        ({"classification": {"placebo": 1}}, ["classification.placebo is 1", "name of a bandit, or null"]),
        ({"classification": {"placebo_copies": 0}}, ["classification.placebo_copies is 0", "integer of at least 1"]),
        ({"fewest_shuffles": 0}, ["fewest_shuffles is 0", "integer of at least 1"]),
        ({"dataset_seconds": 0}, ["dataset_seconds is 0", "number above 0, or null"]),
        ({"standardise": "often"}, ["standardise is 'often'", "whole, running or none"]),
        ({"ridge": {"ties": "first"}}, ["ridge.ties is 'first'", "smallest, middle or largest"]),
        ({"balancing": {"propensity_schedule": "often"}}, ["balancing.propensity_schedule is 'often'"]),
        ({"references": {"Gredy": {}}}, ["unknown key references.Gredy", "'Greedy'"]),
        ({"references": {"EpsilonGreedy": {"epsilon": [2]}}}, ["references.EpsilonGreedy.epsilon.0 is 2"]),
        ({"calibration": {"copies": 3}}, ["calibration.copies is 3", "an even integer"]),
        ({"calibration": {"shuffles": 4}}, ["calibration.shuffles is 4", "at least 5"]),
        ({"calibration": {"bandits": []}}, ["calibration.bandits is []"]),
        ({"bandits": {"LinTS": {"alpha": [1]}}}, ["bandits is", "two or more bandits"]),
        ({"bandits": {"LinTS": {"alpha": [1, -1]}, "LinUCB": {"alpha": [1]}}}, ["bandits.LinTS.alpha.1 is -1"]),
        ({"figures": {"formats": ["gif"]}}, ["figures.formats.0 is 'gif'"]),
        ({"datasets": []}, ["datasets is []"]),
        ({"synthetic": {"criterion": {"threshold": 1.5}}}, ["synthetic.criterion.threshold is 1.5", "at most 1"]),
        ({"synthetic": {"criterion": {"target": {"well": True}}}}, ["synthetic.criterion.target.well is True"]),
        ({"synthetic": {"criterion": {"when": "often"}}}, ["synthetic.criterion.when is 'often'", "at some time"]),
        ({"synthetic": {"simulations": "many"}}, ["synthetic.simulations is 'many'", "integer of at least 1"]),
        ({"synthetic": {"simulations": "{"}}, ["synthetic.simulations is '{'", "integer of at least 1"]),
        ({"synthetic": {"bandits": {}}}, ["synthetic.bandits is {}", "one or more bandits"]),
        ({"sensitivity": {"schedule": ["seldom"]}}, ["sensitivity.schedule.0 is 'seldom'"]),
        ({"sensitivity": {"grid_top": [0]}}, ["sensitivity.grid_top.0 is 0"]),
        ({"readings": {"hours": 0}}, ["readings.hours is 0", "a number above 0 (CPU hours"]),
        ({"readings": {"simulations": [10]}}, ["readings.simulations is [10]", "two or more integers"]),
        ({"readings": {"simulations": [10, 0]}}, ["readings.simulations.1 is 0"]),
        ({"readings": {"parts": 0}}, ["readings.parts is 0"]),
        ({"readings": {"space": {"penalty": ["wide"]}}}, ["unknown key readings.space.penalty", "'penalties'"]),
        ({"readings": {"space": {"when": ["soon"]}}}, ["readings.space.when.0 is 'soon'"]),
        ({"readings": {"space": {"ties": []}}}, ["readings.space.ties is []", "a list of any of middle, smallest"]),
        ({"synthetic": None}, ["synthetic is None"]),
    ],
)
def test_a_wrong_configuration_is_named_with_what_is_expected(given, words):
    with pytest.raises(InputError) as caught:
        checked_config(given)
    for word in words:
        assert word in str(caught.value)


def test_numbers_and_truths_given_as_text_are_such():
    """As Snakemake gives what is nested in a value of --config: synthetic={simulations: 1000}."""
    given = {
        "synthetic": {"simulations": "1000", "alternatives": {"thresholds": ["0.9", "0.99"]}},
        "schedule": {"geometric": "0.1"},
        "bandits": {"LinTS": {"alpha": ["1", "2.5"]}, "LinUCB": {"alpha": ["1"]}},
        "sensitivity": {"schedule": [{"batch": "7"}]},
        "strict": "true",
        "openml": {"offline": "False", "server": "null"},
        "dataset_seconds": "null",
        "max_rounds": "100",
        "classification": {"placebo": "null"},
    }
    config = checked_config(given)
    assert (config["dataset_seconds"], config["max_rounds"]) == (None, 100)
    assert (config["classification"]["placebo"], config["openml"]["server"]) == (None, None)
    assert config["synthetic"]["simulations"] == 1000
    assert config["synthetic"]["alternatives"]["thresholds"] == [0.9, 0.99]
    assert config["schedule"] == {"geometric": 0.1}
    assert config["bandits"]["LinTS"] == {"alpha": [1, 2.5]}
    assert config["sensitivity"]["schedule"] == [{"batch": 7}]
    assert (config["strict"], config["openml"]["offline"]) == (True, False)
    assert given["synthetic"]["simulations"] == "1000"


def test_all_mistakes_are_reported_at_once():
    with pytest.raises(InputError) as caught:
        checked_config({"shufles": 2, "seed": -1, "ridge": {"lamb": 1}})
    assert all(word in str(caught.value) for word in ("shufles", "seed", "ridge.lamb"))


def test_a_schedule_of_the_command_line_replaces_that_of_the_configuration():
    # What Snakemake makes of --config: mappings are merged.
    merged = {"schedule": {"geometric": 0.05, "batch": 9}, "epochs": {"geometric": 0.1},
              "balancing": {"propensity_schedule": {"geometric": 0.2, "batch": 7}, "draws": 10}}  # fmt: skip
    given = {"schedule": {"batch": 9}, "balancing": {"propensity_schedule": {"batch": 7}}, "seed": 3}
    expected = {"schedule": {"batch": 9}, "epochs": {"geometric": 0.1},
                "balancing": {"propensity_schedule": {"batch": 7}, "draws": 10}}  # fmt: skip
    assert with_schedules(merged, given) == expected
    assert with_schedules(merged, {}) == merged
    assert with_schedules({"schedule": "every_step"}, {"balancing": "nonsense"}) == {"schedule": "every_step"}


def test_the_configuration_of_residual_balancing_has_as_many_settings_as_the_default():
    def merged(below, above):  # as Snakemake does
        inner = [key for key in below.keys() & above.keys() if isinstance(above[key], dict)]
        both = {key: merged(below[key], above[key]) for key in inner}
        return below | above | both

    default = yaml.safe_load((ROOT / "config.yaml").read_text())
    named = yaml.safe_load((ROOT / "workflow/configs/residual_balancing.yaml").read_text())
    config = checked_config(merged(default, named))
    assert config["balancing"] == checked_config({})["balancing"] | {"weights": "residual_balancing"}
    for grids, usual in ((config, default), (config["synthetic"], default["synthetic"])):
        for bandit, grid in usual["bandits"].items():
            assert grid_size(grids["bandits"][bandit]) == grid_size(grid)
        assert grids["bandits"]["BLTS"]["gamma"] == grids["bandits"]["BLUCB"]["gamma"] == [0.1]
