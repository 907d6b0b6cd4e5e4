"""Let the bandits of one universe of the multiverse play a batch of datasets.

Input: the encoded datasets and the bandits with their options. Output: an npz with the regrets of all runs.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.command_line import guarded, keep_memory
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.core.kernels import load_blas
from balanced_bandits.simulation.classification import play


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


def play_batch(datasets: Iterable[Path], players: Mapping[str, Mapping[str, Any]], output: Path) -> None:
    """Play every dataset with every bandit, as the experiment does, and write the regrets of all runs to one file.

    ``players``: by bandit, the import path of its ``class`` and the ``options`` of its jobs, with one reading and one
    copy. Arrays: ``wrong_I_J`` (settings, shuffles), the number of wrong rounds of bandit J on dataset I, by their
    places in the record; a dataset that was rejected has none.
    """
    known: list[dict[str, Any]] = []
    arrays: dict[str, NDArray[Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, dataset in enumerate(datasets):
            for j, (bandit, player) in enumerate(players.items()):
                result = Path(folder, "result.npz")
                play(dataset, bandit, player["class"], player["options"], result)
                record, found = read_arrays(result)
                if not record["dataset"]["rejected"]:
                    arrays[f"wrong_{i}_{j}"] = np.ascontiguousarray(found["curve"][0, :, 0, :, -1])
            about = read_arrays(dataset)[0]
            known.append({key: about[key] for key in ("name", "n", "d", "K", "rejected")})
    write_arrays(output, {"datasets": known, "players": dict(players)}, **arrays)


if __name__ == "__main__":
    guarded(main)
