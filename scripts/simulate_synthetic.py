"""Let one bandit play the synthetic example.

Input: the specification of its models, options, and the optima. Output: an npz with how well its policy agrees with
each optimum as rounds go by.
Imports NumPy and Numba only, since every job pays for its imports.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.simulation.synthetic import play


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specification", required=True, choices=["well", "mis"])
    parser.add_argument("--bandit", required=True)
    parser.add_argument("--options", required=True, type=json.loads, help="seed, grid, regression and sizes, as JSON")
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    play(arguments.specification, arguments.bandit, arguments.options, arguments.optima, arguments.output)


if __name__ == "__main__":
    guarded(main)
