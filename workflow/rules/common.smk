# What all rules share: the checked configuration, the suite, and functions of the wildcards.
import json
import math
import os
import re
from pathlib import Path

from snakemake.exceptions import WorkflowError

from balanced_bandits import provenance
from balanced_bandits.bandits import MODULES
from balanced_bandits.config import checked_config
from balanced_bandits.datasets import SOURCES
from balanced_bandits.datasets.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.datasets.suite import read_suite
from balanced_bandits.errors import InputError
from balanced_bandits.running import hold_folder, use_this_python

HOME = Path(os.path.relpath(workflow.basedir))
SCHEMAS = HOME / "workflow/schemas"
CONDA = str(Path(workflow.basedir) / "envs/conda.yaml")

use_this_python(workflow.basedir)


def load_suite():
    """The configuration's suite: its path, its name in results, and the rows that are used."""
    path = Path(config["suite"])
    if path.suffix != ".tsv":
        path = HOME / "workflow/suites" / f"{config['suite']}.tsv"
    rows = read_suite(path, SCHEMAS / "suite.schema.yaml")
    if path.stem == "synthetic":
        raise InputError(
            f"{path}: 'synthetic' is the other experiment; give the suite another name."
        )
    if not set(config["bandits"]) & set(config["synthetic"]["bandits"]):
        raise InputError(
            "synthetic.bandits: none of them is among the bandits of the configuration."
        )
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

# In the environment, and not among the parameters of jobs: what is fetched does not depend on how.
os.environ[SETTINGS_VARIABLE] = json.dumps(config["openml"])

BANDITS = list(config["bandits"])
SYNTHETIC_BANDITS = [name for name in BANDITS if name in config["synthetic"]["bandits"]]
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
    return [
        os.path.relpath(file)
        for file in provenance.sources(provenance.module_path(module))
    ]


def grid_size(bandit):
    """How many settings of a bandit are played."""
    return math.prod(len(values) for values in config["bandits"][bandit].values())


def megabytes(row):
    """Memory for a dataset: the table as text and as arrays while it is encoded, or contexts while it is played."""
    encoded = row.n * row.d * 8 * 6
    return 600 + encoded // 2**20


def minutes(row, settings=1):
    """Time to play a dataset: a rank-one update and K predictions a round, with room to spare."""
    width = min(row.n, 4 * row.d) + 1
    seconds = settings * config["shuffles"] * row.n * (row.K + 1) * width**2 * 5e-9
    return 5 + int(seconds / 60)


def local_file(wildcards):
    """The file behind a row of source `file`, so that a change of it is noticed."""
    row = ROWS[wildcards.dataset]
    return [str(SUITE_FILE.parent / row.locator)] if row.source == "file" else []


def openml_server(wildcards):
    """The server that a dataset comes from, if its source is openml."""
    row = ROWS[wildcards.dataset]
    return str(config["openml"]["server"]) if row.source == "openml" else ""


def caps():
    """How much of a dataset is used; the seed matters only if a part is."""
    sizes = {key: config[key] for key in ("max_rounds", "max_features")}
    capped = any(size is not None for size in sizes.values())
    return json.dumps(sizes | {"seed": config["seed"] if capped else 0})


def choices(experiment):
    """What a bandit's result depends on, besides its grid: all that the paper leaves open."""
    shared = config["ridge"] | config["balancing"] | {"schedule": config["schedule"]}
    return shared | {"variance": config[experiment]["variance"]}


def classification_options(wildcards):
    """All that a job's result depends on, besides the dataset and the code."""
    options = {
        "seed": config["seed"],
        "shuffles": config["shuffles"],
        "choices": choices("classification"),
    }
    return json.dumps(
        options | {"grid": config["bandits"][wildcards.bandit]}, sort_keys=True
    )


def synthetic_options(wildcards):
    """All that a job's result depends on, besides the code."""
    sizes = {key: config["synthetic"][key] for key in ("simulations", "horizon")}
    options = {"seed": config["seed"], "choices": choices("synthetic")} | sizes
    return json.dumps(
        options | {"grid": config["bandits"][wildcards.bandit]}, sort_keys=True
    )


onstart:
    try:
        hold_folder(Path(".snakemake"))
    except InputError as error:
        raise WorkflowError(str(error)) from None
