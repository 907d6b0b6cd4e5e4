# Shared by all rules: the plan of the run (balanced_bandits/plan), wildcard constraints and hooks.
import json
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.sources.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.plan import cost, provenance
from balanced_bandits.plan import snakemake_internals as internals
from balanced_bandits.plan.catalogue import (
    COMPARISONS,
    FIGURES,
    MULTIVERSE_TABLES,
    SECTIONS,
)
from balanced_bandits.plan.config import with_schedules
from balanced_bandits.plan.datasets import ARCHIVES
from balanced_bandits.plan.failures import FailureTable
from balanced_bandits.plan.plan import Plan, caption
from balanced_bandits.plan.running import TimeLeft, hold_folder, use_this_python
from balanced_bandits.report.captions import datasets_in_words, view_in_words
from balanced_bandits.vocabulary import READINGS

use_this_python(workflow.basedir)

try:
    PLAN = Plan(with_schedules(config, internals.given_on_the_command_line(workflow)))
    PLAN.check()
except InputError as error:
    raise WorkflowError(str(error)) from None

config = PLAN.config
DATASETS, CLASSIFICATION, SYNTHETIC = PLAN.datasets, PLAN.classification, PLAN.synthetic
MULTIVERSE = PLAN.multiverse
SUITE, RESULTS = DATASETS.suite, CLASSIFICATION.results
CONDA = str(Path(workflow.basedir) / "envs/conda.yaml")
# The search for readings: the readings of a rung, and their scores.
READINGS_OF_RUNG = "results/readings/rung_{rung}/chosen.csv"
PART_OF_RUNG = "results/readings/rung_{rung}/part_{part}.csv"
FAILURES = FailureTable(Path("logs/failed_attempts.csv"))
# In the environment instead of the parameters of jobs: the data do not depend on how they are fetched.
os.environ[SETTINGS_VARIABLE] = json.dumps(config["openml"])


wildcard_constraints:
    dataset="|".join(re.escape(name) for name in DATASETS.rows),
    bandit="|".join(dict.fromkeys(CLASSIFICATION.bandits + SYNTHETIC.bandits)),
    specification="|".join(SYNTHETIC.specifications),
    reading="|".join(READINGS),
    protocol="|".join(CLASSIFICATION.protocols),
    cell="|".join(re.escape(cell.folder) for cell in SYNTHETIC.cells),
    experiment=f"{re.escape(SUITE)}|synthetic|sensitivity|readings",
    rung=r"\d+",
    part=r"\d+",
    universe="|".join(re.escape(folder) for folder in MULTIVERSE.folders),
    batch="[1-9][0-9]*",
    preparation="|".join(map(re.escape, MULTIVERSE.preparations)) or "none",
    claim="|".join(MULTIVERSE.claim_names) or "none",


def relative(files):
    """Paths relative to the working folder."""
    return [os.path.relpath(file) for file in files]


def script(name, *modules):
    """A script and all source files that it uses, including those of modules that it imports by name."""
    path = Path(workflow.basedir) / "scripts" / name
    modules = map(provenance.module_path, modules)
    return relative(
        [path, *(file for file in provenance.sources(path, *modules) if file != path)]
    )


def megabytes(number):
    """Memory that a job requests; it doubles with each attempt."""
    return lambda wildcards, attempt: number * 2 ** (attempt - 1)


def minutes(number):
    """Time that a job requests; it grows with each attempt."""
    return lambda wildcards, attempt: number * attempt


def group_of(wildcards):
    """The group of a dataset's jobs: a cluster job may run those of several small datasets."""
    return "small" if CLASSIFICATION.is_small(wildcards.dataset) else None


def predicted_seconds(job):
    """The approximate duration of a job on one core, in seconds."""
    if job.rule.name == "simulate_classification":
        return CLASSIFICATION.seconds(job.wildcards.dataset, job.wildcards.bandit)
    if job.rule.name == "simulate_calibration":
        return PLAN.calibration.seconds(job.wildcards.dataset, job.wildcards.bandit)
    if job.rule.name == "simulate_universe":
        return MULTIVERSE.job_seconds(job.wildcards.universe, job.wildcards.batch)
    if job.rule.name == "simulate_synthetic":
        return SYNTHETIC.seconds(job.wildcards.bandit)
    if job.rule.name == "play_readings":
        return cost.START_UP + PLAN.readings.budget / PLAN.readings.parts
    return cost.START_UP


def parts_of_rung(rung):
    """The tables of all parts of a rung."""
    return expand(PART_OF_RUNG, rung=rung, part=range(PLAN.readings.parts))


def drawings(figure):
    """The files of a figure, one per format; Snakemake's own report shows one of them with its caption."""
    files = PLAN.files(figure)
    shown = PLAN.shown_format()
    about = {"caption": caption(figure), "category": SECTIONS[figure.section]}
    return list((files | {shown: report(files[shown], **about)}).values())


def drawing_options(figure):
    """The arguments of a figure apart from its tables, as JSON: the values of its wildcards and options of the plan."""
    fixed = json.loads(PLAN.drawing_options(figure))
    return lambda wildcards: json.dumps(
        fixed | {name: wildcards[name] for name in figure.by}
    )


def datasets_shown(figure):
    """The datasets that a figure shows, for its caption; they are known once the runs are collected."""
    if figure.section != "classification":
        return ""
    return lambda wildcards, input: datasets_in_words(Path(input.datasets))


onstart:
    internals.lift_limit_on_job_starts(workflow)
    try:
        hold_folder(Path(".snakemake"))
    except InputError as error:
        raise WorkflowError(str(error)) from None
    if sys.stderr.isatty():
        internals.listen(
            TimeLeft(
                lambda: sum(map(predicted_seconds, internals.jobs_to_run(workflow)))
            )
        )
    internals.listen(FAILURES)


onsuccess:
    if FAILURES.outputs:
        print(FAILURES.report())
