"""What must hold of a job's result before anything is made of it, whatever the bandit did."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.errors import InputError
from balanced_bandits.files import read_arrays

Arrays = dict[str, NDArray[Any]]
Faults = Callable[[dict[str, Any], Arrays], Iterator[str]]


def read_result(path: Path, faults: Faults) -> tuple[dict[str, Any], Arrays]:
    """What ``read_arrays`` gives, if ``faults`` finds nothing wrong with it."""
    record, arrays = read_arrays(path)
    try:
        wrong = next(faults(record, arrays), "")
    except (LookupError, TypeError, ValueError) as error:  # something is missing, or of a shape that fits nothing
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        raise InputError(f"{path} holds what can't be a result ({wrong}); delete it and run again.")
    return record, arrays


def faults_of_classification(record: dict[str, Any], arrays: Arrays) -> Iterator[str]:
    """Why the arrays of ``simulation.classification.play`` can't be the account of n rounds with K arms."""
    if record["dataset"]["rejected"]:
        return
    n, arms = int(record["dataset"]["n"]), int(record["dataset"]["K"])
    correct, rounds, curve, pulls = (arrays[name] for name in ("correct", "rounds", "curve", "pulls"))
    shape = correct.shape[:-1]
    if len(shape) != 4 or shape[:2] != (len(record["readings"]), len(record["settings"])) or not correct.size:
        yield "its runs are not those of its readings and settings"
    after = (1 << -n % 8) - 1  # the bits of the last byte that stand for no round
    if correct.dtype != np.uint8 or correct.shape[-1] != -(-n // 8) or (correct[..., -1] & after).any():
        yield f"it does not say of {n} rounds which were right"
    if pulls.shape != (*shape, arms) or (pulls < 0).any() or (pulls.sum(axis=-1) != n).any():
        yield f"the choices of the {arms} arms are not {n} in all"
    wrong = n - np.bitwise_count(correct).sum(axis=-1, dtype=np.int64)
    if rounds[-1] != n or curve.shape != (*shape, len(rounds)) or (curve[..., -1] != wrong).any():
        yield "the regret at the end is not that of the rounds that were right"
    if (np.diff(curve, prepend=0) < 0).any() or (curve > rounds).any():
        yield "the regret falls, or grows by more than one a round"
    clipped, penalties = arrays["clipped"], arrays["penalties"]
    if clipped.shape != shape or not (np.isnan(clipped).all() or _are_shares(clipped)):
        yield "shares of clipped propensities are not between 0 and 1"
    if penalties.shape != (*shape, arms) or (penalties <= 0).any() or np.isinf(penalties).any():
        yield "penalties are not above 0 and finite"


def faults_of_synthetic(record: dict[str, Any], arrays: Arrays) -> Iterator[str]:
    """Why the arrays of ``simulation.synthetic.play`` can't be the account of simulations."""
    regret, rounds, first_order = (arrays[name] for name in ("regret", "rounds", "first_order"))
    if regret.ndim != 3 or len(regret) != len(record["settings"]) or regret.shape[2:] != rounds.shape:
        yield "its runs are not those of its settings and rounds"
    agreements = [array for name, array in arrays.items() if name.startswith("agreement_")]
    if not agreements or any(array.shape != regret.shape or not _are_shares(array) for array in agreements):
        yield "the agreement with an optimum is not between 0 and 1"
    if not np.isfinite(regret).all() or (np.diff(regret, prepend=0.0) < 0).any():
        yield "the regret is not finite, or falls"
    if first_order.shape != regret.shape[:2] or not _are_shares(first_order):
        yield "the share of contexts that the first fit puts in order is not between 0 and 1"


def _are_shares(array: NDArray[Any]) -> bool:
    """Whether all lie between 0 and 1, and so are finite."""
    return bool(((array >= 0) & (array <= 1)).all())
