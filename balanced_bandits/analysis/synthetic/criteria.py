"""Criteria for when a bandit has "found the optimal assignment" of the synthetic example."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.analysis.synthetic.traces import Traces


class Criterion(NamedTuple):
    """The greedy policy agrees with the optimum ``target`` on at least a share ``threshold`` of contexts.

    ``target``: truth, predictors or value (``environments.optima``). ``when``: some (at one of the evaluated rounds) or
    end (at the last one).
    """

    target: str
    when: str
    threshold: float


class Found(NamedTuple):
    """When a bandit found the optimum by the criterion of Table 1, and the setting used in the table."""

    traces: Traces
    criterion: Criterion
    rounds: NDArray[np.float64]  # (settings, simulations): see ``rounds_to_find``
    best: int

    @property
    def at_best(self) -> NDArray[np.float64]:
        """The rounds to find the optimum at that setting (simulations,)."""
        at_best: NDArray[np.float64] = self.rounds[self.best]
        return at_best


def found(jobs: Iterable[Traces], synthetic: dict[str, Any]) -> list[Found]:
    """``Found`` for each job, given the configuration of the synthetic example."""
    results = []
    for traces in jobs:
        criterion = criterion_of(synthetic, traces.spec)
        rounds = rounds_to_find(traces, criterion)
        results.append(Found(traces, criterion, rounds, best_setting(np.isfinite(rounds))))
    return results


def best_setting(found: NDArray[np.bool_]) -> int:
    """The setting that finds the optimum most often, given ``found`` (settings, simulations); ties go to the first."""
    return int(found.sum(axis=1).argmax())


def rounds_to_find(traces: Traces, criterion: Criterion) -> NDArray[np.float64]:
    """Rounds after the warm start until the optimum was found (settings, simulations); infinite if it was not found.

    With ``some``, the first round at which the threshold is reached; with ``end``, the first round from which the
    agreement stays at or above the threshold until the end.
    """
    reached = traces.agreement[criterion.target] >= criterion.threshold
    if criterion.when == "end":
        reached = np.logical_and.accumulate(reached[..., ::-1], axis=-1)[..., ::-1]
    first = traces.rounds[reached.argmax(axis=-1)]
    found: NDArray[np.float64] = np.where(reached.any(axis=-1), first, np.inf)
    return found


def criterion_of(synthetic: dict[str, Any], spec: str) -> Criterion:
    """The criterion of Table 1, from the configuration of the synthetic example."""
    named = synthetic["criterion"]
    return Criterion(named["target"][spec], named["when"], float(named["threshold"]))


def all_criteria(synthetic: dict[str, Any], spec: str) -> list[Criterion]:
    """The criterion of Table 1 and the alternatives listed in the configuration, without duplicates."""
    return list(dict.fromkeys([criterion_of(synthetic, spec), *_alternatives(synthetic["alternatives"], spec)]))


def _alternatives(named: dict[str, Any], spec: str) -> Iterator[Criterion]:
    for target in named["targets"][spec]:
        for when in named["when"]:
            for threshold in named["thresholds"]:
                yield Criterion(target, when, float(threshold))
