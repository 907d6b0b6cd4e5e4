"""One job of the experiment on datasets: one bandit, one dataset, all readings, settings, copies and shuffles."""

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np

from balanced_bandits.bandits.importing import bandit_at
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.core.settings import name_of, settings_of
from balanced_bandits.core.streams import stream
from balanced_bandits.environments.classification import rewards_of, shuffled, spaced_rounds, standardised_so_far


def run_stream(
    seed: int, dataset: str, bandit: str, setting: dict[str, float], shuffle: int, copy: int = 0
) -> np.random.Generator:
    """The bandit's random stream in one run; the stream of copy 0 does not depend on the number of copies."""
    name = (dataset, bandit, name_of(setting), shuffle)
    return stream(seed, "classification", *name, *((copy,) if copy else ()))


def play(dataset: Path, bandit: str, import_path: str, options: dict[str, Any], output: Path) -> None:
    """Play a dataset; write the regret over time, and how often each arm was played.

    A run is a combination of a reading of the variance, a setting, a copy and a shuffle. All runs of a shuffle see the
    rows in the same order. Copies differ in the bandit's random numbers; readings do not.

    Arrays: ``rounds`` (checks,), evenly spaced on a logarithmic scale; ``curve`` (readings, settings, copies, shuffles,
    checks), the number of wrong rounds so far; ``pulls`` and ``penalties`` (readings, settings, copies, shuffles, K),
    each arm's number of pulls and final lambda; ``clipped`` (readings, settings, copies, shuffles), the share of rounds
    whose propensity is below gamma. ``penalties`` and ``clipped`` are NaN for bandits without them. For a rejected
    dataset, the result is a record with the reason and no arrays.
    """
    record, arrays = read_arrays(dataset)
    settings, readings = settings_of(options["grid"]), options["readings"]
    result: dict[str, Any] = {"bandit": bandit, "readings": list(readings), "settings": settings, "dataset": record,
                              "options": options}  # fmt: skip
    if record["rejected"]:
        write_arrays(output, result)
        return
    X, y = arrays["X"], arrays["y"]
    if not np.isfinite(X).all():
        raise InputError(f"{dataset} contains contexts that are not finite; delete it and run again.")
    arms = int(record["K"])
    rewards = rewards_of(y, arms)
    rounds = spaced_rounds(len(y))
    shape = (len(readings), len(settings), options["copies"], options["shuffles"])
    curve = np.empty((*shape, len(rounds)), dtype=np.int32)
    pulls = np.empty((*shape, arms), dtype=np.int32)
    penalties, clipped = np.empty((*shape, arms)), np.empty(shape)
    seconds = np.zeros(shape)
    named = list(itertools.product(readings.values(), settings, range(options["copies"])))
    choices = [options["choices"] | reading | setting for reading, setting, _ in named]
    running = record["encoding"]["standardise"] == "running"
    cls = bandit_at(import_path)
    for shuffle in range(options["shuffles"]):
        order = shuffled(len(y), options["seed"], record["name"], shuffle)
        streams = [run_stream(options["seed"], record["name"], bandit, setting, shuffle, copy)
                   for _, setting, copy in named]  # fmt: skip
        if running:  # contexts depend on the order
            contexts = standardised_so_far(X[order])
            runs = cls.play(choices, contexts, rewards[order], np.arange(len(y)), streams)
        else:
            runs = cls.play(choices, X, rewards, order, streams)
        for run in np.ndindex(shape[:3]):
            start = time.perf_counter()
            chosen, _, penalties[(*run, shuffle)], clipped[(*run, shuffle)] = next(runs)
            seconds[(*run, shuffle)] = time.perf_counter() - start
            curve[(*run, shuffle)] = np.cumsum(chosen != y[order])[rounds - 1]
            pulls[(*run, shuffle)] = np.bincount(chosen, minlength=arms)
    # Times go to the log and not into the results, which must be reproducible.
    for (i, reading), (j, setting) in itertools.product(enumerate(readings), enumerate(settings)):
        each = 1e6 * seconds[i, j].mean() / len(y)
        print(f"{bandit} {record['name']} {reading} {name_of(setting)}: {each:.2f} microseconds per step")
    print(f"played for {seconds.sum():.3f} seconds")
    write_arrays(output, result, rounds=rounds, curve=curve, pulls=pulls, penalties=penalties, clipped=clipped)
