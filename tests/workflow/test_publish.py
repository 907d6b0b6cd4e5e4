"""A run is published, and verified against itself and against runs of a part of its datasets."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, Workspace

pytestmark = pytest.mark.system


def call(folder, *words, fails=False):
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def verify(folder, published, fails=False):
    command = "from balanced_bandits.cli import main; main()"
    return call(folder, "-c", command, "verify", "--published", str(published), fails=fails)


@pytest.fixture(scope="module")
def published(finished, tmp_path_factory):
    """A copy of the finished run, made by a committed revision, and what is published of it."""
    folder = tmp_path_factory.mktemp("published")
    shutil.copytree(finished.folder / "results", folder / "results")
    for name in ("tiny", "synthetic"):
        path = folder / "results" / name / "run.json"
        record = json.loads(path.read_text())
        assert set(record["processor"]) == {"machine", "model", "instructions", "blas"}
        path.write_text(json.dumps(record | {"revision": "a" * 40 + "-dirty"}))
    said = call(folder, str(ROOT / "scripts/publish.py"), "--suite", "tiny", fails=True)
    assert "were made with uncommitted changes" in said
    for name in ("tiny", "synthetic"):
        path = folder / "results" / name / "run.json"
        path.write_text(path.read_text().replace("-dirty", ""))
    assert "MB, in published; commit them" in call(folder, str(ROOT / "scripts/publish.py"), "--suite", "tiny")
    return folder / "published"


def test_a_run_is_identical_to_what_was_published_of_it(finished, published):
    lines = verify(finished.folder, published).splitlines()
    assert lines[-1] == "verdict: identical: these are the published results."
    assert sum(": byte for byte" in line for line in lines) == len(lines) - 3  # but for the runs
    source = json.loads((published / "source.json").read_text())
    assert source["processor"]["machine"] == os.uname().machine
    assert {"numpy", "numba", "scipy"} <= set(source["versions"])


def test_a_part_of_the_datasets_is_enough(published, tmp_path):
    part = Workspace(tmp_path)
    part.config["datasets"] = ["ant", "cat"]
    part.write_config()
    part.snakemake("results/tiny/pairs.csv", "results/tiny/run.json", cores=2)
    said = verify(tmp_path, published)
    assert "runs                     identical: all 370 runs have the same number of wrong rounds" in said
    assert "datasets.csv             identical" in said
    assert "pairs.csv                identical" in said
    assert "claims.csv               not comparable: the run has 2 of 3 datasets" in said
    assert said.splitlines()[-1].startswith("verdict: identical")
    part.snakemake("results/tiny/pairs.csv", "results/tiny/run.json", "--config", "seed=1")
    said = verify(tmp_path, published, fails=True)
    assert (
        "these results were made with another configuration, and can't be compared:\n  seed is 1 (published: 2019)"
        in said
    )


@pytest.mark.parametrize(
    ("target", "command"),
    [("paper", "snakemake --cores 3 --quiet host rules reason --config suite=registry300"),
     ("verify", "balanced-bandits verify")],
)  # fmt: skip
def test_make_has_these_commands(target, command):
    done = subprocess.run(["make", "-n", target, "CORES=3"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert command in done.stdout
