"""Let one bandit play one dataset, or one specification of the synthetic example.

Input: an encoded dataset (or the name of a specification) and options. Output: an npz with what was chosen.
Imports NumPy and Numba only, since every job pays for its imports.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.commands import guarded
from balanced_bandits.simulation.play import play_classification, play_synthetic


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--dataset", type=Path)
    what.add_argument("--specification", choices=["well", "mis"])
    parser.add_argument("--bandit", required=True)
    parser.add_argument("--options", required=True, type=json.loads, help="seed, grid, model and sizes, as JSON")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    if arguments.dataset:
        play_classification(arguments.dataset, arguments.bandit, arguments.options, arguments.output)
    else:
        play_synthetic(arguments.specification, arguments.bandit, arguments.options, arguments.output)


if __name__ == "__main__":
    guarded(main)
