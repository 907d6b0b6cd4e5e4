"""Runs of the workflow on a tiny suite: what they make, and that it is the same however they are made."""

import csv
import json
import re
import shutil
import time

import numpy as np
import pytest
from conftest import ROOT, Workspace, copy_of_the_project, kill_group

from balanced_bandits.analysis.classification.calibration import REPETITIONS
from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.files import read_arrays
from balanced_bandits.plan.cost import START_UP
from balanced_bandits.vocabulary import PROTOCOLS

pytestmark = pytest.mark.system


def test_a_run_makes_tables_figures_logs_and_an_account(finished):
    products = finished.products(all_formats=True)
    for ending in ("pdf", "svg", "png"):
        for reading in ("residual", "literal"):
            for protocol in PROTOCOLS:
                assert products[f"figures/tiny/pairwise_{reading}_{protocol}.{ending}"]
                assert products[f"figures/tiny/matrix_{reading}_{protocol}.{ending}"]
            for name in ("strata", "differences", "ranks", "profiles"):
                assert products[f"figures/tiny/{name}_{reading}.{ending}"]
        assert products[f"figures/tiny/claims.{ending}"]
    assert not any("plain" in name or "sensitivity" in name or "calibration" in name for name in products)
    for name in ("classification.parquet", "curves.parquet", "scores.parquet", "differences.csv", "profiles.csv"):
        assert products[f"results/tiny/{name}"], name
    with open(finished.folder / "results/tiny/counts.csv") as table:
        counts = list(csv.DictReader(table))
    assert [row["datasets"] for row in counts] == ["3"] * 3 * 2 * 4
    with open(finished.folder / "results/tiny/claims.csv") as table:
        claims = {(row["kind"], row["better"], row["worse"], row["reading"], row["protocol"])
                  for row in csv.DictReader(table)}  # fmt: skip
    assert claims == {
        (*pair, reading, protocol)
        for pair in (("claim", "LinTS", "LinUCB"), ("placebo", "LinTS×4", "LinTS"))
        for reading in ("residual", "literal") for protocol in PROTOCOLS
    }  # fmt: skip
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


def test_a_job_has_all_readings_settings_copies_and_shuffles(finished):
    record, arrays = read_arrays(finished.folder / "results/tiny/runs/ant/LinTS.npz")
    assert set(record["readings"]) == {"residual", "literal"}
    assert arrays["pulls"].shape == (2, 3, 1 + 4, 5, 2)  # LinTS is the placebo
    assert arrays["curve"].shape[:-1] == (2, 3, 5, 5)
    assert (arrays["pulls"].sum(axis=-1) == 60).all()
    assert arrays["rounds"][-1] == 60
    assert len(np.unique(arrays["curve"].reshape(150, -1), axis=0)) > 75  # copies, shuffles and readings are other runs
    for bandit, shape in (("LinUCB", (2, 3, 1, 5, 2)), ("Greedy", (1, 1, 1, 5, 2))):
        assert read_arrays(finished.folder / f"results/tiny/runs/ant/{bandit}.npz")[1]["pulls"].shape == shape


def test_reference_bandits_are_in_tables_and_matrices_but_not_in_the_papers_grid(finished):
    for name in ("pairs", "counts"):
        with open(finished.folder / f"results/tiny/{name}.csv") as table:
            pairs = {(row["row"], row["column"]) for row in csv.DictReader(table)}
        assert {("LinTS", "Greedy"), ("LinUCB", "Greedy")} < pairs, name
    for name in ("ranks", "profiles", "differences"):
        with open(finished.folder / f"results/tiny/{name}.csv") as table:
            assert {row["bandit"] for row in csv.DictReader(table)} == {"LinTS", "LinUCB", "Greedy"}, name
    grid, all_pairs = (
        (finished.folder / f"figures/tiny/{name}_literal_paper.png").read_bytes() for name in ("pairwise", "matrix")
    )
    width = int.from_bytes(grid[16:20], "big")  # of a PNG, in pixels
    assert width == pytest.approx(200 * (2 * 1.45 + 0.64), abs=2)  # two panels
    assert all_pairs
    page = (finished.folder / "results/tiny/report.html").read_text()
    assert '"bandits":["LinTS","LinUCB"]' in page


def test_expensive_datasets_are_played_in_fewer_shuffles(workspace):
    workspace.add_dataset("big", 5, n=1000)
    workspace.write_suite()
    workspace.config |= {"shuffles": 6, "dataset_seconds": 0.3, "fewest_shuffles": 2}
    workspace.write_config()
    workspace.snakemake("results/tiny/pairs.csv", cores=2)
    with open(workspace.folder / "results/tiny/datasets.csv") as table:
        shuffles = {row["name"]: int(row["shuffles"]) for row in csv.DictReader(table)}
    assert shuffles == {"ant": 6, "bee": 6, "cat": 6, "big": 2}
    for name, number in shuffles.items():
        _, arrays = read_arrays(workspace.folder / f"results/tiny/runs/{name}/LinUCB.npz")
        assert arrays["pulls"].shape[3] == number
    with open(workspace.folder / "results/tiny/pairs.csv") as table:
        rows = list(csv.DictReader(table))
    assert {(row["dataset"], row["shuffles"]) for row in rows} == {(name, str(n)) for name, n in shuffles.items()}
    untested = {row["dataset"] for row in rows if row["protocol"] == "paper" and not row["p"]}
    assert untested == {"big"}  # in too few shuffles


def test_a_single_shuffle_is_enough_for_a_run(workspace):
    workspace.snakemake("--config", "shuffles=1", cores=2)
    with open(workspace.folder / "results/tiny/counts.csv") as table:
        assert {row["protocol"] for row in csv.DictReader(table)} == set(PROTOCOLS) - {"held_out"}
    assert not list((workspace.folder / "figures/tiny").glob("*held_out*"))
    assert (workspace.folder / "results/tiny/report.html").stat().st_size > 100_000


def test_the_calibration_is_made_on_demand_and_then_on_the_page(workspace):
    assert not any("Copies" in job for job in workspace.plan())
    workspace.config["calibration"] = {"bandits": ["LinTS", "Greedy"], "copies": 2, "shuffles": 6}
    workspace.write_config()
    workspace.snakemake("calibration", cores=2)
    results = workspace.folder / "results/tiny/calibration"
    assert len(list(results.glob("runs/*/*.npz"))) == 3 * 2
    _, arrays = read_arrays(results / "runs/ant/LinTS.npz")
    assert arrays["pulls"].shape == (2, 3, 2, 6, 2)
    with open(results / "calibration.csv") as table:
        rows = list(csv.DictReader(table))
    assert {row["bandit"] for row in rows} == {"all", "LinTS", "Greedy"}
    assert {row["protocol"] for row in rows} == set(PROTOCOLS)
    tests = {(row["test"], row["bandit"]): int(row["tests"]) for row in rows if row["protocol"] == "paper"}
    assert tests["dataset", "all"] == 3 * (2 + 1)  # datasets, by readings of LinTS and Greedy
    assert tests["wilcoxon", "all"] == tests["interval", "all"] == REPETITIONS * (2 + 1)
    for row in rows:
        assert 0 <= int(row["rejected"]) <= int(row["tests"])
        assert bool(row["low"]) == (row["test"] == "dataset" or row["bandit"] == "all")
        if row["low"] and row["percent"]:  # no test under held_out, which has too few pairs of shuffles here
            assert float(row["low"]) <= float(row["percent"]) <= float(row["high"])
    assert (workspace.folder / "figures/tiny/calibration/calibration.png").stat().st_size > 1000
    assert "Nothing to be done" in workspace.snakemake("calibration")
    workspace.snakemake("page", cores=2)
    assert '<section id="calibration">' in (workspace.folder / "results/tiny/report.html").read_text()


def test_a_calibration_without_datasets_ends_in_a_sentence(workspace):
    output = workspace.snakemake("--config", "calibration={dataset_seconds: 0.1}", "--", "calibration", fails=True)
    assert "error: there is nothing to calibrate with: calibration.dataset_seconds leaves out every dataset" in output
    assert "Traceback" not in output


def test_predicted_times_stand_beside_actual_ones(finished):
    with open(finished.folder / "logs/tiny/timing.csv") as table:
        rows = list(csv.DictReader(table))
    assert {(row["dataset"], row["bandit"]) for row in rows} == {
        (dataset, bandit) for dataset in ("ant", "bee", "cat") for bandit in ("LinTS", "LinUCB", "Greedy")
    }  # fmt: skip
    assert {row["bandit"]: row["runs"] for row in rows} == {"LinTS": "150", "LinUCB": "30", "Greedy": "5"}
    seconds = [float(row["seconds"]) for row in rows]
    assert seconds == sorted(seconds, reverse=True)
    assert all(0 < float(row["play_seconds"]) < float(row["seconds"]) for row in rows)
    assert all(
        float(row["predicted_seconds"]) > START_UP and float(row["mb"]) < float(row["predicted_mb"]) * 2 for row in rows
    )
    log = (finished.folder / "logs/tiny/timing.log").read_text()
    assert log.startswith("The 9 slowest of 9 jobs")


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
    assert len(started) == 4 * (2 + 3)
    assert started[:2] == ["Fetching big", "Encoding big"]
    assert set(started[2:4]) == {"LinTS plays big", "LinUCB plays big"}


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
    }  # fmt: skip
    workspace.config["references"] = {
        "EpsilonGreedy": {"epsilon": [0.1]}, "Greedy": {}, "Uniform": {}, "SquareCB": {"gamma_scale": [10]},
        "DRTS": {"v": [1]},
    }  # fmt: skip
    bandits = workspace.config["bandits"] | workspace.config["references"]
    assert set(bandits) == set(BANDITS)
    workspace.config["synthetic"] |= {"bandits": bandits}
    workspace.write_config()
    workspace.snakemake(cores=2)
    with open(workspace.folder / "results/tiny/counts.csv") as table:
        counts = list(csv.DictReader(table))
    assert {name for row in counts for name in (row["row"], row["column"])} == set(bandits)
    assert len(counts) == 10 * 9 // 2 * 2 * 4
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
            assert int(row["holds"]) + int(row["inconclusive"]) + int(row["fails"]) == int(row["of"])
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
        (
            ["--config", "classification={placebo: LinTs}"],
            ["classification.placebo is LinTs, but must be one of LinTS,"],
        ),
        (["--config", "classification={reference: Nobody}"], ["classification.reference is Nobody, but must be one"]),
        (["--config", "calibration={bandits: [LinTS, Nobody]}"], ["calibration.bandits: there is no Nobody"]),
        (["--config", "references={LinTS: {alpha: [1]}}"], ["references.LinTS: it is under bandits as well; remove"]),
        (["--config", "classification={significance: paired}"], ["unknown key classification.significance"]),
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


def test_the_default_configuration_plans_its_suite(tmp_path):
    shutil.copy(ROOT / "config.yaml", tmp_path)
    default = Workspace.__new__(Workspace)
    default.folder, default.home = tmp_path, ROOT
    jobs = default.plan()
    assert sum(job.startswith("LinTS plays") for job in jobs) == 60 + 2
