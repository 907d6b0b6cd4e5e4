"""``balanced-bandits run``: one bandit plays one dataset, before one's eyes."""

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

from balanced_bandits.bandits import MODULES, bandit_class, own
from balanced_bandits.cli.configuration import CACHE, SCHEMA, configuration, suite_path
from balanced_bandits.cli.suite import ENDINGS, dataset_name
from balanced_bandits.cli.terminal import Progress, plot
from balanced_bandits.compilation import is_kept
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.caps import Caps, capped
from balanced_bandits.datasets.encoding import encode
from balanced_bandits.datasets.formats import READERS, read_table
from balanced_bandits.datasets.openml_settings import SETTINGS_VARIABLE
from balanced_bandits.datasets.suite import read_suite
from balanced_bandits.environments.classification import rewards_of, shuffled
from balanced_bandits.errors import InputError, RejectedError
from balanced_bandits.simulation.readings import READINGS, WITH_VARIANCE, readings_of
from balanced_bandits.simulation.settings import name_of
from balanced_bandits.simulation.streams import stream


class Dataset(NamedTuple):
    """What is played."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    classes: list[str]


class Player(NamedTuple):
    """Who plays it."""

    name: str
    path: str  # what `bandit_class` takes
    setting: dict[str, float]  # the parameters that the pipeline has a grid of
    choices: dict[str, Any]


def run(
    dataset: str,
    bandit: str,
    alpha: float | None,
    gamma: float | None,
    variance: str | None,
    choices: list[str],
    seed: int | None,
    shuffles: int | None,
    suite: str | None,
    target: str | None,
) -> None:
    """Play and print; the regret that this ends with is that of the pipeline, for the same choices."""
    config = configuration()
    root, times = config["seed"] if seed is None else seed, config["shuffles"] if shuffles is None else shuffles
    if root < 0 or times < 1:
        raise InputError(f"seed is {root} and shuffles is {times}, but must be whole numbers from 0 and from 1.")
    config["seed"] = root
    given = {"alpha": alpha, "gamma": gamma} | _assignments(choices)
    given = {name: value for name, value in given.items() if value is not None}
    player = _player(bandit, given, variance, config)
    data = _from_file(Path(dataset), target, config) if _is_file(dataset) else _from_suite(dataset, suite, config)
    n, arms = len(data.y), len(data.classes)
    who = " ".join(filter(None, [player.name, name_of(player.setting)]))
    print(f"{who} plays {data.name}: {n} rounds, {data.X.shape[1]} features, {arms} arms")
    if player.name in MODULES and not (is_kept(f"{player.name}._decide") and is_kept(f"{player.name}._learn")):
        print("compiling it first, which takes half a minute and is done once ...", file=sys.stderr)
    chosen = np.empty((times, n), dtype=np.int64)
    labels = np.empty((times, n), dtype=np.int64)
    rewards = rewards_of(data.y, arms)
    with Progress(times * n, "rounds") as progress:
        for shuffle in range(times):
            order = shuffled(n, root, data.name, shuffle)
            rng = stream(root, "classification", data.name, player.name, name_of(player.setting), shuffle)
            learner = _made(player, rng, arms, data.X.shape[1])
            labels[shuffle] = data.y[order]
            for t, arm in enumerate(own.steps(learner, data.X, rewards, order)):
                chosen[shuffle, t] = arm
                progress.report(shuffle * n + t + 1)
                if shuffle == t == 0:
                    started = time.perf_counter()  # what is compiled is compiled by now
    seconds = time.perf_counter() - started
    _show(data, chosen, labels, 1e6 * seconds / max(times * n - 1, 1))


def _made(player: Player, rng: np.random.Generator, arms: int, features: int) -> Any:
    try:
        return bandit_class(player.path).with_stream(rng, arms, features, player.choices)
    except ValueError as error:
        raise InputError(f"{player.name}: {error}") from error


def _assignments(texts: list[str]) -> dict[str, Any]:
    """NAME=VALUE by name, the values as config.yaml would have them."""
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


def _player(bandit: str, given: dict[str, Any], variance: str | None, config: dict[str, Any]) -> Player:
    """Who plays, with the choices of the configuration where none are given."""
    if variance is not None and variance not in READINGS:
        raise InputError(f"--variance is {variance!r}, but must be one of {', '.join(READINGS)}.")
    if variance is not None and bandit in (*MODULES, *config["own_bandits"]) and bandit not in WITH_VARIANCE:
        raise InputError(f"{bandit} has no readings of the variance; leave --variance out.")
    shared = config["ridge"] | config["balancing"] | {"schedule": config["schedule"]}
    path = config["own_bandits"].get(bandit, bandit)
    if ":" in path:
        numbers = {k: float(v) for k, v in given.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        own.check(path, given, shared)
        return Player(bandit.rpartition(":")[2], path, numbers, shared | given)
    if bandit not in MODULES:
        known = [*MODULES, *config["own_bandits"]]
        near = difflib.get_close_matches(bandit, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}, and MODULE:CLASS of your own."
        raise InputError(f"there is no bandit {bandit!r}; {hint}")
    usual = bandit_class(bandit).CHOICES
    for name in given:
        if name not in usual:
            raise InputError(f"{bandit} has no choice {name!r}; it has {', '.join(usual)}.")
    grids = yaml.safe_load(SCHEMA.read_text())["properties"]["bandits"]["properties"]
    reading = next(iter(readings_of(bandit, [variance or config["classification"]["variances"][0]]).values()))
    try:
        setting = {name: float(given.get(name, usual[name])) for name in grids[bandit].get("properties", {})}
        choices = shared | reading | given | setting
        bandit_class(bandit).options(choices)
    except (TypeError, ValueError) as error:
        raise InputError(f"{bandit}: {error}") from error
    return Player(bandit, bandit, setting, choices)


def _is_file(dataset: str) -> bool:
    return dataset.lower().endswith(ENDINGS)


def _from_file(path: Path, target: str | None, config: dict[str, Any]) -> Dataset:
    """A data file of one's own, under the name that `suite` would give it."""
    if target is None:
        raise InputError(f"{path}: which column is the class? Name it by --target.")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read ({error.strerror}).") from error
    return _encoded(dataset_name(path.name, set()), read_table(path.name, raw, target), config)


def _from_suite(name: str, suite: str | None, config: dict[str, Any]) -> Dataset:
    """A dataset of a suite, fetched unless it is in the cache."""
    path = suite_path(suite or config["suite"])
    rows = read_suite(path, SCHEMA.with_name("suite.schema.yaml"))
    if name not in rows:
        near = difflib.get_close_matches(name, rows, n=3)
        hint = (
            f"did you mean {' or '.join(near)}?" if near else f"see 'balanced-bandits list {suite or config['suite']}'."
        )
        raise InputError(
            f"there is no dataset {name!r} in {path}; {hint} A file must end in {', '.join(READERS)} or .gz."
        )
    os.environ[SETTINGS_VARIABLE] = json.dumps(config["openml"])
    source = source_of(rows[name])
    try:
        return _encoded(name, source.table(rows[name], source.fetch(rows[name], path.parent, CACHE)), config)
    except RejectedError as reason:
        raise InputError(f"dataset {name} can't be had: {reason}.") from reason


def _encoded(name: str, table: Any, config: dict[str, Any]) -> Dataset:
    try:
        table, _ = capped(table, Caps(config["max_rounds"], config["max_features"], config["seed"]), name)
        encoded = encode(table, config["max_levels"])
    except RejectedError as reason:
        raise InputError(f"dataset {name} can't be played: {reason}.") from reason
    return Dataset(name, encoded.X, encoded.y, encoded.classes)


def _show(data: Dataset, chosen: NDArray[np.int64], labels: NDArray[np.int64], pace: float) -> None:
    """The regret as rounds go by, and the numbers that it ends with."""
    wrong = chosen != labels
    times, n = wrong.shape
    chance = 1.0 - 1.0 / len(data.classes)
    regrets = wrong.mean(axis=1)
    often = 1.0 - np.bincount(data.y).max() / n
    print(
        "\ncumulative regret: * the bandit"
        + (f" (mean of {times} shuffles)" if times > 1 else "")
        + ", . arms at random\n"
    )
    print(plot({"*": wrong.cumsum(axis=1).mean(axis=0), ".": chance * np.arange(1, n + 1)}))
    each = f", from {regrets.min():.4f} to {regrets.max():.4f} over {times} shuffles" if times > 1 else ""
    print(f"\nnormalised regret  {regrets.mean():.4f}{each}")
    print(f"  in the last quarter of the rounds {wrong[:, n - max(n // 4, 1) :].mean():.4f}")
    print(f"  at random {chance:.4f}, always the most frequent class {often:.4f}")
    pulls = np.bincount(chosen.ravel(), minlength=len(data.classes)) / times
    most = np.argsort(-pulls, kind="stable")[:10]
    arms = ", ".join(f"{data.classes[a]}: {pulls[a]:g}" for a in most)
    print(f"arms played        {arms}{', ...' if len(pulls) > 10 else ''}")
    print(f"pace               {pace:.0f} microseconds a round, one at a time")
