"""Hold every claim of the paper's computational part against the results.

Input: the tables of the synthetic example and of the classification experiment (CSV). Output: the scorecard
(CSV), and how many claims have which verdict (Markdown).
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.scorecard import scorecard, summary_in_markdown
from balanced_bandits.commands import guarded
from balanced_bandits.files import write_text

TABLES = ["table1", "rates", "orderings", "sooner", "claims", "table2"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in TABLES:
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--suite", required=True, help="the suite's name in results/ and figures/")
    parser.add_argument("--csv", required=True, type=Path)
    parser.add_argument("--markdown", required=True, type=Path)
    arguments = parser.parse_args()
    tables = {name: pd.read_csv(getattr(arguments, name)) for name in TABLES}
    card = scorecard(tables, arguments.suite)
    write_text(arguments.csv, card.to_csv(index=False, lineterminator="\n"))
    write_text(arguments.markdown, summary_in_markdown(card))


if __name__ == "__main__":
    guarded(main)
