"""Let the bandits of one universe of the multiverse play a batch of datasets.

Input: the encoded datasets and the bandits with their options. Output: an npz with the regrets of all runs.
"""

import argparse
import json
import time
from pathlib import Path

from balanced_bandits.core.command_line import guarded, keep_memory
from balanced_bandits.core.kernels import load_blas
from balanced_bandits.simulation.batch import play_batch


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", required=True, nargs="+", type=Path)
    parser.add_argument("--players", required=True, type=json.loads, help="classes and options of the bandits, as JSON")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    keep_memory()
    if all(player["class"].startswith("balanced_bandits.") for player in arguments.players.values()):
        load_blas()
    play_batch(arguments.datasets, arguments.players, arguments.output)
    print(f"used {time.process_time():.3f} CPU seconds")


if __name__ == "__main__":
    guarded(main)
