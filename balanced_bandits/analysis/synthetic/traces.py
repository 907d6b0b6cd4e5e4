"""The results of the jobs of the synthetic example, in the form used by the analysis."""

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
    agreement: dict[str, NDArray[np.float64]]  # by target: (settings, simulations, checks)
    regret: NDArray[np.float64]  # (settings, simulations, checks)
    first_order: NDArray[np.float64]  # (settings, simulations)


def read_traces(path: Path, simulations: int | None = None) -> Traces:
    """Read the result of a job: all simulations, or the first ``simulations``."""
    record, arrays = read_result(path, faults_of_synthetic)
    first = slice(simulations)
    prefix = "agreement_"
    agreement = {key.removeprefix(prefix): a[:, first] for key, a in arrays.items() if key.startswith(prefix)}
    names = [name_of(setting) for setting in record["settings"]]
    return Traces(record["specification"], record["bandit"], names, arrays["rounds"], agreement,
                  arrays["regret"][:, first], arrays["first_order"][:, first])  # fmt: skip
