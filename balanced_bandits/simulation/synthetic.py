"""One job of the synthetic experiment: a bandit plays one specification for all settings and simulations."""

import time
from collections.abc import Callable
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
WINDOW = 100  # rounds over which the choices that a bandit really made are compared with the optima
TARGETS = ("truth", "predictors", "value")


def play(
    specification: str, bandit: str, import_path: str, options: dict[str, Any], optima: Path, output: Path
) -> None:
    """Play the synthetic example, and write the record and the arrays of ``simulate``."""
    record, arrays = simulate(specification, bandit, import_path, options, optima)
    write_arrays(output, record, **arrays)


def simulate(
    specification: str, bandit: str, import_path: str, options: dict[str, Any], optima: Path
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Play the synthetic example; return how well the policy agrees with each optimum over time.

    Arrays: ``rounds`` (checks,) after the warm start, including 0; ``agreement_truth``, ``agreement_predictors`` and
    ``agreement_value`` (settings, simulations, checks) in [0, 1], of the greedy policy; ``played_truth``,
    ``played_predictors`` and ``played_value``, of the last 100 choices before the check (while there are fewer, the
    missing ones count as different); ``regret`` of the same shape, the expected reward lost since the warm start;
    ``first_order`` (settings, simulations), the share of contexts at which the first fit ranks arm 2 above arm 1 above
    arm 0. For the first simulation also the contexts ``x`` (50 + horizon, 2), their ``arms`` (settings, 50 + horizon),
    and the coefficients ``thetas`` (settings, checks, 3, p).

    ``options`` has the seed, the number of simulations, the horizon, the choices and the grid of the bandit; it may
    have the number of the first simulation (``first``, else 0), and the ``design`` of the models: whether there is an
    ``interaction``, and by what features are standardised (``standardise``: none, whole or warm).

    All bandits, settings and choices share the random stream of a simulation's environment: they see the same contexts
    and noise, so paired comparisons are possible.
    """
    settings, simulations, horizon = settings_of(options["grid"]), options["simulations"], options["horizon"]
    design = {"interaction": True, "standardise": "none"} | options.get("design", {})
    intercept = options["choices"]["intercept"] if design["standardise"] == "none" else "unpenalised"
    rounds = snapshot_rounds(horizon)
    optimum = optimal_arms(optima)
    columns, assigned = evaluation(options["seed"], specification, intercept, design["interaction"], optimum)
    shape = (len(settings), simulations, len(rounds))
    arrays: dict[str, NDArray[Any]] = {"rounds": rounds, "regret": np.empty(shape)}
    arrays |= {f"{kind}_{target}": np.empty(shape) for kind in ("agreement", "played") for target in TARGETS}
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
        number = options.get("first", 0) + simulation
        x, rewards, warm = synthetic.draw(horizon, stream(options["seed"], "synthetic", "environment", number))
        z, order = synthetic.features(x, specification, design["interaction"]), np.arange(len(x))
        if design["standardise"] != "none":
            scale = synthetic.scale_of(z, design["standardise"])
            z = scale.standardised(z)
        best = optimum(x[synthetic.WARM_START :])
        lost = synthetic.expected_rewards(x)
        lost = lost.max(axis=1, keepdims=True) - lost
        if simulation == 0:  # compile now, so that compilation is not timed
            few = order[: synthetic.WARM_START + 1]
            next(cls.play(choices[:1], z, rewards, few, [np.random.default_rng(0)], forced=warm))
        streams = [stream(*name, name_of(setting), number) for setting in settings]
        snapshots = rounds + synthetic.WARM_START
        runs = cls.play(choices, z, rewards, order, streams, forced=warm, snapshots=snapshots)
        for i in range(len(settings)):
            started = time.process_time()
            chosen, thetas, *_ = next(runs)
            seconds[i] += time.process_time() - started
            if design["standardise"] != "none":
                thetas = scale.coefficients(thetas)
            of_kind = {"agreement": agreeing(thetas, columns, assigned) / EVALUATION_CONTEXTS,
                       "played": recent_shares(chosen[synthetic.WARM_START :] == best, rounds)}  # fmt: skip
            for kind, shares in of_kind.items():
                arrays[f"{kind}_truth"][i, simulation] = shares[:, 0]
                arrays[f"{kind}_predictors"][i, simulation] = shares[:, 1]
                arrays[f"{kind}_value"][i, simulation] = shares[:, 2:].max(axis=1)  # the better of two mirror images
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
    return record, arrays


Assignment = Callable[[NDArray[np.float64]], NDArray[np.int64]]


def optimal_arms(optima: Path) -> Assignment:
    """The function from contexts (n, 2) to the arms (4, n) of the truth, the predictors, and the value-best policies.

    The latter are two, mirror images of each other.
    """
    _, found = read_arrays(optima)

    def arms(contexts: NDArray[np.float64]) -> NDArray[np.int64]:
        assigned = synthetic.assignments(contexts, found["theta_predictors"], found["theta_value"])
        return np.stack(list(assigned.values()))

    return arms


def evaluation(
    seed: int, specification: str, intercept: str, interaction: bool, optimum: Assignment
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The data for evaluating policies: the transposed design matrix (p, n) and the arms of the optima (4, n)."""
    contexts = stream(seed, "synthetic", "evaluation").standard_normal((EVALUATION_CONTEXTS, 2))
    columns = np.ascontiguousarray(synthetic.design(contexts, specification, intercept, interaction).T)
    return columns, optimum(contexts).astype(float)


def recent_shares(right: NDArray[np.bool_], rounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """The shares (checks, optima) of the last 100 rounds before each check in which a choice was right.

    ``right`` (optima, horizon): whether the arm of each round is that of the optimum. Before there are 100 rounds, the
    missing ones count as wrong.
    """
    so_far: NDArray[np.int64] = np.pad(np.cumsum(right, axis=1), ((0, 0), (1, 0)))
    shares: NDArray[np.float64] = (so_far[:, rounds] - so_far[:, np.maximum(rounds - WINDOW, 0)]) / WINDOW
    return shares.T


def snapshot_rounds(horizon: int) -> NDArray[np.int64]:
    """Rounds after which the policy is evaluated.

    These are 0 (right after the warm start), rounds evenly spaced on a logarithmic scale up to the horizon, and those
    that the figures show.
    """
    count = 1 + int(np.ceil(SNAPSHOTS_PER_DECADE * np.log10(max(horizon, 1))))
    spaced = np.geomspace(1, horizon, count).round().astype(np.int64)
    return np.unique([*spaced, *(shown for shown in synthetic.SHOWN if shown <= horizon)])
