"""Hold every claim of the paper's computational part against the results.

Input: the tables of the synthetic example and of the classification experiment (CSV). Output: the scorecard (CSV).
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.scorecard import scorecard
from balanced_bandits.commands import guarded
from balanced_bandits.files import whole_file

TABLES = ["table1", "rates", "orderings", "sooner", "claims", "table2"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in TABLES:
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--suite", required=True, help="the suite's name in results/ and figures/")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    tables = {name: pd.read_csv(getattr(arguments, name)) for name in TABLES}
    with whole_file(arguments.output) as temporary:
        scorecard(tables, arguments.suite).to_csv(temporary, index=False, lineterminator="\n")


if __name__ == "__main__":
    guarded(main)
