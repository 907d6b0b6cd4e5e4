"""Let one bandit play the synthetic example.

Input: the specification of its models, options and the optima. Output: an npz with the agreement of its policy with
each optimum over the rounds.

It imports only NumPy and the part of Numba that runs compiled code, since imports add to the time of every job.
"""

import argparse
import json
from pathlib import Path

from balanced_bandits.core.command_line import guarded, keep_memory
from balanced_bandits.core.kernels import load_blas
from balanced_bandits.simulation.synthetic import play


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specification", required=True, choices=["well", "mis"])
    parser.add_argument("--bandit", required=True, help="its name in results and in random streams")
    parser.add_argument("--class", required=True, dest="import_path", help="import path of its class, MODULE:CLASS")
    parser.add_argument("--options", required=True, type=json.loads, help="seed, grid, choices and sizes, as JSON")
    parser.add_argument("--optima", required=True, type=Path)
    parser.add_argument("--output", required=True, type=Path)
    arguments = parser.parse_args()
    keep_memory()
    if arguments.import_path.startswith("balanced_bandits."):  # a bandit from elsewhere may need all of scipy.linalg
        load_blas()
    play(
        arguments.specification,
        arguments.bandit,
        arguments.import_path,
        arguments.options,
        arguments.optima,
        arguments.output,
    )


if __name__ == "__main__":
    guarded(main)
