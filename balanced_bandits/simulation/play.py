"""The work of one simulation job: a bandit plays one environment, all settings and repetitions."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits import bandit_module
from balanced_bandits.environments import synthetic
from balanced_bandits.environments.classification import rewards_of, shuffled
from balanced_bandits.errors import InputError
from balanced_bandits.estimation.ridge import VARIANCES, Model
from balanced_bandits.files import read_arrays, write_arrays
from balanced_bandits.simulation.settings import name_of, settings_of
from balanced_bandits.simulation.streams import stream

NOTHING = np.empty(0, dtype=np.int64)
EVALUATION_CONTEXTS = 10_000  # on which a policy of the synthetic example is held against the optimum
SNAPSHOTS_PER_DECADE = 20


def model_of(options: dict[str, Any]) -> Model:
    """The regression that a job's options describe."""
    return Model(
        float(options["lam"]),
        VARIANCES[options["variance"]],
        float(options["prior_weight"]),
        float(options["prior_variance"]),
    )


def play_classification(dataset: Path, bandit: str, options: dict[str, Any], output: Path) -> None:
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
    arms, model, play = int(record["K"]), model_of(options), bandit_module(bandit).play
    rewards = rewards_of(y, arms)
    correct = np.empty((len(settings), options["shuffles"], (len(y) + 7) // 8), dtype=np.uint8)
    pulls = np.empty((len(settings), options["shuffles"], arms), dtype=np.int64)
    for shuffle in range(options["shuffles"]):
        order = shuffled(len(y), options["seed"], record["name"], shuffle)
        for i, setting in enumerate(settings):
            rng = stream(options["seed"], "classification", record["name"], bandit, name_of(setting), shuffle)
            chosen, _ = play(X, rewards, order, NOTHING, NOTHING, setting["alpha"], model, rng)
            correct[i, shuffle] = np.packbits(chosen == y[order])
            pulls[i, shuffle] = np.bincount(chosen, minlength=arms)
    write_arrays(output, result, correct=correct, pulls=pulls)


def play_synthetic(specification: str, bandit: str, options: dict[str, Any], output: Path) -> None:
    """Play the synthetic example; writes how well the greedy policy agrees with the optimum as rounds go by.

    Arrays: ``rounds`` (checks,) after the warm start, ``agreement`` (settings, simulations, checks) in [0, 1],
    ``regret`` (settings, simulations), the sum over the rounds after the warm start of the expected reward lost.
    """
    settings, simulations, horizon = settings_of(options["grid"]), options["simulations"], options["horizon"]
    rounds = snapshot_rounds(horizon)
    contexts = stream(options["seed"], "synthetic", "evaluation").standard_normal((EVALUATION_CONTEXTS, 2))
    optimum = synthetic.optimal_arms(contexts, specification)
    model, play = model_of(options), bandit_module(bandit).play
    agreement = np.empty((len(settings), simulations, len(rounds)), dtype=np.float32)
    regret = np.empty((len(settings), simulations))
    for simulation in range(simulations):
        x, rewards, warm = synthetic.draw(horizon, stream(options["seed"], "synthetic", "environment", simulation))
        z, order = synthetic.features(x, specification), np.arange(len(x))
        lost = synthetic.expected_rewards(x)
        lost = lost.max(axis=1, keepdims=True) - lost
        for i, setting in enumerate(settings):
            rng = stream(options["seed"], "synthetic", specification, bandit, name_of(setting), simulation)
            snapshots = rounds + synthetic.WARM_START
            chosen, thetas = play(z, rewards, order, warm, snapshots, setting["alpha"], model, rng)
            greedy = synthetic.greedy_arms(contexts, thetas, specification)
            agreement[i, simulation] = (greedy == optimum).mean(axis=1)
            regret[i, simulation] = lost[order, chosen][synthetic.WARM_START :].sum()
    record = {"bandit": bandit, "specification": specification, "settings": settings, "options": options}
    write_arrays(output, record, rounds=rounds, agreement=agreement, regret=regret)


def snapshot_rounds(horizon: int) -> NDArray[np.int64]:
    """Rounds at which the policy is looked at: evenly spaced in the logarithm, the last one included."""
    count = 1 + int(np.ceil(SNAPSHOTS_PER_DECADE * np.log10(max(horizon, 1))))
    return np.unique(np.geomspace(1, horizon, count).round().astype(np.int64))
