"""``balanced-bandits run``: let one bandit play one dataset and show its regret."""

import difflib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray

from balanced_bandits.bandits import BANDITS
from balanced_bandits.bandits.importing import bandit_at, check, steps
from balanced_bandits.cli.inspect import table_in
from balanced_bandits.cli.suite import ENDINGS, dataset_name
from balanced_bandits.cli.terminal import Progress, plot
from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.kernels import is_cached
from balanced_bandits.core.settings import name_of
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.formats import READERS
from balanced_bandits.datasets.prepare import Preparation, encoded_table, table_of
from balanced_bandits.datasets.reading import COMPRESSED
from balanced_bandits.datasets.sources.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.datasets.sources.registry import show_progress
from balanced_bandits.datasets.tables import Table
from balanced_bandits.environments.classification import rewards_of, shuffled, standardised_so_far
from balanced_bandits.plan.config import given_config
from balanced_bandits.plan.datasets import ARCHIVES, how_to_prepare
from balanced_bandits.plan.plan import Plan
from balanced_bandits.simulation.classification import run_stream
from balanced_bandits.vocabulary import READINGS


class Dataset(NamedTuple):
    """An encoded dataset."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    classes: list[str]


class Player(NamedTuple):
    """A bandit and its parameters."""

    name: str
    path: str  # import path of its class
    setting: dict[str, float]  # the parameters that have a grid in the pipeline
    choices: dict[str, Any]


def run(
    dataset: str,
    bandit: str,
    alpha: float | None,
    gamma: float | None,
    reading: str | None,
    choices: list[str],
    seed: int | None,
    shuffles: int | None,
    suite: str | None,
    target: str | None,
    drop: list[str],
    binarise: str,
) -> None:
    """Play and print the results; with the same choices, the regret is the same as in the pipeline."""
    asked = {"seed": seed, "shuffles": shuffles, "suite": suite}
    plan = Plan(given_config() | {key: value for key, value in asked.items() if value is not None})
    root, times = plan.config["seed"], plan.config["shuffles"]
    given = {"alpha": alpha, "gamma": gamma} | _assignments(choices)
    given = {name: value for name, value in given.items() if value is not None}
    player = _player(bandit, given, reading, plan)
    if not _is_file(dataset) and (drop or binarise):
        raise InputError("--drop and --binarise are for data files; a suite has columns of these names.")
    data = (_from_file(Path(dataset), target, drop, binarise, plan) if _is_file(dataset)
            else _from_suite(dataset, plan))  # fmt: skip
    n, arms = len(data.y), len(data.classes)
    who = " ".join(filter(None, [player.name, name_of(player.setting)]))
    print(f"{who} plays {data.name}: {n} rounds, {data.X.shape[1]} features, {arms} arms")
    if player.name in BANDITS and not all(is_cached(f"{player.name}.{step}") for step in ("_decide", "_learn")):
        print("compiling it first, which happens once and takes half a minute ...", file=sys.stderr)
    chosen = np.empty((times, n), dtype=np.int64)
    labels = np.empty((times, n), dtype=np.int64)
    rewards = rewards_of(data.y, arms)
    running = plan.config["standardise"] == "running"
    with Progress(times * n, "rounds") as progress:
        for shuffle in range(times):
            order = shuffled(n, root, data.name, shuffle)
            rng = run_stream(root, data.name, player.name, player.setting, shuffle)
            contexts = standardised_so_far(data.X[order]) if running else data.X[order]
            learner = _made(player, rng, arms, contexts.shape[1])
            labels[shuffle] = data.y[order]
            for t, arm in enumerate(steps(learner, contexts, rewards[order], np.arange(n))):
                chosen[shuffle, t] = arm
                progress.report(shuffle * n + t + 1)
                if shuffle == t == 0:
                    started = time.perf_counter()  # compilation is over by now
    seconds = time.perf_counter() - started
    _show(data, chosen, labels, 1e6 * seconds / max(times * n - 1, 1))


def _made(player: Player, rng: np.random.Generator, arms: int, features: int) -> Any:
    try:
        return bandit_at(player.path).with_stream(rng, arms, features, player.choices)
    except (TypeError, ValueError) as error:
        raise InputError(f"{player.name}: {error}") from error


def _assignments(texts: list[str]) -> dict[str, Any]:
    """The values of NAME=VALUE by name, parsed as in config.yaml."""
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            pairs[name] = yaml.safe_load(value)
        except yaml.YAMLError:
            equals = ""
        if not (name.isidentifier() and equals and value):
            raise InputError(f"--set {text}: it must be NAME=VALUE, such as criterion=gcv or 'schedule={{batch: 50}}'.")
    return pairs


def _player(bandit: str, given: dict[str, Any], reading: str | None, plan: Plan) -> Player:
    """The bandit to play, with the choices of the plan unless others are given."""
    own = plan.config["own_bandits"]
    if ":" in bandit:  # an import path; the bandit is named after the class
        name = bandit.rpartition(":")[2]
        own[name] = bandit
        bandit = name
    if bandit not in (*BANDITS, *own):
        near = difflib.get_close_matches(bandit, [*BANDITS, *own], n=1)
        known = f"use {', '.join([*BANDITS, *own])}, or MODULE:CLASS for your own."
        raise InputError(f"there is no bandit {bandit!r}; {f'did you mean {near[0]}?' if near else known}")
    if reading is not None and reading not in READINGS:
        raise InputError(f"--reading is {reading!r}, but must be one of {', '.join(READINGS)}.")
    if reading is not None and not plan.players.uses_variance(bandit):
        raise InputError(f"{bandit} uses no variance; omit --reading.")
    path = plan.players.path(bandit)
    readings = plan.players.readings(bandit, [reading or plan.config["classification"]["readings"][0]])
    choices = plan.players.choices(bandit) | next(iter(readings.values()))
    if bandit in own:
        check(path, given, choices)
        setting = {k: float(v) for k, v in given.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        return Player(bandit, path, setting, choices | given)
    try:
        choices = bandit_at(path).checked(choices | given)
    except (TypeError, ValueError) as error:
        raise InputError(f"{bandit}: {error}") from error
    names = plan.classification.grids.get(bandit, given)
    return Player(bandit, path, {name: choices[name] for name in names if isinstance(choices[name], float)}, choices)


def _is_file(dataset: str) -> bool:
    return dataset.lower().endswith(ENDINGS)


def _from_file(path: Path, target: str | None, drop: list[str], binarise: str, plan: Plan) -> Dataset:
    """The dataset in a data file, with the name that `suite` would give it."""
    if target is None:
        raise InputError(f"{path}: the class column is unknown; name it with --target.")
    how = Preparation(**how_to_prepare(plan.config))
    return _encoded(dataset_name(path.name, set()), table_in(path, target, drop, binarise, how), how)


def _from_suite(name: str, plan: Plan) -> Dataset:
    """A dataset of the suite, fetched unless it is in the cache."""
    rows, path = plan.datasets.rows, plan.datasets.file
    if name not in rows:
        near = difflib.get_close_matches(name, rows, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"see 'balanced-bandits list {plan.config['suite']}'."
        raise InputError(
            f"there is no dataset {name!r} in {path}; {hint} A file name must end in {', '.join(READERS)}"
            f", also with {', '.join(COMPRESSED)}."
        )
    os.environ[SETTINGS_VARIABLE] = json.dumps(plan.config["openml"])
    row, source = rows[name], source_of(rows[name])
    how = Preparation(**how_to_prepare(plan.config))
    show_progress()
    try:
        raw = source.fetch(row, path.parent, ARCHIVES)
        table = table_of(row, raw, how)
    except RejectedError as reason:
        raise InputError(f"dataset {name} is not available: {reason}.") from reason
    return _encoded(name, table, how)


def _encoded(name: str, table: Table, how: Preparation) -> Dataset:
    try:
        encoded = encoded_table(table, name, how, {})
    except RejectedError as reason:
        raise InputError(f"dataset {name} can't be played: {reason}.") from reason
    return Dataset(name, encoded.X, encoded.y, encoded.classes)


def _show(data: Dataset, chosen: NDArray[np.int64], labels: NDArray[np.int64], pace: float) -> None:
    """Print the regret over the rounds and a summary."""
    wrong = chosen != labels
    times, n = wrong.shape
    chance = 1.0 - 1.0 / len(data.classes)
    regrets = wrong.mean(axis=1)
    often = 1.0 - np.bincount(data.y).max() / n
    print(
        "\ncumulative regret: * the bandit"
        + (f" (mean of {times} shuffles)" if times > 1 else "")
        + ", . random arms\n"
    )
    print(plot({"*": wrong.cumsum(axis=1).mean(axis=0), ".": chance * np.arange(1, n + 1)}))
    each = f", from {regrets.min():.4f} to {regrets.max():.4f} over {times} shuffles" if times > 1 else ""
    print(f"\nnormalised regret  {regrets.mean():.4f}{each}")
    print(f"  in the last quarter of the rounds {wrong[:, n - max(n // 4, 1) :].mean():.4f}")
    print(f"  random arms {chance:.4f}, always the most frequent class {often:.4f}")
    pulls = np.bincount(chosen.ravel(), minlength=len(data.classes)) / times
    most = np.argsort(-pulls, kind="stable")[:10]
    arms = ", ".join(f"{data.classes[a]}: {pulls[a]:g}" for a in most)
    print(f"arms played        {arms}{', ...' if len(pulls) > 10 else ''}")
    print(f"pace               {pace:.0f} microseconds per round, one at a time")
