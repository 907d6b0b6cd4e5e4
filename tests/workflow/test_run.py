"""Runs of the workflow on a tiny suite: what they make, and that it is the same however they are made."""

import csv
import json
import re
import shutil
import time

import numpy as np
import pytest
from conftest import ROOT, Workspace, copy_of_the_project, kill_group

from balanced_bandits.core.files import read_arrays

pytestmark = pytest.mark.system


def test_a_run_makes_tables_figures_logs_and_an_account(finished):
    products = finished.products(all_formats=True)
    for ending in ("pdf", "svg", "png"):
        for reading in ("residual", "literal"):
            for protocol in ("paper", "matched", "fixed"):
                assert products[f"figures/tiny/pairwise_{reading}_{protocol}.{ending}"]
            assert products[f"figures/tiny/strata_{reading}.{ending}"]
        assert products[f"figures/tiny/claims.{ending}"]
    assert not any("plain" in name or "sensitivity" in name for name in products)
    with open(finished.folder / "results/tiny/counts.csv") as table:
        counts = list(csv.DictReader(table))
    assert [row["datasets"] for row in counts] == ["3"] * 2 * 2 * 3
    with open(finished.folder / "results/tiny/claims.csv") as table:
        claims = [(row["better"], row["worse"], row["reading"], row["protocol"]) for row in csv.DictReader(table)]
    assert claims == [
        ("LinTS", "LinUCB", reading, protocol)
        for reading in ("residual", "literal") for protocol in ("paper", "matched", "fixed")
    ]  # fmt: skip
    with open(finished.folder / "results/synthetic/table1.csv") as table:
        assert [(row["spec"], row["bandit"]) for row in csv.DictReader(table)] == [
            ("well", "LinTS"), ("well", "LinUCB"), ("mis", "LinTS"), ("mis", "LinUCB"),
        ]  # fmt: skip
    for name in (
        "table1.md",
        "table1.tex",
        "rates.csv",
        "orderings.csv",
        "curves.csv",
        "surfaces.csv",
        "evolution.npz",
    ):
        assert products[f"results/synthetic/{name}"], name
    with open(finished.folder / "results/tiny/scorecard.csv") as table:
        card = list(csv.DictReader(table))
    assert {row["verdict"] for row in card} == {"can't be judged"}  # two simulations, three datasets
    assert [row["ours"] for row in card if row["claim"] == "LinTS outperforms LinUCB"].count("") == 0
    page = (finished.folder / "results/tiny/report.html").read_text()
    for word in (
        "Scorecard",
        "Table 1.",
        "Table 2.",
        "data:image/png;base64,",
        "No dataset was left out",
        '"name":["ant"',
    ):
        assert word in page, word
    account = json.loads((finished.folder / "results/tiny/run.json").read_text())
    assert account["config"]["bandits"]["LinTS"] == {"alpha": [0.25, 0.5, 1]}
    assert account["config"]["synthetic"]["horizon"] == 60
    assert account["seed"] == 2019
    for log in (
        "fetch/ant.log",
        "encode/ant.tsv",
        "simulate/ant/LinTS.tsv",
        "collect.log",
        "timing.csv",
        "draw/pairwise_literal_fixed.tsv",
    ):
        assert (finished.folder / "logs/tiny" / log).exists(), log


def test_a_job_has_all_readings_settings_repeats_and_shuffles(finished):
    record, arrays = read_arrays(finished.folder / "results/tiny/runs/ant/LinTS.npz")
    assert set(record["readings"]) == {"residual", "literal"}
    assert arrays["correct"].shape == (2, 3, 4, 1, 8)
    assert arrays["pulls"].shape == (2, 3, 4, 1, 2)
    assert (arrays["pulls"].sum(axis=-1) == 60).all()
    assert arrays["rounds"][-1] == 60
    wrong = 60 - np.unpackbits(arrays["correct"], axis=-1, count=60).sum(axis=-1)
    np.testing.assert_array_equal(arrays["curve"][..., -1], wrong)
    assert len(np.unique(arrays["correct"].reshape(24, -1), axis=0)) > 12  # repeats and readings are other runs


def test_predicted_times_stand_beside_actual_ones(finished):
    with open(finished.folder / "logs/tiny/timing.csv") as table:
        rows = list(csv.DictReader(table))
    assert {(row["dataset"], row["bandit"]) for row in rows} == {
        (dataset, bandit) for dataset in ("ant", "bee", "cat") for bandit in ("LinTS", "LinUCB")
    }  # fmt: skip
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds, reverse=True)
    assert all(0 < float(row["play_seconds"]) < float(row["seconds"]) for row in rows)
    assert all(
        float(row["predicted_seconds"]) > 0.5 and float(row["mb"]) < float(row["predicted_mb"]) * 2 for row in rows
    )
    log = (finished.folder / "logs/tiny/timing.log").read_text()
    assert log.startswith("The 6 slowest of 6 jobs")


def test_other_readings_of_the_variance_are_a_knob(workspace):
    workspace.rows = {"ant": workspace.rows["ant"], "bee": workspace.rows["bee"]}
    workspace.write_suite()
    workspace.config["classification"] = {"readings": ["plain", "literal"]}
    workspace.write_config()
    workspace.snakemake("results/tiny/claims.csv", "figures/tiny/pairwise_plain_paper.png")
    record, _ = read_arrays(workspace.folder / "results/tiny/runs/ant/LinTS.npz")
    assert set(record["readings"]) == {"plain", "literal"}
    assert record["options"]["readings"]["plain"] == {"variance": "residual", "prior_weight": 0.0}
    with open(workspace.folder / "results/tiny/claims.csv") as table:
        assert {row["reading"] for row in csv.DictReader(table)} == {"plain", "literal"}


def test_many_classes_and_a_class_of_one_row_go_through(workspace):
    rng = np.random.default_rng(3)
    labels = np.append(np.arange(25).repeat(8), 25)  # 26 classes, of which the last has one row
    rng.shuffle(labels)
    workspace.add_dataset("wide", 3, n=201, labels=[f"c{label}" for label in labels])
    workspace.add_dataset("rare", 4, n=50, labels=["one"] + ["many"] * 49)
    workspace.rows = {name: workspace.rows[name] for name in ("wide", "rare")}
    workspace.write_suite()
    workspace.snakemake("classification", cores=2)
    _, arrays = read_arrays(workspace.folder / "results/tiny/runs/wide/LinTS.npz")
    assert arrays["pulls"].shape[-1] == 26
    assert (arrays["pulls"] > 0).all()  # the uniform start ends when every arm has been played
    with open(workspace.folder / "results/tiny/strata.csv") as table:
        assert {(row["by"], row["stratum"]) for row in csv.DictReader(table)} >= {("K", "2"), ("K", "> 10")}


def test_jobs_that_take_long_start_first(workspace):
    workspace.add_dataset("big", 5, n=1000)
    workspace.write_suite()
    output = workspace.snakemake("--until", "simulate_classification", "--", "classification")
    started = re.findall(r"^Job \d+: (\w+ plays \w+|Fetching \w+|Encoding \w+)$", output, flags=re.MULTILINE)
    assert len(started) == 4 * (2 + 2)
    assert started[:2] == ["Fetching big", "Encoding big"]
    assert set(started[2:4]) == {"LinTS plays big", "LinUCB plays big"}


def test_a_grid_of_more_settings_than_runs_is_refused(workspace):
    output = workspace.snakemake("--config", "classification={runs: 2}", fails=True)
    assert "bandits.LinTS has 3 settings, but classification.runs is 2" in output


def test_snakemakes_own_report_has_the_figures_with_categories_and_captions(finished, tmp_path):
    finished.snakemake("--report", str(tmp_path / "report.html"))
    report = (tmp_path / "report.html").read_text()
    for words in ("Classification", "The synthetic example", "pairwise_literal_fixed.png", "Critical-difference",
                  "3 of 3 datasets are shown.", "each bandit at one setting, chosen on the datasets"):  # fmt: skip
        assert words in report, words


def test_a_finished_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in finished.snakemake()


def test_no_temporary_file_is_left(finished):
    assert not [name for name in finished.products() if ".part" in name]


@pytest.fixture(scope="module")
def other_clone(tmp_path_factory):
    return copy_of_the_project(tmp_path_factory.mktemp("clone"))


def test_another_clone_and_another_number_of_cores_give_the_same_bytes(finished, other_clone, tmp_path):
    other = Workspace(tmp_path, home=other_clone)
    other.snakemake(cores=1)
    assert other.products() == finished.products()


def test_all_bandits_get_into_the_tables(workspace):
    workspace.rows = {"ant": workspace.rows["ant"]}
    workspace.write_suite()
    workspace.config["bandits"] = {
        "LinTS": {"alpha": [1]}, "LinUCB": {"alpha": [1]}, "BLTS": {"alpha": [0.5, 1], "gamma": [0.05, 0.1]},
        "BLUCB": {"alpha": [1], "gamma": [0.1]}, "ILTCB": {"mu_scale": [0.1], "psi": [1]},
        "EpsilonGreedy": {"epsilon": [0.1]}, "Uniform": {},
    }  # fmt: skip
    workspace.config["synthetic"] |= {"bandits": workspace.config["bandits"]}
    workspace.write_config()
    workspace.snakemake(cores=2)
    with open(workspace.folder / "results/tiny/counts.csv") as table:
        counts = list(csv.DictReader(table))
    assert {row["row"] for row in counts} == set(workspace.config["bandits"])
    assert len(counts) == 7 * 6 * 2 * 3
    with open(workspace.folder / "results/synthetic/rates.csv") as table:
        settings = {(row["bandit"], row["setting"]) for row in csv.DictReader(table)}
    assert ("BLTS", "alpha=0.5 gamma=0.05") in settings
    assert ("Uniform", "") in settings


def test_a_schedule_of_the_command_line_takes_the_place_of_that_of_the_configuration(workspace):
    workspace.config["schedule"] = {"geometric": 0.05}
    workspace.write_config()
    run = "results/tiny/runs/ant/LinTS.npz"
    for schedule, told in (("{batch: 50}", '"schedule": {"batch": 50}'), ("every_step", '"schedule": "every_step"')):
        plan = workspace.snakemake("-n", "-p", "--config", f"schedule={schedule}", "--", run)
        assert told in plan


def test_a_number_inside_a_value_of_the_command_line_is_a_number(workspace):
    workspace.snakemake("--config", "synthetic={simulations: 3}", "--", "results/synthetic/well/LinTS.npz")
    record, arrays = read_arrays(workspace.folder / "results/synthetic/well/LinTS.npz")
    assert arrays["regret"].shape[:2] == (2, 3)
    assert record["options"]["horizon"] == 60  # what was not named stays
    output = workspace.snakemake("--config", "synthetic={simulations: few}", fails=True)
    assert "synthetic.simulations is 'few', but must be: an integer of at least 1 (the number of simulations)" in output


def test_the_sensitivity_atlas_is_made_on_demand_from_runs_and_the_default(workspace):
    assert not any("sensitivity" in job for job in workspace.plan())
    workspace.config["sensitivity"] = {
        "simulations": 2, "reading": ["literal", "residual"], "grid_top": [1, 10000], "intercept": ["unpenalised"],
        "propensity": ["assignment"], "schedule": [{"batch": 50}],
    }  # fmt: skip
    workspace.write_config()
    workspace.snakemake("sensitivity", cores=2)
    results = workspace.folder / "results/sensitivity"
    # 4 cells of the factorial and a schedule; the default is played by the example itself, propensities need BLTS
    assert len(list(results.glob("runs/*/*/*.npz"))) == 4 * 2 * 2
    with open(results / "atlas.csv") as table:
        rows = list(csv.DictReader(table))
    assert len({row["cell"] for row in rows}) == 6
    assert len(rows) == 6 * 2 * (6 + 12)
    alike = ("literal, top 10000, unpenalised", "propensity assignment")
    first, second = ([row["percent"] for row in rows if row["cell"] == cell] for cell in alike)
    assert first == second
    with open(results / "statements.csv") as table:
        for row in csv.DictReader(table):
            assert int(row["holds"]) + int(row["weakly"]) + int(row["fails"]) == int(row["of"])
    assert (workspace.folder / "figures/sensitivity/atlas.png").stat().st_size > 1000
    assert "Nothing to be done" in workspace.snakemake("sensitivity")


def test_another_seed_gives_other_results(finished, workspace):
    workspace.snakemake("--config", "seed=1", "--", "results/tiny/runs/ant/LinTS.npz")
    name = "results/tiny/runs/ant/LinTS.npz"
    assert workspace.products()[name] != finished.products()[name]


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(finished, workspace):
    run = workspace.start(cores=2)
    deadline = time.monotonic() + 120
    while not list(workspace.folder.glob("results/tiny/runs/*/*.npz")):
        assert run.poll() is None, (workspace.folder / "started.log").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    kill_group(run)
    assert not (workspace.folder / "figures").exists()
    workspace.snakemake(cores=2)
    assert workspace.products() == finished.products()


def test_two_runs_in_one_folder_are_kept_apart(workspace):
    run = workspace.start(cores=1)
    deadline = time.monotonic() + 60
    while not (workspace.folder / "logs/tiny/fetch").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    try:
        assert "another run is active in this folder" in workspace.snakemake(fails=True)
        assert workspace.plan()  # looking is allowed
    finally:
        kill_group(run)


def test_parts_can_be_asked_for(workspace):
    assert not any(name in job for name in ("ant", "bee", "cat") for job in workspace.plan("synthetic", "sensitivity"))
    assert not any(job.startswith("Drawing") for job in workspace.plan("synthetic", "classification"))
    assert "Making the sensitivity atlas" not in workspace.plan("figures")
    assert workspace.plan("results/tiny/runs/ant/LinTS.npz") == ["Encoding ant", "Fetching ant", "LinTS plays ant"]


def test_forceall_does_everything_again(finished):
    jobs = finished.plan("--forceall")
    assert {"Fetching bee", "LinUCB plays bee", "Making Table 1", "Comparing the bandits pairwise"} <= set(jobs)


def test_a_dataset_that_cannot_be_played_is_left_out_with_its_reason(workspace):
    workspace.add_dataset("dull", 9, labels=["same"] * 60)
    workspace.write_suite()
    workspace.snakemake("figures", cores=2)
    with open(workspace.folder / "results/tiny/datasets.csv") as table:
        reasons = {row["name"]: row["left_out"] for row in csv.DictReader(table)}
    assert reasons == {"ant": "", "bee": "", "cat": "", "dull": "all rows are of one class, 'same'"}
    with open(workspace.folder / "results/tiny/counts.csv") as table:
        assert {row["datasets"] for row in csv.DictReader(table)} == {"3"}
    workspace.snakemake("--report", "report.html", "figures")
    report = (workspace.folder / "report.html").read_text()
    assert "3 of 4 datasets are shown. Left out: dull (all rows are of one class, 'same')." in report


def test_with_keep_going_one_bad_file_does_not_hold_up_the_others(workspace):
    with open(workspace.folder / "bee.csv", "a") as file:
        file.write("1,2,3,yes\n")
    output = workspace.snakemake("--keep-going", "classification", fails=True, cores=2)
    assert "dataset bee: the raw bytes of bee.csv have SHA-256" in output
    made = {path.parent.name for path in workspace.folder.glob("results/tiny/runs/*/*.npz")}
    assert made == {"ant", "cat"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "shufles=3"], ["unknown key shufles; did you mean 'shuffles'?"]),
        (["--config", "shuffles=none"], ["shuffles is 'none', but must be"]),
        (["--config", "suite=nowhere.tsv"], ["nowhere.tsv: no such suite"]),
        (["--config", "datasets=[ant, gnu]"], ["datasets: tiny.tsv does not contain gnu"]),
    ],
)
def test_a_wrong_configuration_stops_before_the_first_job(workspace, arguments, words):
    output = workspace.snakemake(*arguments, fails=True)
    for word in words:
        assert word in output
    assert "Traceback" not in output
    assert not (workspace.folder / "logs").exists()


def test_a_wrong_row_of_the_suite_is_named_with_its_line(workspace):
    workspace.rows["bee"][4] = "beef"
    workspace.write_suite()
    output = workspace.snakemake(fails=True)
    assert "tiny.tsv has invalid rows" in output
    assert "line 3: sha256 is 'beef', but must be" in output


def test_the_default_configuration_plans_the_embedded_suite(tmp_path):
    shutil.copy(ROOT / "config.yaml", tmp_path)
    default = Workspace.__new__(Workspace)
    default.folder, default.home = tmp_path, ROOT
    jobs = default.plan()
    assert sum(job.startswith("LinTS plays") for job in jobs) >= 50 + 2
