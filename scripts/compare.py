"""Compare the bandits pairwise.

Input: the table of runs (Parquet). Output: a row for each pair of bandits and dataset, and counts for each pair (CSV).
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.compare import compare
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", required=True, type=Path)
    parser.add_argument("--bandits", required=True, nargs="+")
    parser.add_argument("--pairs", required=True, type=Path)
    parser.add_argument("--counts", required=True, type=Path)
    arguments = parser.parse_args()
    pairs, counts = compare(pd.read_parquet(arguments.runs), arguments.bandits)
    for table, path in ((pairs, arguments.pairs), (counts, arguments.counts)):
        with whole_file(path) as temporary:
            table.to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
