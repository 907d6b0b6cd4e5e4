"""Make Table 2.

Input: the table of datasets (CSV). Output: the number of datasets of each size, beside the paper's (CSV, Markdown,
LaTeX).
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.analysis.table2 import table2, to_latex, to_markdown
from balanced_bandits.commands import guarded
from balanced_bandits.files import write_text


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--csv", required=True, type=Path)
    parser.add_argument("--markdown", required=True, type=Path)
    parser.add_argument("--latex", required=True, type=Path)
    arguments = parser.parse_args()
    table = table2(pd.read_csv(arguments.datasets, keep_default_na=False))
    write_text(arguments.csv, table.to_csv(index=False, lineterminator="\n"))
    write_text(arguments.markdown, to_markdown(table))
    write_text(arguments.latex, to_latex(table))


if __name__ == "__main__":
    guarded(main)
