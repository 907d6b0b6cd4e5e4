# What all rules share: the checked configuration, the suite, and functions of the wildcards.
import json
import logging
import math
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from balanced_bandits import provenance
from balanced_bandits.analysis import cost
from balanced_bandits.analysis.cells import cells_of, distinct
from balanced_bandits.analysis.families import family_of
from balanced_bandits.analysis.shown import datasets_in_words
from balanced_bandits.bandits import MODULES
from balanced_bandits.config import checked_config
from balanced_bandits.datasets import SOURCES
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.datasets.suite import chosen, read_suite
from balanced_bandits.errors import InputError
from balanced_bandits.failures import FailureTable
from balanced_bandits.running import (
    TimeLeft,
    hold_folder,
    start_jobs_without_limit,
    use_this_python,
)
from balanced_bandits.simulation.readings import WITH_VARIANCE, readings_of
from balanced_bandits.simulation.settings import settings_of

HOME = Path(os.path.relpath(workflow.basedir))
SCHEMAS = HOME / "workflow/schemas"
SUITE_SCHEMA = SCHEMAS / "suite.schema.yaml"
CONDA = str(Path(workflow.basedir) / "envs/conda.yaml")

use_this_python(workflow.basedir)


def load_suite():
    """The configuration's suite: its path, its name in results, and the rows that are used."""
    path = Path(config["suite"])
    if path.suffix != ".tsv":
        path = HOME / "workflow/suites" / f"{config['suite']}.tsv"
    rows = read_suite(path, SUITE_SCHEMA)
    if path.stem in ("synthetic", "sensitivity"):
        raise InputError(
            f"{path}: '{path.stem}' is another experiment; give the suite another name."
        )
    names = None if config["datasets"] == "all" else config["datasets"]
    return path, path.stem, chosen(rows, names, path)


def choices(experiment):
    """What a bandit's result depends on, besides its grid: all that the paper leaves open."""
    shared = config["ridge"] | config["balancing"] | {"schedule": config["schedule"]}
    own = {key: config[experiment].get(key) for key in ("variance", "intercept")}
    return shared | {key: value for key, value in own.items() if value}


def grid_size(grid):
    """How many settings of a bandit are played."""
    return math.prod(len(values) for values in grid.values())


def repeats_of(bandit):
    """How often a bandit plays each setting, so that it has the number of runs of the protocol `matched`."""
    runs, settings = (
        config["classification"]["runs"],
        grid_size(config["bandits"][bandit]),
    )
    if settings > runs:
        raise InputError(
            f"bandits.{bandit} has {settings} settings, but classification.runs is {runs}, and no bandit may have more;"
            f" make it {settings} or more, or the grid smaller."
        )
    return math.ceil(runs / settings)


def check_own_bandits():
    """Raise unless the classes of one's own bandits are there and take the parameters of their grids."""
    if not config["own_bandits"]:
        return
    from balanced_bandits.bandits import (
        own,
    )  # brings Numba, which planning does without

    for name in config["own_bandits"].keys() & MODULES.keys():
        raise InputError(
            f"own_bandits.{name}: a bandit of this package has that name; take another."
        )
    grids_of = {
        "classification": config["bandits"],
        "synthetic": config["synthetic"]["bandits"],
    }
    for name in config["own_bandits"]:
        if not any(name in grids for grids in grids_of.values()):
            raise InputError(
                f"own_bandits.{name}: no experiment plays it; give it a grid under bandits or synthetic.bandits,"
                " such as {} if it has no parameters, or take it out."
            )
    for experiment, grids in grids_of.items():
        for name in grids.keys() & config["own_bandits"].keys():
            first = settings_of(grids[name])[0]
            own.check(config["own_bandits"][name], first, choices(experiment))


# --config adds to the mappings of config.yaml; a schedule of two keys would be none.
config |= {
    key: value
    for key, value in workflow.config_settings.overwrite_config.items()
    if key == "schedule"
}

try:
    config = checked_config(config, SCHEMAS / "config.schema.yaml")
    check_own_bandits()
    SUITE_FILE, SUITE, ROWS = load_suite()
    CELLS = cells_of(config["sensitivity"], choices("synthetic"))
    REPEATS = {bandit: repeats_of(bandit) for bandit in config["bandits"]}
except InputError as error:
    raise WorkflowError(str(error)) from None

# In the environment, and not among the parameters of jobs: what is fetched does not depend on how.
os.environ[SETTINGS_VARIABLE] = json.dumps(config["openml"])

BANDITS = list(config["bandits"])
SYNTHETIC_BANDITS = list(config["synthetic"]["bandits"])
RESULTS = f"results/{SUITE}"
# Seconds: a dataset is small if all bandits together are predicted to play it in less (see batch).
SMALL = 60
# Minutes asked for a job of a group, on top of what it is predicted to take: to load, and perhaps to compile.
GROUPED_MINUTES = 2
FAILURES = FailureTable(Path("logs/failed_attempts.csv"))
PROTOCOLS = ["paper", "matched", "fixed"]
FAMILIES = {name: family_of(name, row.family) for name, row in ROWS.items()}
# How a script is told of the datasets: by the suite's file, since a command line holds a few thousand names only.
SUITE_OPTIONS = ["--suite", str(SUITE_FILE), "--schema", str(SUITE_SCHEMA)]
if config["datasets"] != "all":
    SUITE_OPTIONS += ["--only", *config["datasets"]]
# The readings of the variance by part of the experiment: the default run, and the target `variances` beyond it.
READINGS = {"": config["classification"]["variances"]}
FURTHER = f"{os.sep}sensitivity"
READINGS[FURTHER] = [
    name for name in config["classification"]["sensitivity"] if name not in READINGS[""]
]
# With `strict`, what can't be played is found before the bandits play.
EARLY = 10**9 if config["strict"] else 0


wildcard_constraints:
    dataset="|".join(re.escape(name) for name in ROWS),
    bandit="|".join(dict.fromkeys(BANDITS + SYNTHETIC_BANDITS)),
    specification="well|mis",
    part=f"|{FURTHER}",
    reading="residual|literal|plain",
    protocol="|".join(PROTOCOLS),
    cell="|".join(re.escape(cell.folder) for cell in CELLS),
    experiment=f"{re.escape(SUITE)}|synthetic|sensitivity",


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


def bandit_sources(bandit):
    """The sources of a bandit: its module, and what that imports of this package and of the working folder."""
    path = config["own_bandits"].get(bandit)
    if path is None:
        return module_sources(MODULES[bandit])
    from balanced_bandits.bandits import own

    return [os.path.relpath(file) for file in provenance.sources(own.module_file(path))]


def megabytes(row):
    """Memory for a dataset while it is fetched and encoded: the table as text and as arrays, capped only then."""
    encoded = row.n * max(row.d, row.columns) * 8 * 6
    return 600 + encoded // 2**20


def size_of(row):
    """Rows, columns after encoding and classes of a dataset as it is played, as far as the suite knows them."""
    rows, features = config["max_rounds"] or row.n, config["max_features"] or row.d
    columns = math.ceil(max(row.d, row.columns) * min(1, features / row.d))
    return min(row.n, rows), columns, row.K


def plays(bandit, part=""):
    """How many runs a job of a bandit has."""
    readings = readings_of(bandit, READINGS[part])
    settings = grid_size(config["bandits"][bandit])
    return len(readings) * settings * REPEATS[bandit] * config["shuffles"]


def predicted_seconds(wildcards):
    """How long a job of the classification experiment takes; long ones start first."""
    runs = plays(wildcards.bandit, wildcards.part)
    return cost.seconds(wildcards.bandit, *size_of(ROWS[wildcards.dataset]), runs)


def job_minutes(wildcards, attempt):
    """Time for a job of the classification experiment, with room to spare.

    A group asks for the sum of its jobs, so that one of many needs less room of its own.
    """
    room = GROUPED_MINUTES if batch(wildcards) else 5
    return (room + int(5 * predicted_seconds(wildcards) / 60)) * 2 ** (attempt - 1)


def job_megabytes(wildcards, attempt):
    """Memory for a job of the classification experiment, with room to spare.

    The two snakemake processes that start a job on a cluster count as the job's: 170 MB each.
    """
    runs = plays(wildcards.bandit, wildcards.part)
    need = cost.megabytes(wildcards.bandit, *size_of(ROWS[wildcards.dataset]), runs)
    return int(1.5 * need + 400) * 2 ** (attempt - 1)


def seconds_of(dataset):
    """How long each bandit takes to play a dataset in the default run."""
    size = size_of(ROWS[dataset])
    return [cost.seconds(bandit, *size, plays(bandit)) for bandit in BANDITS]


def batch(wildcards):
    """The group of a dataset's jobs on a cluster, where one cluster job does those of several small datasets."""
    return "small" if sum(seconds_of(wildcards.dataset)) < SMALL else None


def urgency(wildcards):
    """The priority of fetching and encoding a dataset: that of its longest job, which can't start before."""
    return EARLY + max(seconds_of(wildcards.dataset))


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


def own_class(bandit):
    """Where the class of one's own bandit is, among the options of a job; of other bandits nothing."""
    path = config["own_bandits"].get(bandit)
    return {"class": path} if path else {}


def classification_options(wildcards):
    """All that a job's result depends on, besides the dataset and the code."""
    bandit = wildcards.bandit
    options = {
        "seed": config["seed"],
        "shuffles": config["shuffles"],
        "repeats": REPEATS[bandit],
        "choices": choices("classification"),
        "readings": readings_of(bandit, READINGS[wildcards.part]),
        "grid": config["bandits"][bandit],
        **own_class(bandit),
    }
    return json.dumps(options, sort_keys=True)


def classification_jobs(part):
    """The results that the tables of a part are made of, with DATASET for the dataset's name."""
    jobs = [f"{RESULTS}/runs/DATASET/{bandit}.npz" for bandit in BANDITS]
    if part:
        jobs += [
            f"{RESULTS}{part}/runs/DATASET/{bandit}.npz"
            for bandit in BANDITS
            if bandit in WITH_VARIANCE
        ]
    return jobs


def classification_runs(wildcards):
    """The results that the tables of a part are made of."""
    jobs = classification_jobs(wildcards.part)
    return [job.replace("DATASET", name) for name in ROWS for job in jobs]


def datasets_shown(wildcards, input):
    """Which datasets the figures of a part show, for their captions; it can be said once they are collected."""
    return datasets_in_words(Path(input.datasets))


def admitted():
    """What holds up the tables if a dataset can't be played, with `strict`; no run is made stale by it."""
    return rules.admit.output if config["strict"] else []


def readings_shown(part):
    """The readings in the tables and figures of a part: those of the default run are shown beside further ones."""
    return list(dict.fromkeys(READINGS[""] + READINGS[part]))


def comparison(wildcards):
    """What the comparison depends on, besides the runs."""
    options = {
        "seed": config["seed"],
        "bandits": BANDITS,
        "readings": readings_shown(wildcards.part),
        "runs": config["classification"]["runs"],
    }
    return json.dumps(options, sort_keys=True)


def synthetic_options(bandit, simulations, chosen):
    """All that a job's result depends on, besides the code."""
    options = {
        "seed": config["seed"],
        "simulations": simulations,
        "horizon": config["synthetic"]["horizon"],
        "choices": chosen,
        "grid": config["synthetic"]["bandits"][bandit],
        **own_class(bandit),
    }
    return json.dumps(options, sort_keys=True)


def synthetic_minutes(bandit, simulations):
    """Time to play the synthetic example, with room to spare."""
    steps = simulations * config["synthetic"]["horizon"]
    return 5 + steps * grid_size(config["synthetic"]["bandits"][bandit]) // 10**6


def synthetic_seconds(wildcards):
    """How long a bandit takes with the synthetic example, roughly; long jobs start first."""
    steps = config["synthetic"]["simulations"] * config["synthetic"]["horizon"]
    settings = grid_size(config["synthetic"]["bandits"][wildcards.bandit])
    return cost.START_UP + 6e-6 * steps * settings


def criteria():
    """What counts as having found the optimum of the synthetic example."""
    named = {key: config["synthetic"][key] for key in ("criterion", "alternatives")}
    return json.dumps(named, sort_keys=True)


def run_of(played, specification, bandit):
    """The result of a bandit in a cell of the sensitivity atlas; the default one is that of the example itself."""
    if played == CELLS[0]:
        return f"results/synthetic/{specification}/{bandit}.npz"
    return f"results/sensitivity/runs/{played.folder}/{specification}/{bandit}.npz"


def atlas_cells():
    """The cells of the sensitivity atlas with their results; what differs for other bandits only is played once."""
    played = {bandit: distinct(CELLS, bandit) for bandit in SYNTHETIC_BANDITS}
    return [
        {
            "name": cell.name,
            "varied": cell.varied,
            "levels": cell.levels,
            "runs": {
                specification: {
                    bandit: run_of(played[bandit][cell.name], specification, bandit)
                    for bandit in SYNTHETIC_BANDITS
                }
                for specification in ("well", "mis")
            },
        }
        for cell in CELLS
    ]


def atlas_runs():
    """The results that the sensitivity atlas is made of, each once."""
    by_specification = [
        runs for cell in atlas_cells() for runs in cell["runs"].values()
    ]
    return sorted({path for runs in by_specification for path in runs.values()})


def drawings(stem, caption, category):
    """The files of a figure, one a format; of these the report shows one, with a caption of workflow/report."""
    paths = {name: f"figures/{stem}.{name}" for name in config["figures"]["formats"]}
    shown = next(name for name in ("png", "svg", "pdf") if name in paths)
    about = {"caption": f"../report/{caption}.rst", "category": category}
    paths[shown] = report(paths[shown], **about)
    return list(paths.values())


def comparison_drawings(part):
    """The figures of a part of the classification experiment."""
    shown = {"part": part, "reading": readings_shown(part), "protocol": PROTOCOLS}
    figures = (
        rules.draw_pairwise,
        rules.draw_claims,
        rules.draw_strata,
        rules.draw_standings,
    )
    return [path for figure in figures for path in expand(figure.output, **shown)]


def predicted_left():
    """Seconds that the jobs of this run still need on one core, roughly; how they compare is what counts."""
    return sum(predicted_of(job) for job in workflow.dag.needrun_jobs())


def predicted_of(job):
    """Seconds that a job needs on one core, roughly."""
    if job.rule.name == "simulate_classification":
        return predicted_seconds(job.wildcards)
    if job.rule.name == "simulate_synthetic":
        return synthetic_seconds(job.wildcards)
    return cost.START_UP


def shown(stem):
    """The file of a figure that a page can show, if it is drawn in such a format."""
    formats = config["figures"]["formats"]
    ending = next(name for name in ("png", "svg", "pdf") if name in formats)
    return f"figures/{stem}.{ending}"


def drawing(section, stem, caption, title, **wildcards):
    """A figure of the page, as scripts/report.py wants it."""
    return {
        "file": shown(stem),
        "caption": str(HOME / f"workflow/report/{caption}.rst"),
        "wildcards": wildcards,
        "title": title,
        "section": section,
    }


def page_drawings():
    """The figures of the page in their order, but for the atlas, which is not part of a run."""
    drawings = [
        drawing("synthetic", "synthetic/surfaces", "surfaces", "Figure 1"),
        drawing(
            "synthetic",
            "synthetic/evolution_well",
            "evolution",
            "Figure 2",
            specification="well",
        ),
        drawing(
            "synthetic",
            "synthetic/evolution_mis",
            "evolution",
            "Figure 3",
            specification="mis",
        ),
        drawing("synthetic", "synthetic/curves", "curves", "Curves"),
        drawing("synthetic", "synthetic/settings", "settings", "Every setting"),
        drawing("synthetic", "synthetic/criteria", "criteria", "Every criterion"),
        drawing("classification", f"{SUITE}/claims", "claims", "The claims", part=""),
    ]
    for reading in READINGS[""]:
        for protocol in PROTOCOLS:
            drawings.append(
                drawing(
                    "classification",
                    f"{SUITE}/pairwise_{reading}_{protocol}",
                    "pairwise",
                    f"Figure 4: variance {reading}, protocol {protocol}",
                    part="",
                    reading=reading,
                    protocol=protocol,
                )
            )
        for name, title in {
            "wins": "Wins and losses",
            "ranks": "Critical-difference diagram",
            "profiles": "Performance profiles",
            "regrets": "Mean regret by size of datasets",
            "strata": "The claims by size of datasets",
        }.items():
            drawings.append(
                drawing(
                    "classification",
                    f"{SUITE}/{name}_{reading}",
                    name,
                    f"{title}: variance {reading}",
                    part="",
                    reading=reading,
                )
            )
    return drawings


def atlas_drawing():
    """The sensitivity atlas, if it was drawn. It is no input: its runs take long, and the report does not ask for them."""
    atlas = drawing(
        "sensitivity", "sensitivity/atlas", "atlas", "The sensitivity atlas"
    )
    return [atlas] if Path(atlas["file"]).exists() else []


onstart:
    start_jobs_without_limit(workflow)
    try:
        hold_folder(Path(".snakemake"))
    except InputError as error:
        raise WorkflowError(str(error)) from None
    if sys.stderr.isatty():
        logging.getLogger("snakemake.logging").addHandler(TimeLeft(predicted_left))
    logging.getLogger("snakemake.logging").addHandler(FAILURES)


onsuccess:
    if FAILURES.outputs:
        print(FAILURES.report())
