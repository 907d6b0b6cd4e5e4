"""One job of the synthetic experiment: a bandit plays one specification for all settings and simulations."""

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.importing import bandit_at
from balanced_bandits.core.files import read_arrays, write_arrays
from balanced_bandits.core.settings import name_of, settings_of
from balanced_bandits.core.streams import stream
from balanced_bandits.environments import synthetic
from balanced_bandits.simulation.agreement import agreeing

EVALUATION_CONTEXTS = 10_000  # on which policies are compared with the optima
SNAPSHOTS_PER_DECADE = 20


def play(
    specification: str, bandit: str, import_path: str, options: dict[str, Any], optima: Path, output: Path
) -> None:
    """Play the synthetic example; write how well the greedy policy agrees with each optimum over time.

    Arrays: ``rounds`` (checks,) after the warm start, including 0; ``agreement_truth``, ``agreement_predictors`` and
    ``agreement_value`` (settings, simulations, checks) in [0, 1]; ``regret`` of the same shape, the expected reward
    lost since the warm start; ``first_order`` (settings, simulations), the share of contexts at which the first fit
    ranks arm 2 above arm 1 above arm 0. For simulation 0 also the contexts ``x`` (50 + horizon, 2), their ``arms``
    (settings, 50 + horizon), and the coefficients ``thetas`` (settings, checks, 3, p).

    All bandits, settings and choices share the random stream of a simulation's environment: they see the same contexts
    and noise, so paired comparisons are possible.
    """
    settings, simulations, horizon = settings_of(options["grid"]), options["simulations"], options["horizon"]
    intercept = options["choices"]["intercept"]
    rounds = snapshot_rounds(horizon)
    columns, assigned = evaluation(options["seed"], specification, intercept, optima)
    shape = (len(settings), simulations, len(rounds))
    arrays: dict[str, NDArray[Any]] = {"rounds": rounds, "regret": np.empty(shape)}
    arrays |= {f"agreement_{target}": np.empty(shape) for target in ("truth", "predictors", "value")}
    arrays |= {
        "first_order": np.empty(shape[:2]),
        "arms": np.empty((len(settings), synthetic.WARM_START + horizon), np.int8),
        "thetas": np.empty((len(settings), len(rounds), synthetic.ARMS, len(columns))),
    }
    seconds = np.zeros(len(settings))
    cls = bandit_at(import_path)
    name = options["seed"], "synthetic", specification, bandit
    choices = [options["choices"] | setting for setting in settings]
    for simulation in range(simulations):
        x, rewards, warm = synthetic.draw(horizon, stream(options["seed"], "synthetic", "environment", simulation))
        z, order = synthetic.features(x, specification), np.arange(len(x))
        lost = synthetic.expected_rewards(x)
        lost = lost.max(axis=1, keepdims=True) - lost
        if simulation == 0:  # compile now, so that compilation is not timed
            few = order[: synthetic.WARM_START + 1]
            next(cls.play(choices[:1], z, rewards, few, [np.random.default_rng(0)], forced=warm))
        streams = [stream(*name, name_of(setting), simulation) for setting in settings]
        snapshots = rounds + synthetic.WARM_START
        runs = cls.play(choices, z, rewards, order, streams, forced=warm, snapshots=snapshots)
        for i in range(len(settings)):
            started = time.process_time()
            chosen, thetas, *_ = next(runs)
            seconds[i] += time.process_time() - started
            shares = agreeing(thetas, columns, assigned) / EVALUATION_CONTEXTS
            arrays["agreement_truth"][i, simulation] = shares[:, 0]
            arrays["agreement_predictors"][i, simulation] = shares[:, 1]
            arrays["agreement_value"][i, simulation] = shares[:, 2:].max(axis=1)  # the better of the two mirror images
            so_far = np.append(0.0, np.cumsum(lost[order, chosen][synthetic.WARM_START :]))
            arrays["regret"][i, simulation] = so_far[rounds]
            first = thetas[0] @ columns
            arrays["first_order"][i, simulation] = ((first[2] > first[1]) & (first[1] > first[0])).mean()
            if simulation == 0:
                arrays["x"], arrays["arms"][i], arrays["thetas"][i] = x, chosen, thetas
    # Times go to the log and not into the results, which must be reproducible.
    for setting, spent in zip(settings, seconds, strict=True):
        steps = simulations * (synthetic.WARM_START + horizon)
        print(f"{bandit} {specification} {name_of(setting)}: {1e6 * spent / steps:.2f} microseconds per step")
    record = {"bandit": bandit, "specification": specification, "settings": settings, "options": options}
    write_arrays(output, record, **arrays)


def evaluation(
    seed: int, specification: str, intercept: str, optima: Path
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The data for evaluating policies: the transposed design matrix (p, n) and the arms of the optima (4, n).

    The optima are the truth, the predictors, the value-best policy and its mirror image.
    """
    contexts = stream(seed, "synthetic", "evaluation").standard_normal((EVALUATION_CONTEXTS, 2))
    _, found = read_arrays(optima)
    assigned = synthetic.assignments(contexts, found["theta_predictors"], found["theta_value"])
    columns = np.ascontiguousarray(synthetic.design(contexts, specification, intercept).T)
    return columns, np.stack(list(assigned.values())).astype(float)


def snapshot_rounds(horizon: int) -> NDArray[np.int64]:
    """Rounds after which the policy is evaluated.

    These are 0 (right after the warm start), rounds evenly spaced on a logarithmic scale up to the horizon, and those
    that the figures show.
    """
    count = 1 + int(np.ceil(SNAPSHOTS_PER_DECADE * np.log10(max(horizon, 1))))
    spaced = np.geomspace(1, horizon, count).round().astype(np.int64)
    return np.unique([*spaced, *(shown for shown in synthetic.SHOWN if shown <= horizon)])
