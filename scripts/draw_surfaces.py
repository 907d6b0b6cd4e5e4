"""Draw the reward surfaces of the synthetic example (Figure 1).

Input: the table of the surfaces (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.style import save
from balanced_bandits.figures.surfaces import draw


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--surfaces", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    figure = draw(pd.read_csv(arguments.surfaces))
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
