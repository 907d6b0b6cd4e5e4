"""Collect the results of the classification jobs.

Input: the suite, the npz files of the jobs. Output: one table of all runs (Parquet), one of the datasets (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.collect import collect
from balanced_bandits.analysis.families import family_of
from balanced_bandits.commands import guarded
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.suite import add_options, asked_for
from balanced_bandits.errors import InputError
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--families", required=True, help="digest of the families that the run was planned with")
    parser.add_argument(
        "--jobs", required=True, nargs="+", help="what DATASET stands in for: results/DATASET/LinTS.npz"
    )
    parser.add_argument("--runs", required=True, type=Path, help="the table of runs to write")
    parser.add_argument("--accounts", required=True, type=Path, help="the table of datasets to write")
    arguments = parser.parse_args()
    rows = asked_for(arguments)
    families = {name: family_of(name, row.family) for name, row in rows.items()}
    if digest(families) != arguments.families:
        raise InputError(f"{arguments.suite} was changed after this run began; run again.")
    jobs = [Path(job.replace("DATASET", name)) for name in families for job in arguments.jobs]
    runs, datasets = collect(jobs, families)
    with whole_file(arguments.runs) as temporary:
        runs.to_parquet(temporary, index=False)
    with whole_file(arguments.accounts) as temporary:
        datasets.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
