"""Compare every claim of the paper about its experiments with the results.

Input: the tables of the synthetic example and of the classification experiment (CSV). Output: the scorecard (CSV) and
the number of claims per verdict (Markdown).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.scorecard import scorecard, summary_in_markdown
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.core.tables import read_table, write_table

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
    tables = {name: read_table(getattr(arguments, name)) for name in TABLES}
    card = scorecard(tables, arguments.suite)
    write_table(arguments.csv, card)
    write_text(arguments.markdown, summary_in_markdown(card))


if __name__ == "__main__":
    guarded(main)
