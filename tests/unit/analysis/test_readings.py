"""Which reading made Table 1: the ways to look at runs, scores, and the tables and words made from them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balanced_bandits.analysis.paper import PAPER_PERCENT
from balanced_bandits.analysis.synthetic.likelihood import log_likelihood
from balanced_bandits.analysis.synthetic.readings import (
    DEFAULT_LOOK,
    Look,
    against,
    best,
    dimensions,
    finds,
    looks_of,
    numbers,
    ranked,
    rungs,
    score,
)
from balanced_bandits.analysis.synthetic.readings_text import in_words, markdown, sentences
from balanced_bandits.analysis.synthetic.traces import Traces, joined
from balanced_bandits.vocabulary import DIMENSIONS, LOOKED_AT, PLAYED

SPACE = {name: list(dimension.levels) for name, dimension in DIMENSIONS.items()}
DEFAULT = {name: next(iter(dimension.levels)) for name, dimension in PLAYED.items()}
ROUNDS = np.array([0, 1, 10, 100, 300, 500, 1000])


def traces(spec="well", bandit="LinTS", settings=2, simulations=10, seed=0):
    rng = np.random.default_rng(seed)
    shape = (settings, simulations, len(ROUNDS))
    shares = [{target: rng.uniform(0.7, 1.0, shape).round(2) for target in ("truth", "predictors", "value")}
              for _ in range(2)]  # fmt: skip
    names = [f"alpha={i}" for i in range(settings)]
    return Traces(spec, bandit, names, ROUNDS, shares[0], np.zeros(shape), rng.random(shape[:2]), shares[1])


def as_the_paper(look, simulations=100, off=0):
    """Runs that find the optimum as often as the paper says, if they are looked at so, and never if otherwise."""
    runs = {}
    for (spec, bandit), percent in PAPER_PERCENT.items():
        shape = (1, simulations, len(ROUNDS))
        empty = traces(spec, bandit, 1, simulations)
        nothing = {target: np.zeros(shape) for target in empty.agreement}
        share = np.zeros(shape)
        threshold = LOOKED_AT["threshold"].levels[look["threshold"]].value
        share[0, :, 4] = np.where(
            np.arange(simulations) < (percent - off) * simulations // 100, threshold, threshold - 0.04
        )
        target = look["target"] if spec == "mis" else "truth"
        field = "played" if look["policy"] == "played" else "agreement"
        runs[spec, bandit] = empty._replace(agreement=nothing, played=nothing)._replace(
            **{field: nothing | {target: share}}
        )
    return runs


@given(seed=st.integers(0, 1000), spec=st.sampled_from(["well", "mis"]), look=st.sampled_from(looks_of(SPACE)))
@settings(max_examples=60, deadline=None)
def test_what_is_found_is_what_has_a_time(seed, spec, look):
    runs = traces(spec, seed=seed)
    seen = Look.at(runs, look)
    np.testing.assert_array_equal(seen.found(runs), np.isfinite(seen.rounds(runs)))


def test_the_ways_to_look_by_hand():
    runs = traces("mis", settings=2, simulations=2)
    shares = np.zeros((2, 2, len(ROUNDS)))
    shares[0, 0, 2], shares[0, 1, 5], shares[1, 1, 6] = 0.9, 0.96, 0.99
    runs = runs._replace(agreement=runs.agreement | {"predictors": shares})

    def count(**levels):
        return finds(runs, [DEFAULT_LOOK | levels])[0]

    assert count() == 1  # one simulation of either setting
    assert count(threshold="90%") == 2
    assert count(settings="mean") == 1.0
    assert count(settings="mean", threshold="90%") == 1.5
    assert count(when="end") == 1
    assert count(horizon="half", when="end") == 1  # round 500 of 1,000, at the first setting
    assert count(horizon="tenth") == 0
    assert count(horizon="tenth", threshold="85%") == 1
    played = runs._replace(played=runs.played | {"predictors": np.ones_like(shares)})
    assert finds(played, [DEFAULT_LOOK | {"policy": "played"}])[0] == 2


def test_the_target_matters_to_mis_specified_models_only():
    well, mis = traces("well"), traces("mis")
    looks = [DEFAULT_LOOK | {"target": target, "threshold": "99%"} for target in LOOKED_AT["target"].levels]
    assert len(set(finds(well, looks))) == 1
    assert [Look.at(mis, look).target for look in looks] == ["predictors", "value", "truth"]
    assert {Look.at(well, look).target for look in looks} == {"truth"}


@pytest.mark.parametrize(
    "planted", [DEFAULT_LOOK, DEFAULT_LOOK | {"target": "value", "policy": "played", "threshold": "90%"}]
)
def test_the_score_is_that_of_the_way_to_look_that_fits_best(planted):
    row = score(as_the_paper(planted), SPACE)
    assert {name: row[name] for name in ("target", "policy", "when", "threshold")} == {
        name: planted[name] for name in ("target", "policy", "when", "threshold")
    }
    percents = list(PAPER_PERCENT.values())
    assert row["score"] == pytest.approx(float(log_likelihood(percents, 100, percents, 100)))
    assert row["mis BLTS"] == 58
    assert row[f"policy={planted['policy']}"] == row["score"] > row["when=end"]


def test_simulations_are_joined_in_order():
    first, second = traces(simulations=3, seed=1), traces(simulations=2, seed=2)
    both = joined([first, second])
    assert both.first_order.shape == (2, 5)
    np.testing.assert_array_equal(both.played["value"][:, 3:], second.played["value"])
    np.testing.assert_array_equal(both.agreement["truth"][:, :3], first.agreement["truth"])


def test_ranking_is_by_score_and_equal_ones_by_name():
    table = pd.DataFrame({"reading": ["b", "c", "a"], "score": [-30.0, -20.0, -30.0]})
    assert ranked(table)["reading"].tolist() == ["c", "a", "b"]


def last_rung(*offs):
    """The numbers of readings that are so many points below the paper's."""
    rows = []
    for number, off in enumerate(offs):
        levels = DEFAULT | ({"variance": "mean"} if number else {})
        look = DEFAULT_LOOK | ({"when": "end"} if number == 2 else {})
        known = {"number": number, "reading": "-".join(levels.values())} | levels | look
        rows += [
            known | row for row in numbers(as_the_paper(DEFAULT_LOOK, off=off), look if number < 2 else DEFAULT_LOOK)
        ]
    return pd.DataFrame(rows)


def test_the_numbers_beside_the_papers():
    table = last_rung(0).set_index(["spec", "bandit"])
    assert len(table) == 8
    row = table.loc[("well", "LinUCB")]
    assert (row["percent"], row["paper_percent"], row["inside"]) == (51, 51, True)
    assert (row["median_rounds_to_find"], row["paper_rounds"]) == (300, 240)
    assert np.isnan(table.loc[("mis", "LinTS"), "paper_rounds"])


def test_the_best_readings_by_hand():
    table = best(last_rung(25, 0, 10), np.random.default_rng(0))
    # The default first, whatever its fit; then by likelihood.
    assert table["number"].tolist() == [0, 1, 2]
    assert table["difference"].round(9).tolist() == [25, 0, 10]
    assert table["inside"].tolist()[1] == 8
    assert table["acceptable"].tolist() == [False, True, False]
    assert table["p_100"].iloc[1] > 0.9 > 0.05 > table["p_100"].iloc[2]
    assert (table["orderings"] == 12).all()
    assert (table["orderings_of"] == 12).all()
    assert table["against"].tolist() == ["", "", "the text says within T contexts"]
    assert (table["times"] == 0).all()
    assert (table["times_of"] == 3).all()
    worse_first = best(last_rung(0, 10, 5), np.random.default_rng(0))
    assert worse_first["number"].tolist() == [0, 2, 1]


def test_what_the_text_says_against_levels():
    assert against(DEFAULT | DEFAULT_LOOK) == ""
    twice = against(DEFAULT | DEFAULT_LOOK | {"horizon": "half", "settings": "mean"})
    assert twice == "the text says T = 10000; the text says that alpha and gamma are optimized"


def scored(*pairs):
    """Scores of readings that differ in the variance; the way to look matters little."""
    rows = []
    for variance, points in pairs:
        looks = {f"{name}={level}": points - 0.1 * i for name, dimension in LOOKED_AT.items()
                 for i, level in enumerate(dimension.levels)}  # fmt: skip
        rows.append(DEFAULT | {"variance": variance, "score": points} | looks)
    return pd.DataFrame(rows)


def test_the_dimensions_that_the_fit_depends_on():
    rung = scored(("literal", -40.0), ("literal", -42.0), ("mean", -20.0), ("mean", -22.0), ("mean", -24.0))
    costly = ["-".join((DEFAULT | {"schedule": "step"}).values())] * 2
    table = dimensions(rung, costly, SPACE).set_index(["dimension", "level"])
    assert len(table) == sum(len(dimension.levels) for dimension in DIMENSIONS.values())
    mean = table.loc[("variance", "mean")]
    assert (mean["tried"], mean["best"], mean["median"], mean["low"], mean["high"]) == (3, -20, -22, -23, -21)
    # Between: 2 (-41 + 29.6)^2 + 3 (-22 + 29.6)^2 = 433.2; within: 2 + 8.
    assert mean["explains"] == pytest.approx(433.2 / 443.2)
    assert table.loc[("ties", "middle"), "explains"] == 0
    assert table.loc[("schedule", "step"), ["tried", "too_costly"]].tolist() == [0, 2]
    assert np.isnan(table.loc[("schedule", "step"), "median"])
    assert table.loc[("when", "end"), ["tried", "best"]].tolist() == [5, -20.1]


def test_the_cost_of_each_rung():
    first = pd.DataFrame({"reading": ["a", "b", "c"], "left_out": ["", "", "too costly for the budget"],
                          "predicted_seconds": [1800.0, 1800.0, np.nan]})  # fmt: skip
    second = pd.DataFrame({"reading": ["a", "a", "d"], "left_out": "", "predicted_seconds": [900.0, 0.0, 900.0]})
    table = rungs([first, second], [10, 100])
    assert table["readings"].tolist() == [2, 2]
    assert table["new_readings"].tolist() == [2, 1]
    assert table["left_out"].tolist() == [1, 0]
    assert table["predicted_hours"].tolist() == [1.0, 0.5]


@pytest.fixture
def search():
    return pd.DataFrame({"new_readings": [60, 20, 0], "predicted_hours": [0.5, 0.5, 0.4]})


def said(offs, search):
    last = last_rung(*offs)
    found = dimensions(scored(("literal", -40.0), ("mean", -20.0)), [], SPACE)
    return in_words(best(last, np.random.default_rng(0)), last, found, search)


def test_the_words_follow_from_the_numbers(search):
    fits = said((25, 0, 10), search)
    text = " ".join(fits["sentences"])
    assert "80 readings were played in 3 rungs (1.4 CPU hours, as predicted)" in text
    assert (
        "The best of them is variance: mean squared residual: it differs from the paper's numbers by 0 points" in text
    )
    assert "1 of 2 are acceptable (p of at least 0.05), and the text speaks against 0 of these." in text
    assert "need not be the authors' own" in text
    assert "The default: it differs from the paper's numbers by 25 points" in text
    assert "variance (100 %)" in text
    none = " ".join(said((25, 20, 20), search)["sentences"])
    assert "None is acceptable: " in none
    assert "whether it had 100 or 1,000 simulations" in none
    assert "authors' own" not in none
    alone = " ".join(said((25,), search)["sentences"])
    assert "The budget was too small for any reading but the default in the last rung." in alone


def test_the_table_of_the_best_readings(search):
    words = said((25, 0, 10), search)
    assert {len(row) for row in words["cells"]} == {len(words["head"])}
    assert words["head"][1:9] == [f"{spec} {bandit}" for spec, bandit in PAPER_PERCENT]
    paper, default, fitting, other = words["cells"]
    assert paper[:4] == ["the paper", "84", "51", "92"]
    assert default[:2] == ["nothing: the default", "59*"]
    assert fitting[:2] == ["variance: mean squared residual", "84"]
    assert other[0] == "variance: mean squared residual; when it is found: at the end"
    assert other[-1] == "the text says within T contexts"
    text = markdown(words)
    assert text.count("\n| ") == 1 + 1 + 4 - 0
    assert text.startswith(words["sentences"][0])


def test_sentences_need_the_tables_only(search):
    table = best(last_rung(25, 0), np.random.default_rng(0))
    found = dimensions(scored(("literal", -40.0), ("mean", -20.0)), [], SPACE)
    assert sentences(table, found, search) == sentences(table.copy(), found.copy(), search.copy())


def test_all_ways_to_look_are_tried():
    looks = looks_of(SPACE)
    assert looks[0] == DEFAULT_LOOK
    assert len({tuple(look.values()) for look in looks}) == 3 * 2 * 5 * 2 * 3 * 2
    few = looks_of(SPACE | {"threshold": ["90%"], "when": ["end"]})
    assert {(look["threshold"], look["when"]) for look in few} == {("90%", "end")}
    assert list(itertools.islice(few[0], 1)) == ["target"]
