"""Draw the evolution of the assignment in the synthetic example (Figures 2 and 3).

Input: the first simulation and the optima (npz). Output: the figure, in the format of each output's ending.
"""

import argparse
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.figures.evolution import draw
from balanced_bandits.figures.style import save
from balanced_bandits.files import read_arrays


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specification", required=True, choices=["well", "mis"])
    parser.add_argument("--evolution", required=True, type=Path)
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--outputs", required=True, nargs="+", type=Path)
    arguments = parser.parse_args()
    figure = draw(arguments.specification, read_arrays(arguments.evolution), read_arrays(arguments.optima))
    save(figure, arguments.outputs)


if __name__ == "__main__":
    guarded(main)
