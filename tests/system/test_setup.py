"""Set-up from nothing, and the sentences it ends in where it can't go on."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, copy_of_the_project

pytestmark = pytest.mark.system

UV = Path(sys.executable).parent / "uv"
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "MAKE"))}


def run(folder, *command, **environment):
    return subprocess.run(
        command, cwd=folder, env=PLAIN | environment, capture_output=True, text=True, check=False, timeout=580
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_of_the_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def small_project(project):
    """The project with a default run that takes seconds: one dataset of each kind of source but `file`."""
    config = yaml.safe_load((project / "config.yaml").read_text())
    config |= {"datasets": ["iris", "wine", "haberman"]}
    # Each bandit costs its compilation in a new folder.
    config["bandits"] = {name: config["bandits"][name] for name in ("LinTS", "LinUCB")}
    config["references"] = {}
    synthetic = {name: config["synthetic"]["bandits"][name] for name in ("LinTS", "LinUCB")}
    config["synthetic"] |= {"bandits": synthetic, "simulations": 2, "horizon": 100}
    (project / "config.yaml").write_text(yaml.safe_dump(config))
    return project


def test_a_missing_python_ends_in_a_sentence(project):
    done = run(project, "make", "PYTHON=python-that-is-not-there")
    assert done.returncode != 0
    assert "set-up stopped: python-that-is-not-there was not found; install Python 3.11 or newer" in done.stderr


def test_a_python_that_is_too_old_ends_in_a_sentence(project, tmp_path):
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && { echo "Python 3.9.2"; exit 0; }\nexit 1\n')
    old.chmod(0o755)
    done = run(project, "make", f"PYTHON={old}")
    assert done.returncode != 0
    assert "is Python 3.9.2, but Python 3.11 or newer is required" in done.stderr


def test_no_way_to_the_registry_ends_in_a_sentence(tmp_path):
    # Port 9 of this machine: nobody listens there.
    closed = {"PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0",
              "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}  # fmt: skip
    done = run(copy_of_the_project(tmp_path), "make", f"PYTHON={sys.executable}", **closed)
    assert done.returncode != 0
    stopped = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(stopped) == 1
    assert "check that PyPI or a mirror of it is reachable" in stopped[0]


def test_make_goes_from_nothing_to_figures_and_says_so_in_a_few_lines(small_project):
    done = run(small_project, "make", f"PYTHON={sys.executable}", "CORES=2")
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-6:]
    assert last[0] == "Pairwise grids of LinTS, LinUCB on 3 datasets: figures/registry60/pairwise_*.pdf"
    verdicts = r"  variance residual, of the paper's claims: paper \d hold, \d reversed; held_out .*; fixed \d hold.*"
    assert re.fullmatch(verdicts, last[1])
    assert last[2].startswith("  variance literal, of the paper's claims: ")
    assert last[3].startswith("Synthetic example, optimum found in: LinTS well")
    assert last[4].endswith("results/registry60/report.html")
    assert last[5].startswith("All numbers: results/registry60/")
    for ending in ("pdf", "svg", "png"):
        assert (small_project / f"figures/registry60/pairwise_residual_paper.{ending}").stat().st_size > 1000

    started = time.monotonic()
    assert run(small_project, "make", "setup").returncode == 0
    assert time.monotonic() - started < 1.0

    again = run(small_project, "make")
    assert "Nothing to be done" in again.stdout + again.stderr


@pytest.mark.skipif(not UV.exists(), reason="uv is not installed beside this Python; `make test` brings it")
def test_an_environment_of_ones_own_needs_pip_install_and_snakemake_only(small_project, tmp_path):
    venv = tmp_path / "own"
    assert run(tmp_path, str(UV), "venv", "--quiet", "--python", sys.executable, str(venv)).returncode == 0
    done = run(small_project, str(UV), "pip", "install", "--quiet", "--python", str(venv / "bin/python"), "-e", ".")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(small_project / "results", ignore_errors=True)
    # Neither activated nor on the PATH.
    done = run(small_project, str(venv / "bin/snakemake"), "--cores", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (small_project / "results/synthetic/table1.csv").exists()


def pins(name):
    """The versions that a lock pins for Python 3.11, by package."""
    lines = (ROOT / "envs" / name).read_text().splitlines()
    pinned = [
        line.split(" ")[0].split("==") for line in lines if "==" in line.split(" ")[0] and ">= '3.12'" not in line
    ]
    return dict(pinned)


def test_the_test_tools_and_slurm_come_on_top_of_exactly_the_packages_of_a_run():
    assert pins("base.txt").items() <= pins("dev.txt").items()
    assert pins("base.txt").items() <= pins("slurm.txt").items()


def test_the_conda_environment_has_the_versions_of_the_lock():
    names = {"matplotlib-base": "matplotlib"}
    for entry in yaml.safe_load((ROOT / "envs/conda.yaml").read_text())["dependencies"]:
        package, _, version = entry.partition(" =")
        if version and package != "python":
            assert pins("base.txt")[names.get(package, package)].startswith(f"{version}."), entry


def test_no_file_names_a_package_index():
    done = run(ROOT, "git", "grep", "-nIE", r"index[-]url|find[-]links|https?://[^ ]*/[s]imple", "--", ":!tests")
    assert done.stdout == ""


def test_every_pin_of_a_lock_has_a_hash():
    for name in ("uv.txt", "base.txt", "dev.txt", "slurm.txt"):
        entries = (ROOT / "envs" / name).read_text().replace("\\\n", " ").splitlines()
        assert all("--hash=sha256:" in entry for entry in entries if "==" in entry)
