"""When a bandit of the synthetic example has "found the optimal assignment": a criterion called by name."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.analysis.sanity import faults_of_synthetic, read_result
from balanced_bandits.simulation.settings import name_of


class Criterion(NamedTuple):
    """The greedy policy gives at least a share ``threshold`` of contexts the arm of the optimum ``target``.

    ``target``: truth, predictors or value (``environments.optima``). ``when``: some, at one of the rounds that were
    looked at, or end, at the last one.
    """

    target: str
    when: str
    threshold: float


class Traces(NamedTuple):
    """What one job left: a bandit on one specification."""

    spec: str
    bandit: str
    settings: list[str]
    rounds: NDArray[np.int64]  # (checks,)
    agreement: dict[str, NDArray[np.float64]]  # by target: (settings, simulations, checks)
    regret: NDArray[np.float64]  # (settings, simulations, checks)
    first_order: NDArray[np.float64]  # (settings, simulations)


def read_traces(path: Path, simulations: int | None = None) -> Traces:
    """Read a job's result; of all its simulations, or of the first ones."""
    record, arrays = read_result(path, faults_of_synthetic)
    first = slice(simulations)
    prefix = "agreement_"
    agreement = {key.removeprefix(prefix): a[:, first] for key, a in arrays.items() if key.startswith(prefix)}
    names = [name_of(setting) for setting in record["settings"]]
    return Traces(record["specification"], record["bandit"], names, arrays["rounds"], agreement,
                  arrays["regret"][:, first], arrays["first_order"][:, first])  # fmt: skip


def rounds_to_find(traces: Traces, criterion: Criterion) -> NDArray[np.float64]:
    """Rounds after the warm start until the optimum was found (settings, simulations), infinite where it was not.

    With ``some``, the first round at which the threshold is reached; with ``end``, the first from which on it is held
    until the end.
    """
    reached = traces.agreement[criterion.target] >= criterion.threshold
    if criterion.when == "end":
        reached = np.logical_and.accumulate(reached[..., ::-1], axis=-1)[..., ::-1]
    first = traces.rounds[reached.argmax(axis=-1)]
    found: NDArray[np.float64] = np.where(reached.any(axis=-1), first, np.inf)
    return found


def criterion_of(synthetic: dict[str, Any], spec: str) -> Criterion:
    """The criterion of Table 1, by the configuration of the synthetic example."""
    named = synthetic["criterion"]
    return Criterion(named["target"][spec], named["when"], float(named["threshold"]))


def all_criteria(synthetic: dict[str, Any], spec: str) -> list[Criterion]:
    """The criterion of Table 1 and the alternatives that the configuration lists, each once."""
    return list(dict.fromkeys([criterion_of(synthetic, spec), *_alternatives(synthetic["alternatives"], spec)]))


def _alternatives(named: dict[str, Any], spec: str) -> Iterator[Criterion]:
    for target in named["targets"][spec]:
        for when in named["when"]:
            for threshold in named["thresholds"]:
                yield Criterion(target, when, float(threshold))
