"""The results of the jobs of the synthetic example, in the form used by the analysis."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.analysis.results import faults_of_synthetic, read_result
from balanced_bandits.core.settings import name_of


class Traces(NamedTuple):
    """The results of one job: a bandit on one specification."""

    spec: str
    bandit: str
    settings: list[str]
    rounds: NDArray[np.int64]  # (checks,)
    agreement: dict[str, NDArray[np.float64]]  # of the greedy policy, by target: (settings, simulations, checks)
    regret: NDArray[np.float64]  # (settings, simulations, checks)
    first_order: NDArray[np.float64]  # (settings, simulations)
    played: dict[str, NDArray[np.float64]]  # of the last choices, by target: (settings, simulations, checks)


def read_traces(path: Path, simulations: int | None = None) -> Traces:
    """Read the result of a job: all simulations, or the first ``simulations``."""
    record, arrays = read_result(path, faults_of_synthetic)
    first = slice(simulations)
    agreement, played = (
        {key.removeprefix(prefix): array[:, first] for key, array in arrays.items() if key.startswith(prefix)}
        for prefix in ("agreement_", "played_")
    )
    names = [name_of(setting) for setting in record["settings"]]
    return Traces(record["specification"], record["bandit"], names, arrays["rounds"], agreement,
                  arrays["regret"][:, first], arrays["first_order"][:, first], played)  # fmt: skip


def joined(parts: Sequence[Traces]) -> Traces:
    """The simulations of several jobs that differ in nothing else, one after the other."""

    def along(arrays: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.concatenate(list(arrays), axis=1)

    first = parts[0]
    return first._replace(
        agreement={target: along(part.agreement[target] for part in parts) for target in first.agreement},
        played={target: along(part.played[target] for part in parts) for target in first.played},
        regret=along(part.regret for part in parts),
        first_order=along(part.first_order for part in parts),
    )
