"""Draw what every setting of a bandit finds.

Input: the find rates and Table 1 (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.settings import draw
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", required=True, type=Path)
    parser.add_argument("--table", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    figure = draw(
        pd.read_csv(arguments.rates).fillna({"setting": ""}), pd.read_csv(arguments.table).fillna({"setting": ""})
    )
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
