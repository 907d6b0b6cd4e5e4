"""Collect the results of the classification jobs.

Input: the suite and the npz files of the jobs. Output: a table of all runs (Parquet) and a table of the datasets (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.tables import write_table
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.families import family_of
from balanced_bandits.datasets.suite import add_options, asked_for


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--families", required=True, help="digest of the families at the time of planning")
    parser.add_argument(
        "--jobs", required=True, nargs="+", help="paths with DATASET in place of the name: results/DATASET/LinTS.npz"
    )
    parser.add_argument("--runs", required=True, type=Path, help="the table of runs to write")
    parser.add_argument("--curves", required=True, type=Path, help="the table of regret curves to write")
    parser.add_argument("--accounts", required=True, type=Path, help="the table of datasets to write")
    arguments = parser.parse_args()
    rows = asked_for(arguments)
    families = {name: family_of(name, row.family) for name, row in rows.items()}
    if digest(families) != arguments.families:
        raise InputError(f"{arguments.suite} has changed since this run began; run again.")
    jobs = [Path(job.replace("DATASET", name)) for name in families for job in arguments.jobs]
    found = collect(jobs, families)
    write_table(arguments.runs, found.runs)
    write_table(arguments.curves, found.curves)
    write_table(arguments.accounts, found.datasets)


if __name__ == "__main__":
    guarded(main)
