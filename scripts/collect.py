"""Collect the results of the classification jobs.

Input: the npz files of the jobs. Output: one table of all runs (Parquet), one of the datasets (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.collect import collect
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True, type=Path, help="holds DATASET/BANDIT.npz")
    parser.add_argument("--datasets", required=True, nargs="+")
    parser.add_argument("--bandits", required=True, nargs="+")
    parser.add_argument("--runs", required=True, type=Path, help="the table of runs to write")
    parser.add_argument("--accounts", required=True, type=Path, help="the table of datasets to write")
    arguments = parser.parse_args()
    jobs = [
        arguments.folder / dataset / f"{bandit}.npz" for dataset in arguments.datasets for bandit in arguments.bandits
    ]
    runs, datasets = collect(jobs)
    with whole_file(arguments.runs) as temporary:
        runs.to_parquet(temporary, index=False)
    with whole_file(arguments.accounts) as temporary:
        datasets.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
