"""Shared by several kinds of tests."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from balanced_bandits.datasets.suite import COLUMNS

ROOT = Path(__file__).resolve().parents[1]


def copy_of_the_project(folder):
    """Copy the files that git tracks or would track, in their current state."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


class Workspace:
    """A folder in which the workflow runs on its own tiny suite."""

    def __init__(self, folder, home=ROOT):
        self.folder, self.home = folder, home
        folder.mkdir(parents=True, exist_ok=True)
        self.rows, self.families = {}, {}
        for i, name in enumerate(("ant", "bee", "cat")):
            self.add_dataset(name, i)
        self.write_suite()
        self.config = {
            "suite": "tiny.tsv",
            # Three bandits, five shuffles and one format are enough here.
            "figures": {"formats": ["png"]},
            "shuffles": 5,
            "bandits": {"LinTS": {"alpha": [0.25, 0.5, 1]}, "LinUCB": {"alpha": [1, 2, 4]}},
            "references": {"Greedy": {}},
            "synthetic": {
                "bandits": {"LinTS": {"alpha": [0.5, 1]}, "LinUCB": {"alpha": [1, 4]}},
                "simulations": 2,
                "horizon": 60,
            },
        }
        self.write_config()

    def add_dataset(self, name, seed, n=60, labels=None):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.standard_normal((n, 3)).round(3), columns=["u", "v", "w"])
        noisy = np.where(frame["u"] + 0.5 * rng.standard_normal(n) > 0, "yes", "no")
        frame["kind"] = noisy if labels is None else labels
        text = frame.to_csv(index=False)
        (self.folder / f"{name}.csv").write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.rows[name] = [name, "file", f"{name}.csv", "kind", digest, "none", n, 3, frame["kind"].nunique()]

    def write_suite(self):
        rows = [list(COLUMNS), *self.rows.values()]
        if self.families:
            rows = [rows[0] + ["family"], *([*row, self.families[row[0]]] for row in rows[1:])]
        lines = ["\t".join(map(str, row)) for row in rows]
        (self.folder / "tiny.tsv").write_text("\n".join(lines) + "\n")

    def write_config(self):
        (self.folder / "config.yaml").write_text(yaml.safe_dump(self.config))

    def command(self, *arguments, cores=1):
        return [sys.executable, "-m", "snakemake", "--snakefile", str(self.home / "Snakefile"),
                "--directory", str(self.folder), "--cores", str(cores), *arguments]  # fmt: skip

    @property
    def environment(self):
        # Use the code in `home`, even if another copy of the package is installed.
        return os.environ | {"PYTHONPATH": str(self.home)}

    def snakemake(self, *arguments, cores=1, fails=False):
        done = subprocess.run(
            self.command(*arguments, cores=cores), env=self.environment, cwd=self.folder, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        output = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, output
        return output

    def start(self, *arguments, cores=1):
        """Start a run in its own process group, so that it can be killed."""
        with open(self.folder / "started.log", "w") as log:
            return subprocess.Popen(
                self.command(*arguments, cores=cores), env=self.environment, cwd=self.folder, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def plan(self, *arguments):
        """The messages of the jobs in a dry run."""
        output = self.snakemake("-n", *arguments)
        return sorted(set(re.findall(r"^\s*Job \d+: (.*)$", output, flags=re.MULTILINE)))

    def products(self, *, all_formats=False):
        """The content of all results and figures by name, except files with the revision or run times.

        By default only figures in PNG, which every run in the tests draws.
        """
        files = [p for top in ("results", "figures", "data") for p in (self.folder / top).rglob("*") if p.is_file()]
        left_out = ("run.json", "report.html", *(() if all_formats else (".pdf", ".svg")))
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in files if not p.name.endswith(left_out)}


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A workspace with a finished run, which tests must not modify."""
    done = Workspace(tmp_path_factory.mktemp("finished"))
    del done.config["figures"]
    done.write_config()
    done.snakemake(cores=2)
    return done


def kill_group(process):
    """Kill a started run with all its jobs, as a power failure would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
