"""The cost of a run under other choices than the defaults, predicted from the work that it consists of.

``cost`` predicts jobs under the default choices from the size of the dataset alone. Here, the time of a run is a sum of
kinds of work (``work``), each with its own constant: refits of arms, which a schedule may double or multiply by
hundreds, propensities by each method, and so on. ``benchmarks/choice_cost.py`` measures runs and fits the
constants: 99 % of 500 runs, of 12 sizes, are predicted within a factor of two, and their total is right.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from balanced_bandits.bandits.parameters import DEFAULTS

# Seconds per unit of each kind of work, by bandit.
SECONDS: dict[str, dict[str, float]] = {
    "LinTS": {
        "run": 0.0002, "rounds": 1.7e-07, "look": 2.1e-10, "refit": 5.1e-06, "refit_rows": 6.6e-09,
        "refit_cubes": 3.4e-10, "parts": 3.3e-06, "parts_rows": 7.6e-09, "parts_cubes": 7.4e-10,
        "parts_squares": 2.8e-12,
    },
    "LinUCB": {
        "run": 0.00021, "rounds": 1.7e-07, "look": 2.2e-10, "refit": 4.4e-06, "refit_rows": 6.8e-09,
        "refit_cubes": 3.2e-10, "parts": 3.7e-06, "parts_rows": 5.8e-09, "parts_cubes": 3.9e-10,
        "parts_squares": 2.3e-10,
    },
    "BLTS": {
        "run": 0.00029, "rounds": 2.9e-07, "look": 1.6e-10, "refit": 1e-05, "refit_rows": 8.2e-09,
        "refit_cubes": 4.4e-10, "stored": 5.3e-10, "shares": 3.4e-08, "shares_forms": 7e-11, "shares_calls": 6.9e-07,
        "drawn": 1.9e-08, "drawn_forms": 1e-10, "parts": 5.3e-06, "parts_rows": 9.3e-09, "parts_cubes": 8.9e-10,
        "parts_squares": 3.1e-11,
    },
    "BLUCB": {
        "run": 0.00018, "rounds": 6e-07, "look": 4.3e-11, "refit": 6e-06, "refit_rows": 6.5e-09,
        "refit_cubes": 3e-10, "logistic": 1.5e-09, "logistic_fits": 5.6e-07, "parts": 3.7e-06, "parts_rows": 7.2e-09,
        "parts_cubes": 5.2e-10, "parts_squares": 1.3e-10,
    },
    "ILTCB": {
        "run": 0.0001, "rounds": 4.6e-08, "look": 0.0, "epochs": 3.9e-05, "epoch_rows": 4.1e-08,
        "epoch_cells": 2.1e-08, "epoch_cubes": 3.4e-10,
    },
}  # fmt: skip
LEAST_MEGABYTES = 400  # of a job


def play_seconds(bandit: str, choices: Mapping[str, Any], n: int, d: int, K: int, runs: int) -> float:
    """Predicted seconds of ``runs`` runs of a bandit on n rows with d features and K classes.

    ``choices`` are the parameters that differ from their defaults. Other bandits are assumed to cost as much as BLTS.
    """
    constants = SECONDS.get(bandit, SECONDS["BLTS"])
    kinds = work(bandit if bandit in SECONDS else "BLTS", choices, n, d, K)
    return runs * sum(constants[kind] * amount for kind, amount in kinds.items())


def megabytes(choices: Mapping[str, Any], n: int, d: int, K: int) -> int:
    """Predicted memory of a job: the interpreter, the contexts, the arms, and all posteriors if they are kept."""
    p = min(n, d) + 1
    kept = len(_counts(choices, n)) if choices.get("posteriors") == "all" else 8
    return LEAST_MEGABYTES + int(8 * (4 * n * (d + 1) + (4 + kept) * K * p**2 + 10 * n * K) / 2**20)


def work(bandit: str, choices: Mapping[str, Any], n: int, d: int, K: int) -> dict[str, float]:
    """How much work of each kind is in one run. Arms are assumed to be pulled equally often.

    With p columns: ``run`` and ``rounds`` count these; ``look`` the entries of the arms' matrices that a round reads;
    ``refit``, ``refit_rows`` and ``refit_cubes`` the refits of arms, the cells of their rows and the size of their
    decompositions; ``parts``, ``parts_rows``, ``parts_cubes`` and ``parts_squares`` the same for criteria other than
    leave-one-out; ``shares`` and ``shares_forms`` the rows whose propensity is computed under a posterior, times arms,
    and the entries of the posteriors' matrices that this reads, in so many ``shares_calls``; ``stored`` the entries of
    matrices that are stored; ``drawn`` and ``drawn_forms`` those of Monte Carlo; ``logistic`` and ``logistic_fits`` the
    cells that logistic regressions read, and their coefficients; ``epochs``, ``epoch_rows``, ``epoch_cells`` and
    ``epoch_cubes`` the epochs of ILTCB, the rows, cells and decompositions in them, times arms.
    """
    p = min(n, d) + 1
    given = DEFAULTS | dict(choices)
    found: dict[str, float] = {"run": 1.0, "rounds": n, "look": float(n * K * p**2)}
    if bandit == "ILTCB":
        rows = _refreshes(given["epochs"], n)
        least = np.minimum(rows, p)
        return found | {
            "epochs": float(len(rows)), "epoch_rows": float(rows.sum() * K),
            "epoch_cells": float(rows.sum() * K * p), "epoch_cubes": float((least**2 * p).sum() * K),
        }  # fmt: skip
    rows = _refreshes(given["schedule"], math.ceil(n / K))
    least = np.minimum(rows, p)
    amounts = {"": float(K * len(rows)), "_rows": float(K * rows.sum() * p), "_cubes": float(K * (least**2 * p).sum())}
    if given["criterion"] in ("loo", "fixed"):
        found |= {f"refit{kind}": amount for kind, amount in amounts.items()}
    else:
        folds = 1 + (given["folds"] if given["criterion"] == "kfold" else 0)
        found |= {f"parts{kind}": folds * amount for kind, amount in amounts.items()}
        found["parts_squares"] = folds * float(K * rows.sum() * p**2)
    if bandit in ("LinTS", "LinUCB"):
        return found
    counts = _counts(given, n)
    if bandit == "BLUCB":
        return found | {"logistic": float(counts.sum() * K * p), "logistic_fits": float(len(counts) * K * p)}
    if given["propensity"] == "assignment":
        return found
    kept = len(counts) if given["posteriors"] == "all" else min(int(given["posteriors"]), len(counts))
    found["stored"] = float(len(counts) * K * p**2 * (1 if given["posteriors"] == "all" else kept))
    used = kept / 2 if given["posteriors"] == "all" else kept
    if given["propensity"] == "monte_carlo":
        recomputed = float(K * rows.sum())
        return found | {"drawn": recomputed * given["draws"] * K, "drawn_forms": recomputed * used * K * p**2}
    seen = float(counts.sum() + n * used)
    calls = min(n, len(counts) + K * len(rows)) * used
    return found | {"shares": seen * K, "shares_forms": seen * K * p**2, "shares_calls": float(calls)}


def _counts(choices: Mapping[str, Any], n: int) -> Any:
    return _refreshes(choices.get("propensity_schedule", DEFAULTS["propensity_schedule"]), n)


def _refreshes(schedule: Any, n: int) -> Any:
    """The numbers of observations at which a refresh happens, up to n: (refreshes,) floats."""
    kind, number = ("batch", 1) if schedule == "every_step" else next(iter(schedule.items()))
    return _refreshes_of(kind, float(number), n)


@functools.cache
def _refreshes_of(kind: str, number: float, n: int) -> Any:
    if kind == "batch":
        return np.arange(1.0, n + 1.0, number)
    found, now = [1.0], 1
    while now < n:
        now = max(now + 1, math.ceil(now * (1.0 + number) - 1e-9))
        found.append(float(min(now, n)))
    return np.array(found)
