"""One job of the classification experiment: a bandit plays a dataset, all settings and shuffles."""

from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.bandits import bandit_class
from balanced_bandits.environments.classification import rewards_of, shuffled
from balanced_bandits.errors import InputError
from balanced_bandits.files import read_arrays, write_arrays
from balanced_bandits.simulation.settings import name_of, settings_of
from balanced_bandits.simulation.streams import stream


def play(dataset: Path, bandit: str, options: dict[str, Any], output: Path) -> None:
    """Play a dataset; writes which rounds were right (packed bits) and how often each arm was played.

    Arrays: ``correct`` (settings, shuffles, bytes), ``pulls`` (settings, shuffles, K). A dataset that was
    rejected gives a record with the reason and no arrays.
    """
    record, arrays = read_arrays(dataset)
    settings = settings_of(options["grid"])
    result: dict[str, Any] = {"bandit": bandit, "settings": settings, "dataset": record, "options": options}
    if record["rejected"]:
        write_arrays(output, result)
        return
    X, y = arrays["X"], arrays["y"]
    if not np.isfinite(X).all():
        raise InputError(f"{dataset} holds contexts that are not finite; delete it and run again.")
    arms = int(record["K"])
    rewards = rewards_of(y, arms)
    correct = np.empty((len(settings), options["shuffles"], (len(y) + 7) // 8), dtype=np.uint8)
    pulls = np.empty((len(settings), options["shuffles"], arms), dtype=np.int64)
    for shuffle in range(options["shuffles"]):
        order = shuffled(len(y), options["seed"], record["name"], shuffle)
        choices = [options["choices"] | setting for setting in settings]
        name = options["seed"], "classification", record["name"], bandit
        streams = [stream(*name, name_of(setting), shuffle) for setting in settings]
        runs = bandit_class(bandit).play(choices, X, rewards, order, streams)
        for i, (chosen, *_) in enumerate(runs):
            correct[i, shuffle] = np.packbits(chosen == y[order])
            pulls[i, shuffle] = np.bincount(chosen, minlength=arms)
    write_arrays(output, result, correct=correct, pulls=pulls)
