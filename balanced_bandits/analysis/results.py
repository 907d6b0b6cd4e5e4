"""Consistency checks of a job's result, for any bandit, before it is used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import read_arrays

Arrays = dict[str, NDArray[Any]]
Faults = Callable[[dict[str, Any], Arrays], Iterator[str]]


def read_result(path: Path, faults: Faults) -> tuple[dict[str, Any], Arrays]:
    """The record and the arrays of a result; raises ``InputError`` if ``faults`` finds something wrong."""
    record, arrays = read_arrays(path)
    try:
        wrong = next(faults(record, arrays), "")
    except (LookupError, TypeError, ValueError) as error:  # something is missing or has an impossible shape
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        raise InputError(f"{path} is not a valid result ({wrong}); delete it and run again.")
    return record, arrays


def faults_of_classification(record: dict[str, Any], arrays: Arrays) -> Iterator[str]:
    """Yield the inconsistencies in the arrays of ``simulation.classification.play``, for n rounds and K arms."""
    if record["dataset"]["rejected"]:
        return
    n, arms = int(record["dataset"]["n"]), int(record["dataset"]["K"])
    rounds, curve, pulls = (arrays[name] for name in ("rounds", "curve", "pulls"))
    shape = curve.shape[:-1]
    asked = (
        len(record["readings"]),
        len(record["settings"]),
        *(record["options"][key] for key in ("copies", "shuffles")),
    )
    if shape != asked or not curve.size:
        yield "its runs are not those of its readings, settings, copies and shuffles"
    if pulls.shape != (*shape, arms) or (pulls < 0).any() or (pulls.sum(axis=-1) != n).any():
        yield f"the choices of the {arms} arms are not {n} in all"
    if rounds[-1] != n or len(rounds) != curve.shape[-1]:
        yield f"the regret is not that of {n} rounds"
    steps = np.diff(curve, prepend=0)
    if not ((steps >= 0) & (steps <= np.diff(rounds, prepend=0))).all():
        yield "the regret falls, or grows by more than one per round"
    clipped, penalties = arrays["clipped"], arrays["penalties"]
    if clipped.shape != shape or not (np.isnan(clipped).all() or _are_shares(clipped)):
        yield "shares of clipped propensities are not between 0 and 1"
    if penalties.shape != (*shape, arms) or (penalties <= 0).any() or np.isinf(penalties).any():
        yield "penalties are not positive and finite"


def faults_of_synthetic(record: dict[str, Any], arrays: Arrays) -> Iterator[str]:
    """Yield the inconsistencies in the arrays of ``simulation.synthetic.play``."""
    regret, rounds, first_order = (arrays[name] for name in ("regret", "rounds", "first_order"))
    if regret.ndim != 3 or len(regret) != len(record["settings"]) or regret.shape[2:] != rounds.shape:
        yield "its runs do not match its settings and rounds"
    agreements = [array for name, array in arrays.items() if name.startswith(("agreement_", "played_"))]
    if not agreements or any(array.shape != regret.shape or not _are_shares(array) for array in agreements):
        yield "the agreement with an optimum is not between 0 and 1"
    if not np.isfinite(regret).all() or (np.diff(regret, prepend=0.0) < 0).any():
        yield "the regret is not finite, or decreases"
    if first_order.shape != regret.shape[:2] or not _are_shares(first_order):
        yield "the share of contexts that the first fit puts in order is not between 0 and 1"


def _are_shares(array: NDArray[Any]) -> bool:
    """Whether all values lie between 0 and 1, and so are finite."""
    return bool(((array >= 0) & (array <= 1)).all())
