"""The pipeline on a real Slurm of two nodes, through profiles/slurm, with accounting and without."""

import contextlib
import csv
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Workspace

UV = Path(sys.executable).parent / "uv"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
MISSING = [name for name in PROGRAMS if not shutil.which(name)]
ACCOUNTING_PROGRAMS = ("slurmdbd", "mariadbd", "mariadb-install-db", "mariadb")
MISSING_FOR_ACCOUNTING = [name for name in ACCOUNTING_PROGRAMS if not shutil.which(name)]
# What docs/clusters.md says to add where there is no accounting.
WITHOUT_ACCOUNTING = ("--slurm-no-account", "--slurm-status-command", "squeue")
# A loaded machine takes its time: what a test waits for comes within seconds on an idle one.
PATIENCE = 1500

pytestmark = [
    pytest.mark.system,
    pytest.mark.waits,
    pytest.mark.timeout(2 * PATIENCE),
    pytest.mark.skipif(os.geteuid() != 0, reason="starting Slurm needs root"),
    pytest.mark.skipif(
        bool(MISSING), reason=f"no {', '.join(MISSING)} here; on Debian: apt-get install slurm-wlm munge"
    ),
    pytest.mark.skipif(not UV.exists(), reason="uv is not installed beside this Python; `make test` brings it"),
]

# A file `sitecustomize.py`, which every Python process reads at its start: what befalls the jobs of three datasets.
FAULTS = """
import os, subprocess, sys, time
from pathlib import Path

if any(argument.endswith("simulate_classification.py") for argument in sys.orig_argv):
    dataset = Path(sys.orig_argv[sys.orig_argv.index("--dataset") + 1]).stem
    begun = Path(os.environ["FAULTS"]) / dataset
    if dataset == "greedy":
        if not begun.exists():
            asked = ["squeue", "--noheader", "--format=%m", "--jobs", os.environ["SLURM_JOB_ID"]]
            begun.write_text(subprocess.check_output(asked, text=True).strip().rstrip("M"))
        # On every attempt more than was asked for at first, but less than twice as much.
        hoard = b"x" * int(1.4 * 2**20 * int(begun.read_text()))
        time.sleep(8)
        del hoard
    elif not begun.exists():
        begun.write_text(os.environ["SLURM_JOB_ID"])
        while True:
            time.sleep(1)
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The executor plugin as envs/slurm.txt pins it, in a folder of its own: all else it needs is installed."""
    folder = tmp_path_factory.mktemp("plugin")
    entries = (ROOT / "envs/slurm.txt").read_text().replace("\\\n", " ").splitlines()
    pins = [entry for entry in entries if entry.startswith("snakemake-executor-plugin-slurm")]
    (folder / "pins.txt").write_text("\n".join(pins) + "\n")
    subprocess.run(
        [UV, "pip", "install", "--quiet", "--python", sys.executable, "--target", folder / "packages", "--no-deps",
         "--require-hashes", "-r", folder / "pins.txt"],
        check=True,
    )  # fmt: skip
    return folder / "packages"


class Cluster:
    """A Slurm that runs, and the environment to use it with the pipeline."""

    def __init__(self, folder, plugin):
        self.folder, self.plugin = folder, plugin

    @property
    def environment(self):
        return os.environ | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}:{self.plugin}",
        }

    def ask(self, *command):
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()  # fmt: skip

    def start(self, workspace, *arguments, **environment):
        """Start a run through the profile."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory",
                   workspace.folder, "--profile", ROOT / "profiles/slurm", *arguments]  # fmt: skip
        with open(workspace.folder / "started.log", "w") as log:
            return subprocess.Popen(
                command, env=self.environment | environment, cwd=workspace.folder, stdout=log, stderr=log
            )


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, plugin):
    folder = tmp_path_factory.mktemp("slurm")
    options = ["--without-accounting"] if MISSING_FOR_ACCOUNTING else []
    up = subprocess.run(
        [ROOT / "tests/system/slurm_up.sh", folder, *options], capture_output=True, text=True, check=False
    )
    try:
        assert up.returncode == 0, up.stdout + up.stderr
        yield Cluster(folder, plugin)
    finally:
        subprocess.run([ROOT / "tests/system/slurm_down.sh", folder], check=True)


def wait_for(what, process, log):
    """Wait until ``what()`` is true, or fail with the end of the log, at once if the run has ended."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, log.read_text()[-3000:]
        assert time.monotonic() < until, log.read_text()[-3000:]
        time.sleep(0.5)


def finish(process, workspace):
    log = workspace.folder / "started.log"
    try:
        code = process.wait(PATIENCE)
    finally:
        process.kill()
    assert code == 0, log.read_text()[-3000:]
    return log.read_text()


def suite_of(workspace, names, rows):
    workspace.rows = {}
    for seed, name in enumerate(names):
        workspace.add_dataset(name, seed, n=rows)
    workspace.write_suite()


def play_here(workspace, *targets):
    """Do the jobs of a local run one after the other in this process, which saves most of their time."""
    plan = workspace.snakemake("--dry-run", "--printshellcmds", *targets)
    commands = [
        shlex.split(line) for line in re.findall(r"^Shell command: python (.*) > \S+ 2>&1$", plan, flags=re.MULTILINE)
    ]
    assert commands
    steps = ("fetch.py", "encode.py", "simulate_classification.py", "collect.py")
    kept = sys.argv
    with contextlib.chdir(workspace.folder), open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        for command in sorted(commands, key=lambda command: steps.index(Path(command[0]).name)):
            sys.argv = command
            runpy.run_path(command[0], run_name="__main__")
    sys.argv = kept


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


COLLECTED = "results/tiny/classification.parquet"


@pytest.mark.skipif(
    bool(MISSING_FOR_ACCOUNTING),
    reason=f"no {', '.join(MISSING_FOR_ACCOUNTING)} here; on Debian: apt-get install slurmdbd mariadb-server-core "
    "mariadb-client-core",
)
def test_twenty_datasets_and_all_bandits_give_the_bytes_of_a_local_run(cluster, tmp_path):
    here, there = Workspace(tmp_path / "here"), Workspace(tmp_path / "there")
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    bandits = config["bandits"] | config["references"]
    names = [f"set{i}" for i in range(20)]
    for workspace in (here, there):
        suite_of(workspace, names, rows=40)
        workspace.config |= {"bandits": config["bandits"], "references": config["references"]}
        workspace.write_config()
    # First, so that what the cluster plays is compiled.
    play_here(here, COLLECTED)
    log = finish(cluster.start(there, COLLECTED, "logs/tiny/timing.csv"), there)

    assert len(bandits) == 7
    runs = [name for name in there.products() if name.startswith("results/tiny/runs/")]
    assert len(runs) == 20 * 7
    assert there.products() == here.products()
    # Small datasets go by tens: two Slurm jobs play them, one collects.
    assert len(re.findall(r"has been submitted with SLURM jobid", log)) == 3
    assert not (there.folder / "logs/failed_attempts.csv").exists()
    # The profile as it is asks sacct, and Slurm takes the account that is the user's default.
    run_id = re.search(r"SLURM run ID: (\S+)", log).group(1)
    asked = cluster.ask("sacct", "-X", "--noheader", "--parsable2", f"--name={run_id}", "--format=State,Account")
    assert asked.splitlines() == ["COMPLETED|testers"] * 3
    # Predicted and actual time and memory are known for every job.
    rows = table(there.folder / "logs/tiny/timing.csv")
    assert {(row["dataset"], row["bandit"]) for row in rows} == {(name, bandit) for name in names for bandit in bandits}
    for row in rows:
        assert float(row["seconds"]) > 0
        assert float(row["mb"]) < 1.5 * float(row["predicted_mb"])


def test_cancelled_greedy_and_orphaned_jobs_are_tried_again_and_named(cluster, tmp_path):
    names = ["cancelled", "greedy", "orphaned"]
    here, there = Workspace(tmp_path / "here"), Workspace(tmp_path / "there")
    for workspace in (here, there):
        suite_of(workspace, names, rows=60)
    results = {name: f"results/tiny/runs/{name}/LinTS.npz" for name in names}
    play_here(here, *results.values())

    faults = tmp_path / "faults"
    faults.mkdir()
    (faults / "sitecustomize.py").write_text(FAULTS)
    paths = f"{ROOT}:{cluster.plugin}:{faults}"
    # A Slurm job a dataset, so that each fault has its own, and an hour for each: jobs here wait for what befalls them.
    run = cluster.start(there, *WITHOUT_ACCOUNTING, "--group-components", "small=1", "--set-resources",
                        "simulate_classification:runtime=60", "--", *results.values(), PYTHONPATH=paths,
                        FAULTS=str(faults))  # fmt: skip
    log = there.folder / "started.log"
    try:
        wait_for((faults / "cancelled").exists, run, log)
        cluster.ask("scancel", (faults / "cancelled").read_text())
        for name in ("cancelled", "greedy"):
            wait_for((there.folder / results[name]).exists, run, log)
        wait_for((faults / "orphaned").exists, run, log)
        orphaned = (faults / "orphaned").read_text()
        node = cluster.ask("squeue", "--noheader", "--jobs", orphaned, "--format=%N")
        os.kill(int((cluster.folder / f"slurmd.{node}.pid").read_text()), signal.SIGKILL)
        wait_for(lambda: cluster.ask("sinfo", "-h", "-n", node, "-o", "%T").startswith("down"), run, log)
        subprocess.run(["slurmd", "-f", cluster.folder / "slurm.conf", "-N", node], check=True)
    except BaseException:
        run.kill()
        raise
    text = finish(run, there)

    assert there.products() == here.products()
    failed = {row["output"]: row for row in table(there.folder / "logs/failed_attempts.csv")}
    played = {name: failed[results[name]] for name in names}
    assert "CANCELLED" in played["cancelled"]["reason"]
    assert "memory" in played["greedy"]["reason"]
    assert "NODE FAILURE" in played["orphaned"]["reason"]
    assert {row["rule"] for row in played.values()} == {"simulate_classification"}
    last = next(line for line in text.splitlines() if line.startswith("Tried again after a failure: "))
    assert all(result in last for result in results.values())
    # Each job was given twice the memory for its second attempt, and needed no third.
    run_id = re.search(r"SLURM run ID: (\S+)", text).group(1)
    asked = cluster.ask("squeue", "--states=all", f"--name={run_id}", "--noheader", "--format=%T %m %x").splitlines()
    ended, failed_with = [[int(line.split()[1].rstrip("M")) for line in asked if line.startswith("COMPLETED") == well]
                          for well in (True, False)]  # fmt: skip
    assert len(ended) == len(failed_with) == 3
    assert sorted(ended) == sorted(2 * megabytes for megabytes in failed_with)
    # With accounting, the plugin learns which node went down, and the job that was on it goes elsewhere.
    if not MISSING_FOR_ACCOUNTING:
        assert [line.split()[2:] for line in asked if len(line.split()) > 2] == [[node]]
