"""Let one bandit play one dataset.

Input: the encoded dataset, and options. Output: an npz with the rounds that were right.
Imports NumPy and Numba only, since every job pays for its imports.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.simulation.classification import play


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", required=True, type=Path)
    parser.add_argument("--bandit", required=True)
    parser.add_argument("--options", required=True, type=json.loads, help="seed, grid, regression and sizes, as JSON")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    play(arguments.dataset, arguments.bandit, arguments.options, arguments.output)


if __name__ == "__main__":
    guarded(main)
