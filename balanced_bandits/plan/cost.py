"""The cost of a job of the classification experiment, predicted from the size of its dataset.

At least 97 % of each bandit's jobs are predicted within a factor of two. The model was fitted to the CPU seconds of 615
jobs: the five bandits on 123 datasets of the suite registry300, among them all large ones (one run each, two of LinTS;
geometric refreshes at 5 %; two cores of a shared machine). It uses the number of columns after encoding; with the
number before encoding, jobs with categorical columns take longer than predicted. ``benchmarks/fit_cost.py`` fits the
constants to the times of a run.

``PAPER`` decides how often a large dataset is shuffled (``shuffle_seconds``): if it changes, so do results. Both
``PAPER`` and ``START_UP`` decide which datasets the calibration uses, the order of jobs, the time that they request on
a cluster, and the time left that is shown.
"""

from collections.abc import Mapping
from typing import Any

START_UP = 0.47  # CPU seconds of a job outside its rounds: Python, imports, loading compiled code from the cache
# Microseconds per step: constant, per arm, per column (p of them), per arm and column, per entry of a (p, p) matrix,
# and per entry of one such matrix per arm. Other bandits are assumed to cost as much as BLTS.
PAPER = {
    "LinTS": (1.4, 0.036, 0.11, 0.0, 0.0013, 0.00031),
    "LinUCB": (1.4, 0.014, 0.1, 0.0, 0.0017, 0.0003),
    "BLTS": (2.7, 0.0, 0.0088, 0.055, 0.0026, 0.00088),
    "BLUCB": (0.44, 0.0, 0.0, 0.14, 0.0019, 0.00048),
    "ILTCB": (2.3, 0.71, 0.24, 0.13, 0.003, 0.0),
}
# The references have the ridge regressions of LinTS, and their choice of an arm costs about as much.
STEP = PAPER | dict.fromkeys(("EpsilonGreedy", "Greedy", "Uniform", "SquareCB"), PAPER["LinTS"])
SETTINGS = 12  # of BLTS, BLUCB and ILTCB in the default configuration


def seconds(bandit: str, n: int, d: int, K: int, runs: int) -> float:
    """Predicted seconds of a job with ``runs`` runs of a bandit on n rows with d features and K classes.

    >>> seconds("LinTS", 1000, 9, 2, 0)
    0.47
    """
    return START_UP + play_seconds(bandit, n, d, K, runs)


def play_seconds(bandit: str, n: int, d: int, K: int, runs: int) -> float:
    """Those of the runs themselves."""
    p = min(n, d) + 1  # rotation leaves at most n columns
    alone, arm, column, both, matrix, matrices = STEP.get(bandit, STEP["BLTS"])
    step = alone + arm * K + column * p + both * K * p + (matrix + matrices * K) * p**2
    return runs * n * 1e-6 * step


def shuffle_seconds(n: int, d: int, K: int, readings: int) -> float:
    """Predicted seconds of one shuffle of a dataset: 12 settings of each of the paper's bandits, under each reading.

    Shuffles are counted by this, whichever bandits play, so that a run with more or fewer of them replays nothing.
    """
    return sum(play_seconds(bandit, n, d, K, readings * SETTINGS) for bandit in PAPER)


def megabytes(bandit: str, n: int, d: int, K: int, runs: int) -> int:
    """Predicted memory of these runs.

    It covers the interpreter with its compiled code; the contexts as read, as a design matrix and in the order of play;
    the matrices of each arm; rewards and propensities; the results of the runs.
    """
    p = min(n, d) + 1
    numbers = 4 * n * (d + 1) + 4 * K * p**2 + 10 * n * K
    return 330 + int((8 * numbers + runs * n / 8) / 2**20)


# A run of the synthetic example, by the CPU seconds of a few runs with 300 and 10,000 rounds (two cores of a shared
# machine): milliseconds per run, mainly for comparing policies with the optima; microseconds per round apart from
# refits; nanoseconds per row of a refit by criterion, and per row and draw of a Monte Carlo propensity.
RUN = 2.5
ROUND = {"LinTS": 1.45, "LinUCB": 1.45, "BLTS": 3.35, "BLUCB": 2.25}
REFIT_ROW = {"loo": 24.0, "gcv": 12.0, "kfold": 140.0, "fixed": 0.0}
DRAW = 120.0


def synthetic_seconds(bandit: str, rounds: int, choices: Mapping[str, Any]) -> float:
    """Predicted CPU seconds of one run of the synthetic example, given the choices of the bandit."""
    per_row = REFIT_ROW[choices["criterion"]]
    if choices.get("propensity") == "monte_carlo":
        per_row += DRAW * choices["draws"]
    return 1e-3 * RUN + 1e-6 * ROUND[bandit] * rounds + 1e-9 * per_row * refit_rows(rounds, choices["schedule"])


def refit_rows(rounds: int, schedule: Any) -> float:
    """The number of rows in all refits of a run, if one arm has them all: other divisions have fewer.

    >>> refit_rows(10_000, "every_step"), refit_rows(10_000, {"batch": 50}), refit_rows(10_000, {"geometric": 0.05})
    (50005000.0, 1005000.0, 210000.0)
    """
    kind, number = ("batch", 1) if schedule == "every_step" else next(iter(schedule.items()))
    if kind == "batch" or number == 0:
        step = number if kind == "batch" else 1
        return rounds * (rounds + step) / (2.0 * step)
    return rounds * (1.0 + number) / number
