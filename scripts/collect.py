"""Collect the results of the classification jobs.

Input: the npz files of the jobs. Output: one table of all runs (Parquet), one of the datasets (CSV).
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.collect import collect
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--families", required=True, type=json.loads, help="the family of each dataset by name, as JSON"
    )
    parser.add_argument(
        "--jobs", required=True, nargs="+", help="what DATASET stands in for: results/DATASET/LinTS.npz"
    )
    parser.add_argument("--runs", required=True, type=Path, help="the table of runs to write")
    parser.add_argument("--accounts", required=True, type=Path, help="the table of datasets to write")
    arguments = parser.parse_args()
    jobs = [Path(job.replace("DATASET", name)) for name in arguments.families for job in arguments.jobs]
    runs, datasets = collect(jobs, arguments.families)
    with whole_file(arguments.runs) as temporary:
        runs.to_parquet(temporary, index=False)
    with whole_file(arguments.accounts) as temporary:
        datasets.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
