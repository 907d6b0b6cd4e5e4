"""Table 1: each criterion on hand-made policies, rates, orderings, and the table against one recomputed plainly."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.analysis import intervals
from balanced_bandits.analysis.synthetic.criteria import Criterion, all_criteria, best_setting, found, rounds_to_find
from balanced_bandits.analysis.synthetic.orderings import orderings, paper_pairs, table1_orderings, verdict
from balanced_bandits.analysis.synthetic.table1 import (
    curves,
    find_rates,
    held_out_percent,
    rounds_at_best,
    table1,
    write_evolution,
)
from balanced_bandits.analysis.synthetic.table1_text import latex, markdown
from balanced_bandits.analysis.synthetic.traces import Traces, read_traces
from balanced_bandits.bandits import import_path
from balanced_bandits.core.files import read_arrays
from balanced_bandits.core.streams import stream
from balanced_bandits.environments import optima, synthetic
from balanced_bandits.simulation.agreement import agreeing
from balanced_bandits.simulation.synthetic import evaluation, optimal_arms, play

CRITERIA = {
    "criterion": {"target": {"well": "truth", "mis": "predictors"}, "when": "some", "threshold": 0.95},
    "alternatives": {
        "targets": {"well": ["truth"], "mis": ["predictors", "value"]},
        "when": ["some", "end"],
        "thresholds": [0.9, 0.95],
    },
}
CHOICES = {"intercept": "unpenalised", "variance": "literal", "lams": [0.01, 1.0, 100.0], "schedule": {"batch": 20}}
GRIDS = {"LinTS": {"alpha": [0.5, 1.0]}, "LinUCB": {"alpha": [1.0, 4.0]}}
SIMULATIONS, HORIZON = 6, 400


def traces(agreement, rounds=(0, 10, 100), spec="well", bandit="LinTS", target="truth", regret=None):
    agreement = np.array(agreement, dtype=float)
    names = [f"alpha={i + 1}" for i in range(len(agreement))]
    regret = np.ones(agreement.shape) if regret is None else np.array(regret)
    return Traces(spec, bandit, names, np.array(rounds), {target: agreement}, regret, np.ones(agreement.shape[:2]), {})


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A tiny run: two bandits, two settings each, both specifications."""
    folder = tmp_path_factory.mktemp("played")
    optima.write_optima(folder / "optima.npz", folder / "surfaces.csv")
    for spec in synthetic.SPECIFICATIONS:
        for bandit, grid in GRIDS.items():
            options = {"seed": 3, "simulations": SIMULATIONS, "horizon": HORIZON, "choices": CHOICES, "grid": grid}
            play(spec, bandit, import_path(bandit), options, folder / "optima.npz", folder / spec / f"{bandit}.npz")
    return folder


@pytest.fixture(scope="module")
def jobs(played):
    return [read_traces(played / spec / f"{bandit}.npz") for spec in synthetic.SPECIFICATIONS for bandit in GRIDS]


def test_when_it_was_found_at_some_time_and_for_good():
    job = traces([[[0.5, 0.96, 0.4], [0.1, 0.2, 0.3], [0.96, 0.5, 0.95], [0.2, 0.95, 0.99]]])
    some = rounds_to_find(job, Criterion("truth", "some", 0.95))
    assert some.tolist() == [[10, np.inf, 0, 10]]
    end = rounds_to_find(job, Criterion("truth", "end", 0.95))
    assert end.tolist() == [[np.inf, np.inf, 100, 10]]
    assert rounds_to_find(job, Criterion("truth", "some", 0.97)).tolist() == [[np.inf, np.inf, np.inf, 100]]


@pytest.mark.parametrize(
    ("theta", "target"),
    [
        ([[1, 1, 1, 0.5, 0, 0.5], [1, 0, 0, 0, 0, 0], [1, -1, -1, -0.5, 0, -0.5]], "truth"),
        ([[2, 1, 1], [1, 0, 0], [0, -1, -1]], "predictors"),
    ],
)
def test_hand_made_policies_meet_their_target_and_no_other(played, theta, target):
    theta = np.array([theta], dtype=float)
    spec = "well" if theta.shape[-1] == 6 else "mis"
    columns, arms = evaluation(3, spec, "unpenalised", True, optimal_arms(played / "optima.npz"))
    counts = dict(
        zip(("truth", "predictors", "value", "value_mirrored"), agreeing(theta, columns, arms)[0], strict=True)
    )
    assert counts.pop(target) == columns.shape[1]
    assert max(counts.values()) < 0.95 * columns.shape[1]


def test_the_value_best_policy_and_its_mirror_image_meet_the_target_value(played):
    theta = read_arrays(played / "optima.npz")[1]["theta_value"]
    columns, arms = evaluation(3, "mis", "unpenalised", True, optimal_arms(played / "optima.npz"))
    counts = agreeing(np.stack([theta, optima.mirrored(theta)]), columns, arms)
    assert counts[0, 2] == counts[1, 3] == columns.shape[1]
    assert counts[0, 3] < columns.shape[1]


def test_the_criterion_of_the_table_comes_first_and_none_twice():
    listed = all_criteria(CRITERIA, "mis")
    assert listed[0] == Criterion("predictors", "some", 0.95)
    assert len(listed) == len(set(listed)) == 8
    other = CRITERIA | {"criterion": {"target": {"well": "value", "mis": "value"}, "when": "end", "threshold": 0.8}}
    assert all_criteria(other, "well")[0] == Criterion("value", "end", 0.8)
    assert len(all_criteria(other, "well")) == 5


def wilson_by_hand(found, of):
    z, p = 1.959963984540054, found / of
    centre, half = p + z**2 / 2 / of, z * math.sqrt(p * (1 - p) / of + z**2 / 4 / of**2)
    return 100 * (centre - half) / (1 + z**2 / of), 100 * (centre + half) / (1 + z**2 / of)


def test_a_tiny_runs_table_is_the_one_recomputed_from_its_traces(played, jobs):
    table = table1(found(jobs, CRITERIA)).set_index(["spec", "bandit"])
    for spec, target in (("well", "truth"), ("mis", "predictors")):
        for bandit in GRIDS:
            with np.load(played / spec / f"{bandit}.npz") as archive:
                agreement, rounds = archive[f"agreement_{target}"], archive["rounds"]
            counts, times = [], []
            for setting in range(2):
                firsts = []
                for simulation in range(SIMULATIONS):
                    hits = [t for t, share in zip(rounds, agreement[setting, simulation], strict=True) if share >= 0.95]
                    firsts += hits[:1]
                counts.append(len(firsts))
                times.append(firsts)
            best = 0 if counts[0] >= counts[1] else 1
            row = table.loc[(spec, bandit)]
            assert row["found"] == counts[best]
            assert row["setting"] == f"alpha={GRIDS[bandit]['alpha'][best]:g}"
            assert row["percent"] == pytest.approx(100 * counts[best] / SIMULATIONS)
            low, high = wilson_by_hand(counts[best], SIMULATIONS)
            assert (row["low"], row["high"]) == pytest.approx((max(low, 0), min(high, 100)))
            paper = {"LinTS": {"well": 84, "mis": 39}, "LinUCB": {"well": 51, "mis": 29}}[bandit][spec]
            assert row["paper_percent"] == paper
            assert row["inside"] == (low <= paper <= high)
            if times[best]:
                assert row["median_rounds_to_find"] == np.median(times[best])


def test_the_tiny_run_finds_something_so_that_the_tests_of_its_table_say_something(jobs):
    assert table1(found(jobs, CRITERIA))["found"].sum() > 0
    assert (find_rates(jobs, CRITERIA)["found"] < SIMULATIONS).any()


def test_the_same_seed_gives_the_same_bytes(played, tmp_path):
    options = {"seed": 3, "simulations": SIMULATIONS, "horizon": HORIZON, "choices": CHOICES, "grid": GRIDS["LinTS"]}
    play("mis", "LinTS", import_path("LinTS"), options, played / "optima.npz", tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (played / "mis/LinTS.npz").read_bytes()


def test_fewer_simulations_are_the_first_of_many(played, tmp_path):
    options = {"seed": 3, "simulations": 2, "horizon": HORIZON, "choices": CHOICES, "grid": GRIDS["LinTS"]}
    play("mis", "LinTS", import_path("LinTS"), options, played / "optima.npz", tmp_path / "few.npz")
    few, many = read_traces(tmp_path / "few.npz"), read_traces(played / "mis/LinTS.npz", simulations=2)
    for target, agreement in few.agreement.items():
        np.testing.assert_array_equal(agreement, many.agreement[target])
    np.testing.assert_array_equal(few.regret, many.regret)


def test_regret_and_agreement_are_those_of_the_first_simulations_arms_and_coefficients(played):
    record, arrays = read_arrays(played / "well/LinUCB.npz")
    x, _, warm = synthetic.draw(HORIZON, stream(3, "synthetic", "environment", 0))
    np.testing.assert_array_equal(arrays["x"], x)
    np.testing.assert_array_equal(arrays["arms"][1, :50], warm)
    lost = (
        synthetic.expected_rewards(x).max(axis=1) - synthetic.expected_rewards(x)[np.arange(len(x)), arrays["arms"][1]]
    )
    for check in (0, 5, -1):
        until = 50 + arrays["rounds"][check]
        assert arrays["regret"][1, 0, check] == pytest.approx(lost[50:until].sum())
    contexts = stream(3, "synthetic", "evaluation").standard_normal((10_000, 2))
    greedy = synthetic.greedy_arms(contexts, arrays["thetas"][1], "well")
    truth = synthetic.expected_rewards(contexts).argmax(axis=1)
    np.testing.assert_allclose(arrays["agreement_truth"][1, 0], (greedy == truth).mean(axis=1), atol=1e-12)
    assert record["options"]["horizon"] == HORIZON


def test_rates_have_every_setting_and_criterion_once(jobs):
    rates = find_rates(jobs, CRITERIA)
    keys = ["spec", "bandit", "setting", "target", "when", "threshold"]
    assert not rates.duplicated(keys).any()
    assert len(rates) == 2 * 2 * 4 + 2 * 2 * 8
    some, end = (rates[rates["when"] == when].set_index([*keys[:4], "threshold"])["found"] for when in ("some", "end"))
    assert (some >= end[some.index]).all()
    assert (rates["regret_low"] <= rates["mean_regret"]).all()


def test_curves_end_at_the_percentage_of_the_table(jobs):
    last = curves(found(jobs, CRITERIA)).groupby(["spec", "bandit"], sort=False).last()
    table = table1(found(jobs, CRITERIA)).set_index(["spec", "bandit"])
    np.testing.assert_allclose(last["found_percent"], table["percent"])
    assert list(last["setting"]) == list(table["setting"])
    assert (last["round"] == HORIZON).all()


def test_the_evolution_is_that_of_simulation_0_at_the_tables_settings(played, jobs, tmp_path):
    table = table1(found(jobs, CRITERIA))
    paths = [played / spec / f"{bandit}.npz" for spec in synthetic.SPECIFICATIONS for bandit in GRIDS]
    write_evolution(paths, played / "optima.npz", table, tmp_path / "evolution.npz")
    record, arrays = read_arrays(tmp_path / "evolution.npz")
    assert record["columns"] == [0, 20, 50, 110, 240]
    assert record["bandits"] == list(GRIDS)
    grid = read_arrays(played / "optima.npz")[1]["grid"]
    job = read_arrays(played / "mis/LinTS.npz")[1]
    setting = table.set_index(["spec", "bandit"]).loc[("mis", "LinTS"), "setting"]
    assert record["settings"]["mis"]["LinTS"] == setting
    i = [f"alpha={alpha:g}" for alpha in GRIDS["LinTS"]["alpha"]].index(setting)
    np.testing.assert_array_equal(arrays["mis.LinTS.arms"], job["arms"][i])
    at = list(job["rounds"]).index(110)
    expected = synthetic.greedy_arms(grid, job["thetas"][i, at], "mis")
    np.testing.assert_array_equal(arrays["mis.LinTS.greedy"][3], expected)


def test_the_held_out_percentage_by_hand():
    found = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0]], dtype=bool)
    # even simulations choose setting 0, which finds nothing on the odd ones; odd ones choose 1, nothing on the even
    assert best_setting(found) == 0
    assert held_out_percent(found) == 0.0
    assert held_out_percent(np.array([[1, 1, 0, 1], [0, 0, 1, 0]], dtype=bool)) == 75.0
    assert math.isnan(held_out_percent(found[:, :1]))


def test_the_paired_interval_covers_the_difference_as_often_as_it_says():
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(2000):
        shared, own = rng.random(40), rng.random((2, 40))
        first, second = 0.6 * shared + 0.4 * own[0] < 0.6, 0.6 * shared + 0.4 * own[1] < 0.5
        _, low, high = intervals.paired_difference(first, second)
        covered += low <= SHARE_BELOW[0.6] - SHARE_BELOW[0.5] <= high
    assert 0.93 < covered / 2000 < 0.985


# P(0.6 u + 0.4 v < c) for uniform u, v and 0.4 <= c <= 0.6: the trapezium's area.
SHARE_BELOW = {c: (c - 0.2) / 0.6 for c in (0.5, 0.6)}


def test_the_paired_interval_has_a_width_even_where_all_agree():
    same = np.ones(20, dtype=bool)
    difference, low, high = intervals.paired_difference(same, same)
    assert difference == 0.0
    assert low < 0.0 < high
    forth, back = intervals.paired_difference(same, ~same), intervals.paired_difference(~same, same)
    assert forth[0] == 1.0
    assert (forth[1], forth[2]) == pytest.approx((-back[2], -back[1]))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1.0, 9.0, "holds"), (0.0, 9.0, "inconclusive"), (-1.0, 9.0, "inconclusive"), (-9.0, 0.0, "inconclusive"),
     (-9.0, -1.0, "reversed")],
)  # fmt: skip
def test_the_verdict_on_an_ordering(low, high, expected):
    assert verdict(low, high) == expected


def test_orderings_are_the_papers_pairs_with_paired_differences():
    assert ("BLTS", "LinTS") in paper_pairs("mis", ["LinTS", "BLTS", "ILTCB"])
    assert len(paper_pairs("well", ["LinTS", "LinUCB", "BLTS", "BLUCB"])) == 6
    found = {"LinTS": np.arange(40) < 10, "BLTS": np.arange(40) < 30, "ILTCB": np.arange(40) < 40}
    rows = orderings("well", found)
    assert [(row["better"], row["worse"], row["verdict"]) for row in rows] == [("BLTS", "LinTS", "holds")]
    assert rows[0]["difference"] == 50.0
    assert rows[0]["paper_difference"] == 92 - 84
    swapped = orderings("well", {"LinTS": found["BLTS"], "BLTS": found["LinTS"]})
    assert swapped[0]["verdict"] == "reversed"
    same = orderings("well", {"LinTS": found["BLTS"], "BLTS": found["BLTS"]})
    assert same[0]["verdict"] == "inconclusive"


def test_orderings_of_a_run(jobs):
    table = table1_orderings(rounds_at_best(found(jobs, CRITERIA)))
    assert list(zip(table["spec"], table["better"], table["worse"], strict=True)) == [
        ("well", "LinTS", "LinUCB"), ("mis", "LinTS", "LinUCB"),
    ]  # fmt: skip
    percent = table1(found(jobs, CRITERIA)).set_index(["spec", "bandit"])["percent"]
    for row in table.to_dict("records"):
        expected = percent[row["spec"], "LinTS"] - percent[row["spec"], "LinUCB"]
        assert row["difference"] == pytest.approx(expected)


@pytest.fixture
def small_table():
    good, bad = [[0.1, 0.96, 0.4]] * 9, [[0.1, 0.1, 0.1]]
    of = [traces([good + bad, bad * 10]), traces([bad * 10], spec="mis", bandit="ILTCB", target="predictors")]
    return table1(found(of, CRITERIA))


def test_the_table_in_markdown(small_table):
    lines = markdown(small_table).splitlines()
    assert "in 10 simulations" in lines[0]
    assert "the best arms on 95 % of contexts at some time" in lines[0]
    assert {line.count("|") for line in lines[2:]} == {11}
    cells = [cell.strip() for cell in lines[4].split("|")[1:-1]]
    assert cells == ["well-specified", "LinTS", "90", "60 to 98", "84", "yes", "90", "10", "-", "alpha=1"]
    assert "| mis-specified | ILTCB | 0 | 0 to 28 | - | - | 0 | - | - | alpha=1 |" in lines


def test_the_table_in_latex_is_balanced_and_escaped(small_table):
    text = latex(small_table)
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in rows} == {9}
    assert not [i for i, sign in enumerate(text) if sign == "%" and text[i - 1] != "\\"]


def test_a_table_is_the_same_after_a_round_trip_through_csv(small_table, tmp_path):
    small_table.to_csv(tmp_path / "table1.csv", index=False)
    again = pd.read_csv(tmp_path / "table1.csv")
    assert list(again["setting"]) == list(small_table["setting"])
    assert json.loads(again.to_json(orient="records"))[1]["paper_percent"] is None
