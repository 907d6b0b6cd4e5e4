"""The search for the reading that made Table 1, as the workflow runs it: tiny, from its first rung to the page."""

import csv

import pytest
from conftest import Workspace


def tiny(folder):
    made = Workspace(folder)
    made.config["readings"] = {
        "hours": 0.0005, "simulations": [2, 2, 3], "parts": 2,
        "space": {"penalties": ["wide", "three"], "criterion": ["loo", "gcv"], "ties": ["middle"],
                  "features": ["raw", "warm"], "interaction": ["with"], "schedule": ["geometric", "step"],
                  "propensity": ["exact"], "threshold": ["95%", "80%"]},
    }  # fmt: skip
    made.write_config()
    return made


def rows_of(path):
    with open(path) as table:
        return list(csv.DictReader(table))


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    made = tiny(tmp_path_factory.mktemp("searched"))
    made.snakemake("readings", cores=2)
    return made


def test_it_is_made_on_demand_with_its_tables_and_figure(searched):
    results = searched.folder / "results/readings"
    rungs = rows_of(results / "search.csv")
    assert [int(row["new_simulations"]) for row in rungs] == [2, 2, 3]
    assert sum(float(row["predicted_hours"]) for row in rungs) <= 0.0005
    chosen = [rows_of(results / f"rung_{rung}/chosen.csv") for rung in range(3)]
    assert len(chosen[0]) > 5
    default = chosen[0][0]["reading"]
    assert default == chosen[2][0]["reading"]
    best = rows_of(results / "best.csv")
    assert best[0]["reading"] == default
    assert {row["simulations"] for row in best} == {"3"}
    numbers = rows_of(results / "numbers.csv")
    assert len(numbers) == len(best) * 2 * 2  # two bandits, two specifications
    assert {row["paper_percent"] for row in numbers} == {"84", "51", "39", "29"}
    levels = {(row["dimension"], row["level"]) for row in rows_of(results / "dimensions.csv")}
    assert ("penalties", "three") in levels
    assert ("penalties", "top1") not in levels  # not in the space
    assert (searched.folder / "figures/readings/dimensions.png").stat().st_size > 1000
    assert "Nothing to be done" in searched.snakemake("readings")
    assert not any("reading" in job for job in searched.plan("synthetic"))


def test_the_same_seed_the_same_bytes_on_any_number_of_cores_and_after_a_loss(searched, tmp_path):
    again = tiny(tmp_path)
    again.snakemake("results/readings/rung_1/chosen.csv")
    lost = sorted((again.folder / "results/readings/batches").iterdir())
    stamps = {path: path.stat().st_mtime_ns for path in lost[1:]}
    lost[0].unlink()
    (again.folder / "results/readings/rung_0/part_0.csv").unlink()
    (again.folder / "results/readings/rung_0/part_1.csv").unlink()
    again.snakemake("readings")
    assert lost[0].exists()
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps  # nothing else was played again
    assert again.products() == searched.products()


def test_a_budget_that_is_too_small_is_said_before_anything_is_played(workspace):
    workspace.config["readings"] = {"hours": 1e-6}
    workspace.write_config()
    workspace.snakemake("results/readings/rung_0/part_0.csv", fails=True)
    said = (workspace.folder / "logs/readings/choose/0.log").read_text()
    assert said.startswith("error: readings.hours is 1e-06, which is not enough for the default reading; give at least")
    assert not (workspace.folder / "results/readings/batches").exists()
