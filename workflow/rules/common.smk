# What all rules share: the checked configuration, the suite, and functions of the wildcards.
import fcntl
import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from balanced_bandits import provenance
from balanced_bandits.bandits import MODULES
from balanced_bandits.config import checked_config
from balanced_bandits.datasets import SOURCES
from balanced_bandits.datasets.suite import read_suite
from balanced_bandits.errors import InputError

HOME = Path(os.path.relpath(workflow.basedir))
SCHEMAS = HOME / "workflow/schemas"
CONDA = str(Path(workflow.basedir) / "envs/conda.yaml")

# Jobs run `python`: let it be the one that runs Snakemake, activated or not, and let it find the package even in
# a conda environment that Snakemake made.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [workflow.basedir, os.environ.get("PYTHONPATH")]))


def load_suite():
    """The configuration's suite: its path, its name in results, and the rows that are used."""
    path = Path(config["suite"])
    if path.suffix != ".tsv":
        path = HOME / "workflow/suites" / f"{config['suite']}.tsv"
    rows = read_suite(path, SCHEMAS / "suite.schema.yaml")
    if path.stem == "synthetic":
        raise InputError(f"{path}: 'synthetic' is the other experiment; give the suite another name.")
    if config["datasets"] != "all":
        unknown = sorted(set(config["datasets"]) - set(rows))
        if unknown:
            raise InputError(f"datasets: {', '.join(unknown)} is not in {path}.")
        rows = {name: row for name, row in rows.items() if name in config["datasets"]}
    return path, path.stem, rows


try:
    config = checked_config(config, SCHEMAS / "config.schema.yaml")
    SUITE_FILE, SUITE, ROWS = load_suite()
except InputError as error:
    raise WorkflowError(str(error)) from None

BANDITS = list(config["bandits"])
RESULTS = f"results/{SUITE}"
FIGURES = f"figures/{SUITE}"


wildcard_constraints:
    dataset="|".join(re.escape(name) for name in ROWS),
    bandit="|".join(BANDITS),
    specification="well|mis",
    experiment=f"{re.escape(SUITE)}|synthetic",


def script(name):
    """A script and all the sources of the package that it uses; the script comes first."""
    path = Path(workflow.basedir) / "scripts" / name
    files = [path, *(source for source in provenance.sources(path) if source != path)]
    return [os.path.relpath(file) for file in files]


def module_sources(module):
    """The sources of a module that a script imports by name."""
    return [os.path.relpath(file) for file in provenance.sources(provenance.module_path(module))]


def grid_size(bandit):
    """How many settings of a bandit are played."""
    return len(next(iter(config["bandits"][bandit].values())))


def megabytes(row):
    """Memory for a dataset: the table as text and as arrays while it is encoded, or contexts while it is played."""
    encoded = row.n * row.d * 8 * 6
    return 600 + encoded // 2**20


def minutes(row, settings=1):
    """Time to play a dataset: a rank-one update and K predictions a round, with room to spare."""
    width = min(row.n, 4 * row.d) + 1
    seconds = settings * config["shuffles"] * row.n * (row.K + 1) * width**2 * 5e-9
    return 5 + int(seconds / 60)


def one_run_at_a_time():
    """Hold a lock on this folder until the process ends, however it ends; the kernel lets go of it."""
    Path(".snakemake").mkdir(exist_ok=True)
    handle = os.open(".snakemake/run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise WorkflowError("another run is at work in this folder; wait for it to end, or end it.") from None


onstart:
    one_run_at_a_time()
