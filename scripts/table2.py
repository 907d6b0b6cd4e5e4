"""Make Table 2.

Input: the table of datasets (CSV). Output: the number of datasets of each size, next to that in the paper (CSV,
Markdown, LaTeX).
"""

import argparse
from pathlib import Path

from balanced_bandits.analysis.classification.table2 import table2, to_latex, to_markdown
from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.files import write_text
from balanced_bandits.core.tables import read_table, write_table


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--csv", required=True, type=Path)
    parser.add_argument("--markdown", required=True, type=Path)
    parser.add_argument("--latex", required=True, type=Path)
    arguments = parser.parse_args()
    table = table2(read_table(arguments.datasets))
    write_table(arguments.csv, table)
    write_text(arguments.markdown, to_markdown(table))
    write_text(arguments.latex, to_latex(table))


if __name__ == "__main__":
    guarded(main)
