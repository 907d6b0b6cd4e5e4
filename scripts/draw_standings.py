"""Draw how the bandits stand over all datasets, for one reading of the variance.

Input: the tables of ranks, profiles, mean regrets and counts (CSV). Output: the critical-difference diagram,
performance profiles, mean regrets by the size of datasets, and the matrix of wins; each in the format of
each output's ending.
"""

import argparse
from pathlib import Path

import pandas as pd

from balanced_bandits.commands import guarded
from balanced_bandits.figures import profiles, ranks, regrets, wins
from balanced_bandits.figures.style import save


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("ranks", "profiles", "regrets", "counts"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--bandits", required=True, nargs="+")
    parser.add_argument("--reading", required=True)
    for name in ("ranks", "profiles", "regrets", "wins"):
        parser.add_argument(f"--{name}-outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    reading = arguments.reading
    save(ranks.draw(pd.read_csv(arguments.ranks, dtype={"groups": str}), reading), arguments.ranks_outputs)
    save(profiles.draw(pd.read_csv(arguments.profiles), reading), arguments.profiles_outputs)
    save(regrets.draw(pd.read_csv(arguments.regrets), reading), arguments.regrets_outputs)
    save(wins.draw(pd.read_csv(arguments.counts), arguments.bandits, reading), arguments.wins_outputs)


if __name__ == "__main__":
    guarded(main)
