"""The cost of Snakemake itself, by the number of simulation jobs.

    python benchmarks/dag.py [JOBS ...] [--run JOBS] [--batch N]      (by default 1500 6000 30000, and --run 1500)

For each number, a dry run plans an artificial suite with that many jobs (five bandits per dataset, no data). With
--run, a suite is also run, with jobs that only touch their outputs. With --batch, the collection is planned in N parts,
and the first part is measured. Prints CPU seconds and peak memory of the snakemake process and its children.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
TARGET = "results/made_up/classification.parquet"
# Replaces every script: creates empty outputs.
TOUCH = """import sys
for option, value in zip(sys.argv, sys.argv[1:]):
    if option in ("--output", "--runs", "--curves", "--accounts"):
        open(value, "w").close()
"""


def make_project(folder: Path, jobs: int) -> None:
    """Create the project with scripts that do nothing, and a suite of ``jobs`` / 5 datasets that do not exist."""
    for name in ("Snakefile", "workflow", "balanced_bandits", "envs", "profiles"):
        (folder / name).symlink_to(HOME / name)
    shutil.copy(HOME / "config.yaml", folder)
    (folder / "scripts").mkdir()
    for script in (HOME / "scripts").glob("*.py"):
        (folder / "scripts" / script.name).write_text(TOUCH)
    columns = ["name", "source", "locator", "target", "sha256", "licence", "n", "d", "K"]
    rows = [[f"set{i}", "openml", f"{i + 1}@1", "class", "unknown", "none", 200, 5, 2] for i in range(jobs // 5)]
    lines = ["\t".join(map(str, row)) for row in [columns, *rows]]
    (folder / "made_up.tsv").write_text("\n".join(lines) + "\n")


def cost(folder: Path, *arguments: str) -> tuple[float, float, float]:
    """Seconds, CPU seconds and megabytes of one call of snakemake."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(folder / "Snakefile"), "--cores", "2", "--quiet",
               "all", "--config", "suite=made_up.tsv", "play=[LinTS, LinUCB, BLTS, BLUCB, ILTCB]", *arguments, "--",
               TARGET]  # fmt: skip
    started = time.monotonic()
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | {"PYTHONPATH": str(HOME)}, stdout=log, stderr=log
        )
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"snakemake failed:\n{(folder / 'log').read_text()[-2000:]}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(what: str, jobs: int, *arguments: str) -> None:
    """Print a line for one call of snakemake."""
    with tempfile.TemporaryDirectory() as name:
        make_project(Path(name), jobs)
        seconds, cpu, memory = cost(Path(name), *arguments)
    print(f"{jobs:6d} {what:20s} {seconds:9.1f} {cpu:9.1f} {memory:9.0f}", flush=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", type=int, default=[1500, 6000, 30000])
    parser.add_argument("--run", type=int, default=1500, help="number of jobs of the measured run; 0: no run")
    parser.add_argument("--batch", type=int, default=0, help="also measure a plan in this many parts; 0: no")
    arguments = parser.parse_args()
    print(f"{'jobs':>6s} {'':20s} {'seconds':>9s} {'CPU s':>9s} {'MB':>9s}")
    for jobs in arguments.jobs:
        measure("plan", jobs, "--dry-run")
        if arguments.batch:
            measure(f"plan, 1 of {arguments.batch}", jobs, "--dry-run", "--batch", f"collect=1/{arguments.batch}")
    if arguments.run:
        measure("run of trivial jobs", arguments.run)


if __name__ == "__main__":
    main()
