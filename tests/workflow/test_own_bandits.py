"""A bandit of one's own in a run of the workflow: in the tables, stale when edited, refused when wrong."""

import csv
import re

import pytest
from conftest import ROOT

from balanced_bandits.core.files import read_arrays

pytestmark = pytest.mark.system

PAIRS, TABLE = "results/tiny/pairs.csv", "results/synthetic/table1.csv"


@pytest.fixture
def mine(workspace):
    """A workspace in which Boltzmann, the example of the docs, plays beside LinTS."""
    example = ROOT / "docs/examples/my_bandits.py"
    (workspace.folder / example.name).write_text(example.read_text())
    workspace.rows = {"ant": workspace.rows["ant"]}
    workspace.write_suite()
    workspace.config |= {
        "own_bandits": {"Boltzmann": "my_bandits:Boltzmann"},
        "bandits": {"LinTS": {"alpha": [1]}, "Boltzmann": {"temperature": [0.1, 0.5]}},
        "references": {},
        "classification": {"readings": ["residual"]},
        "figures": {"formats": ["png"]},
    }
    workspace.config["synthetic"]["bandits"] = {"Boltzmann": {"temperature": [0.1]}}
    workspace.write_config()
    return workspace


def test_it_gets_into_the_tables_and_onto_the_page_and_is_played_again_when_its_file_changes(mine):
    mine.snakemake("page", cores=2)
    page = (mine.folder / "results/tiny/report.html").read_text()
    assert re.search(r'"bandits":\[[^]]*"Boltzmann"', page)
    assert "<td>Boltzmann</td>" in page
    with open(mine.folder / PAIRS) as table:
        pairs = {(row["row"], row["column"], row["setting_column"]) for row in csv.DictReader(table)}
    assert {("Boltzmann", "LinTS", "alpha=1"), ("LinTS×4", "LinTS", "alpha=1")} < pairs
    assert {row for row, *_ in pairs} == {"Boltzmann", "LinTS×4"}
    with open(mine.folder / TABLE) as table:
        assert [(row["spec"], row["bandit"]) for row in csv.DictReader(table)] == [
            ("well", "Boltzmann"), ("mis", "Boltzmann"),
        ]  # fmt: skip
    record, arrays = read_arrays(mine.folder / "results/tiny/runs/ant/Boltzmann.npz")
    assert record["readings"] == ["any"]
    assert arrays["pulls"].shape == (1, 2, 1, 5, 2)
    with open(mine.folder / "my_bandits.py", "a") as file:
        file.write("\n# edited\n")
    jobs = mine.plan(PAIRS, TABLE)
    assert "Boltzmann plays ant" in jobs
    assert "Boltzmann plays the synthetic example, mis-specified" in jobs
    assert "LinTS plays ant" not in jobs


def test_a_wrong_one_stops_the_run_before_its_first_job(mine):
    mine.config["own_bandits"] |= {"Boltzmann": "my_bandits:Boltzman"}
    mine.write_config()
    output = mine.snakemake("-n", fails=True)
    assert "my_bandits:Boltzman: there is no class Boltzman in" in output
    assert "Traceback" not in output
    output = mine.snakemake("-n", "--config", "own_bandits={Idle: my_bandits:Boltzmann}", fails=True)
    assert "own_bandits.Idle: no experiment plays it; give it a grid under bandits or references or synth" in output
    output = mine.snakemake("-n", "--config", "own_bandits={BLTS: my_bandits:Boltzmann}", fails=True)
    assert "own_bandits.BLTS: a bandit of this package has this name" in output


def test_it_can_be_a_reference_beside_the_bandits_of_the_paper(mine):
    mine.config["bandits"] = {"LinTS": {"alpha": [1]}, "LinUCB": {"alpha": [1]}}
    mine.config["references"] = {"Boltzmann": {"temperature": [0.1]}}
    mine.write_config()
    mine.snakemake(PAIRS, "figures/tiny/pairwise_residual_paper.png")
    with open(mine.folder / PAIRS) as table:
        assert ("LinUCB", "Boltzmann") in {(row["row"], row["column"]) for row in csv.DictReader(table)}


def test_a_wrong_answer_ends_its_job_with_a_sentence(mine):
    text = (mine.folder / "my_bandits.py").read_text()
    (mine.folder / "my_bandits.py").write_text(text.replace("return self.rng.choice", "return -self.rng.choice"))
    output = mine.snakemake("results/tiny/runs/ant/Boltzmann.npz", fails=True)
    assert "error: Boltzmann.choose returned" in output
    assert "Traceback" not in output
