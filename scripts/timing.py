"""Hold the predicted time and memory of each classification job against what it took.

Input: the table of datasets (CSV), and the folder of the jobs' logs and benchmarks (DATASET/BANDIT.log and .tsv).
Output: a row for each job, the slowest first (CSV); the 20 slowest and the totals are printed.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.analysis.timing import report, timing
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument(
        "--plays", required=True, type=json.loads, help="the number of runs in a job of a bandit, as JSON"
    )
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--table", required=True, type=Path)
    arguments = parser.parse_args()
    table = timing(arguments.datasets, arguments.plays, arguments.folder)
    with whole_file(arguments.table) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")
    print(report(table))


if __name__ == "__main__":
    guarded(main)
