"""Draw the sensitivity atlas.

Input: the percentages and the orderings of every cell (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.atlas import draw
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atlas", required=True, type=Path)
    parser.add_argument("--orderings", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    figure = draw(pd.read_csv(arguments.atlas), pd.read_csv(arguments.orderings))
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
