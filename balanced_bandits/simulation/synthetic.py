"""One job of the synthetic experiment: a bandit plays one specification, all settings and simulations."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits import bandit_class
from balanced_bandits.environments import synthetic
from balanced_bandits.files import write_arrays
from balanced_bandits.simulation.settings import name_of, settings_of
from balanced_bandits.simulation.streams import stream

EVALUATION_CONTEXTS = 10_000  # on which a policy is held against the optimum
SNAPSHOTS_PER_DECADE = 20


def play(specification: str, bandit: str, options: dict[str, Any], output: Path) -> None:
    """Play the synthetic example; writes how well the greedy policy agrees with the optimum as rounds go by.

    Arrays: ``rounds`` (checks,) after the warm start, ``agreement`` (settings, simulations, checks) in [0, 1],
    ``regret`` (settings, simulations), the sum over the rounds after the warm start of the expected reward lost.
    """
    settings, simulations, horizon = settings_of(options["grid"]), options["simulations"], options["horizon"]
    rounds = snapshot_rounds(horizon)
    contexts = stream(options["seed"], "synthetic", "evaluation").standard_normal((EVALUATION_CONTEXTS, 2))
    optimum = synthetic.optimal_arms(contexts, specification)
    agreement = np.empty((len(settings), simulations, len(rounds)), dtype=np.float32)
    regret = np.empty((len(settings), simulations))
    for simulation in range(simulations):
        x, rewards, warm = synthetic.draw(horizon, stream(options["seed"], "synthetic", "environment", simulation))
        z, order = synthetic.features(x, specification), np.arange(len(x))
        lost = synthetic.expected_rewards(x)
        lost = lost.max(axis=1, keepdims=True) - lost
        choices = [options["choices"] | setting for setting in settings]
        name = options["seed"], "synthetic", specification, bandit
        streams = [stream(*name, name_of(setting), simulation) for setting in settings]
        runs = bandit_class(bandit).play(
            choices, z, rewards, order, streams, forced=warm, snapshots=rounds + synthetic.WARM_START
        )
        for i, (chosen, thetas) in enumerate(runs):
            greedy = synthetic.greedy_arms(contexts, thetas, specification, options["choices"]["intercept"])
            agreement[i, simulation] = (greedy == optimum).mean(axis=1)
            regret[i, simulation] = lost[order, chosen][synthetic.WARM_START :].sum()
    record = {"bandit": bandit, "specification": specification, "settings": settings, "options": options}
    write_arrays(output, record, rounds=rounds, agreement=agreement, regret=regret)


def snapshot_rounds(horizon: int) -> NDArray[np.int64]:
    """Rounds at which the policy is looked at: evenly spaced in the logarithm, the last one included."""
    count = 1 + int(np.ceil(SNAPSHOTS_PER_DECADE * np.log10(max(horizon, 1))))
    return np.unique(np.geomspace(1, horizon, count).round().astype(np.int64))
