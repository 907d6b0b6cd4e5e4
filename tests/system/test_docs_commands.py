"""The commands of the pages in docs/, typed one after the other in a folder with a small configuration."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

pytestmark = pytest.mark.system

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that looks like the project's, with its code and commands, in which a run takes seconds."""
    here = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "docs/examples", here / "docs/examples")
    programs = {
        "python": [BIN / "python"],
        "balanced-bandits": [BIN / "python", "-c", "'from balanced_bandits.cli import main; main()'"],
        "snakemake": [BIN / "python", "-m", "snakemake", "--snakefile", ROOT / "Snakefile"],
    }
    (here / ".venv/bin").mkdir(parents=True)
    for name, words in programs.items():
        program = here / ".venv/bin" / name
        program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "$@"\n')
        program.chmod(0o755)
    config = {
        "bandits": {"LinTS": {"alpha": [0.25, 0.5, 1]}, "LinUCB": {"alpha": [1]}},
        "references": {"Greedy": {}},
        "classification": {"readings": ["residual"]},
        "figures": {"formats": ["png"]},
    }
    (here / "config.yaml").write_text(yaml.safe_dump(config))
    return here


def type_in(folder, page):
    """Run the blocks of a page in order; gives what they printed."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs" / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    printed = []
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stdout + done.stderr
        printed.append(done.stdout + done.stderr)
    return printed


def test_the_tutorial(folder):
    doctor, first, shuffled, _, head, other, by_hand = type_in(folder, "tutorial.md")
    assert "no problems found" in doctor
    assert "LinTS alpha=0.5 plays iris: 150 rounds, 4 features, 3 arms" in first
    assert "LinUCB alpha=2 plays iris" in shuffled
    assert (folder / "figures/registry60/pairwise_residual_paper.png").stat().st_size > 1000
    assert head.startswith("reading,protocol,row,column,dataset")
    assert "simulate_classification" in other  # another criterion: the bandits play again
    assert "fetch" not in other
    assert "LinTS(n_arms=3, n_features=2, seed=1, alpha=0.5; 1000 observations)" in by_hand


def test_a_bandit_of_ones_own(folder):
    once, compared = type_in(folder, "own_bandit.md")
    assert "Boltzmann temperature=0.1 plays iris" in once
    assert "Boltzmann plays wine" in compared
    with open(folder / "results/registry60/pairs.csv") as table:
        assert "Boltzmann" in table.read()


def test_datasets_of_ones_own(folder):
    once, _, inspected, audited = type_in(folder, "own_dataset.md")
    assert "plays flowers: 120 rounds" in once
    assert "K = 2 classes" in inspected
    assert "0 findings in 1 dataset:" in audited
    assert (
        (folder / "my.tsv").read_text().splitlines()[1].startswith("flowers\tfile\tdocs/examples/flowers.csv\tkind\t")
    )
    with open(folder / "results/my/claims.csv") as table:
        assert "claim,residual,paper,LinTS,LinUCB," in table.read()
