"""One job of the classification experiment: a bandit plays a dataset, all readings, settings, repeats and shuffles."""

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits import bandit_class
from balanced_bandits.environments.classification import rewards_of, shuffled
from balanced_bandits.errors import InputError
from balanced_bandits.files import read_arrays, write_arrays
from balanced_bandits.simulation.settings import name_of, settings_of
from balanced_bandits.simulation.streams import stream

ROUNDS_PER_DECADE = 10


def play(dataset: Path, bandit: str, options: dict[str, Any], output: Path) -> None:
    """Play a dataset; writes which rounds were right, the regret as rounds go by, and how often each arm was played.

    A run is a reading of the variance, a setting, a repeat and a shuffle. All runs of a shuffle meet the rows in the
    same order. Repeats differ in the bandit's own random numbers; readings do not. Repeat 0 does not depend on how
    many there are.

    Arrays: ``correct`` (readings, settings, repeats, shuffles, bytes), packed bits; ``rounds`` (checks,), evenly spaced
    in the logarithm; ``curve`` (readings, settings, repeats, shuffles, checks), the number of wrong rounds by then;
    ``pulls`` and ``penalties`` (readings, settings, repeats, shuffles, K), each arm's lambda at the end; ``clipped``
    (readings, settings, repeats, shuffles), the share of rounds whose propensity is below gamma. The latter two are NaN
    for bandits without. A dataset that was rejected gives a record with the reason and no arrays.
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
        raise InputError(f"{dataset} holds contexts that are not finite; delete it and run again.")
    arms = int(record["K"])
    rewards = rewards_of(y, arms)
    rounds = spaced_rounds(len(y))
    shape = (len(readings), len(settings), options["repeats"], options["shuffles"])
    correct = np.empty((*shape, (len(y) + 7) // 8), dtype=np.uint8)
    curve = np.empty((*shape, len(rounds)), dtype=np.int32)
    pulls = np.empty((*shape, arms), dtype=np.int32)
    penalties, clipped = np.empty((*shape, arms)), np.empty(shape)
    seconds = np.zeros(shape)
    named = list(itertools.product(readings.values(), settings, range(options["repeats"])))
    choices = [options["choices"] | reading | setting for reading, setting, _ in named]
    cls = bandit_class(options.get("class", bandit))  # one's own has its import path there
    name = options["seed"], "classification", record["name"], bandit
    for shuffle in range(options["shuffles"]):
        order = shuffled(len(y), options["seed"], record["name"], shuffle)
        streams = [stream(*name, name_of(setting), shuffle, *((repeat,) if repeat else ()))
                   for _, setting, repeat in named]  # fmt: skip
        runs = cls.play(choices, X, rewards, order, streams)
        for run in np.ndindex(shape[:3]):
            start = time.perf_counter()
            chosen, _, penalties[(*run, shuffle)], clipped[(*run, shuffle)] = next(runs)
            seconds[(*run, shuffle)] = time.perf_counter() - start
            right = chosen == y[order]
            correct[(*run, shuffle)] = np.packbits(right)
            curve[(*run, shuffle)] = np.cumsum(~right)[rounds - 1]
            pulls[(*run, shuffle)] = np.bincount(chosen, minlength=arms)
    # To the log and not into the results, which are the same whenever they are made.
    for (i, reading), (j, setting) in itertools.product(enumerate(readings), enumerate(settings)):
        each = 1e6 * seconds[i, j].mean() / len(y)
        print(f"{bandit} {record['name']} {reading} {name_of(setting)}: {each:.2f} microseconds a step")
    print(f"played for {seconds.sum():.3f} seconds")
    write_arrays(
        output, result, correct=correct, rounds=rounds, curve=curve, pulls=pulls, penalties=penalties, clipped=clipped
    )


def spaced_rounds(n: int) -> NDArray[np.int64]:
    """Rounds at which the regret so far is kept, from 1 to n, evenly spaced in the logarithm.

    >>> spaced_rounds(10).tolist()
    [1, 2, 3, 4, 5, 6, 8, 10]
    """
    count = 1 + int(np.ceil(ROUNDS_PER_DECADE * np.log10(n)))
    return np.unique(np.geomspace(1, n, count).round().astype(np.int64))
