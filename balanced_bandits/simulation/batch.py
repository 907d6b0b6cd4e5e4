"""One job of the multiverse: the bandits of one universe on a batch of datasets."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.simulation.classification import play


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
