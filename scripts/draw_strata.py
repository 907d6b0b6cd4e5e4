"""Draw the paper's claims on Figure 4 by the size of datasets, for one reading of the variance.

Input: the table of strata (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.strata import draw
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strata", required=True, type=Path)
    parser.add_argument("--reading", required=True)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    save(draw(pd.read_csv(arguments.strata), arguments.reading), arguments.outputs)


if __name__ == "__main__":
    guarded(main)
