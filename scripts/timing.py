"""Compare the predicted with the actual time and memory of each classification job.

Input: the table of datasets (CSV), and the folder with the logs and benchmarks of the jobs (DATASET/BANDIT.log and
.tsv). Output: one row per job, the slowest first (CSV). The 20 slowest jobs and the totals are printed.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.tables import write_table
from balanced_bandits.plan.timing import report, timing


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--plays", required=True, type=json.loads, help="number of runs in a job, by bandit, as JSON")
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--table", required=True, type=Path)
    arguments = parser.parse_args()
    table = timing(arguments.datasets, arguments.plays, arguments.folder)
    write_table(arguments.table, table)
    print(report(table))


if __name__ == "__main__":
    guarded(main)
