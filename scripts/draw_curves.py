"""Draw regret and share of simulations that have found the optimum, as rounds go by.

Input: the curves and Table 1 (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.curves import draw
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curves", required=True, type=Path)
    parser.add_argument("--table", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    figure = draw(
        pd.read_csv(arguments.curves).fillna({"setting": ""}), pd.read_csv(arguments.table).fillna({"setting": ""})
    )
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
