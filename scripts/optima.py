"""Compute the optima of the synthetic example.

Input: none. Output: the best linear predictors, the value-best linear policy and the arms that each of them chooses on
a grid (npz), and the reward surfaces (CSV).
"""

import argparse
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.environments.optima import write_optima


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--surfaces", required=True, type=Path)
    arguments = parser.parse_args()
    write_optima(arguments.optima, arguments.surfaces)


if __name__ == "__main__":
    guarded(main)
