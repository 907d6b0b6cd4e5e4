"""Draw the pairwise grid (Figure 4) of one reading of the variance and one tuning protocol.

Input: the tables of pairs, counts and datasets (CSV). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures.pairwise import Shown, draw
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", required=True, type=Path)
    parser.add_argument("--counts", required=True, type=Path)
    parser.add_argument("--datasets", required=True, type=Path)
    parser.add_argument("--bandits", required=True, nargs="+")
    parser.add_argument("--reading", required=True)
    parser.add_argument("--protocol", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--runs", required=True, type=int, help="the number of runs of the protocol matched")
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    datasets = pd.read_csv(arguments.datasets, dtype={"name": str})
    gone = datasets.dropna(subset="left_out")
    left_out = dict(zip(gone["name"], gone["left_out"], strict=True))
    capped = int(datasets.filter(like="_capped_from").notna().any(axis=1).sum())
    shown = Shown(arguments.reading, arguments.protocol, arguments.test, arguments.runs)
    pairs, counts = pd.read_csv(arguments.pairs), pd.read_csv(arguments.counts)
    figure = draw(pairs, counts, arguments.bandits, shown, left_out, capped)
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
