"""Let one bandit play one dataset.

Input: the encoded dataset and options. Output: an npz with the rounds in which it was right.

It imports only NumPy and the part of Numba that runs compiled code, since imports add to the time of every job.
"""

import argparse
import json
import time
from pathlib import Path

from balanced_bandits.core.command_line import guarded, keep_memory
from balanced_bandits.core.kernels import load_blas
from balanced_bandits.simulation.classification import play


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", required=True, type=Path)
    parser.add_argument("--bandit", required=True, help="its name in results and in random streams")
    parser.add_argument("--class", required=True, dest="import_path", help="import path of its class, MODULE:CLASS")
    parser.add_argument("--options", required=True, type=json.loads, help="seed, grid, choices and sizes, as JSON")
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    keep_memory()
    if arguments.import_path.startswith("balanced_bandits."):  # a bandit from elsewhere may need all of scipy.linalg
        load_blas()
    play(arguments.dataset, arguments.bandit, arguments.import_path, arguments.options, arguments.output)
    print(f"used {time.process_time():.3f} CPU seconds")  # Snakemake's benchmarks miss up to half a second


if __name__ == "__main__":
    guarded(main)
