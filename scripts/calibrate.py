"""Count how often tests see a difference between two copies of one bandit.

Input: the results of the jobs with copies, and the suite. Output: rejection rates by test, protocol and bandit (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.classification.calibration import calibration
from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.streams import stream
from balanced_bandits.core.tables import write_table
from balanced_bandits.datasets.families import family_of
from balanced_bandits.datasets.suite import chosen, read_suite


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", required=True, type=Path, help="path of the suite")
    parser.add_argument("--datasets", required=True, nargs="*", help="those of its datasets that were played")
    parser.add_argument("--jobs", required=True, nargs="*", help="such as results/DATASET/LinTS.npz")
    parser.add_argument("--seed", required=True, type=int)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    if not arguments.datasets or not arguments.jobs:
        raise InputError("there is nothing to calibrate with: calibration.dataset_seconds leaves out every dataset, or "
                         "none of calibration.bandits plays.")  # fmt: skip
    rows = chosen(read_suite(arguments.suite), arguments.datasets, arguments.suite)
    families = {name: family_of(name, row.family) for name, row in rows.items()}
    found = collect([Path(job.replace("DATASET", name)) for name in families for job in arguments.jobs], families)
    sizes = dict(zip(found.datasets["name"], found.datasets["n"], strict=True))
    rng = stream(arguments.seed, "classification", "calibration")
    write_table(arguments.output, calibration(found.runs, families, sizes, rng))


if __name__ == "__main__":
    guarded(main)
