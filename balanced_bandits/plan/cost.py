"""The cost of a job of the classification experiment, predicted from the size of its dataset.

At least 97 % of each bandit's jobs are predicted within a factor of two. The model was fitted to the CPU seconds of
1,500 jobs: the five bandits on 300 public datasets (12 runs each, geometric refreshes at 5 %, one core of a shared
machine). It uses the number of columns after encoding; with the number before encoding, jobs with categorical columns
take longer than predicted. ``benchmarks/fit_cost.py`` fits the constants to the times of a run.

``PAPER`` decides how often a large dataset is shuffled (``shuffle_seconds``): if it changes, so do results. Both
``PAPER`` and ``START_UP`` decide which datasets the calibration uses, the order of jobs, the time that they request on
a cluster, and the time left that is shown.
"""

START_UP = 0.8  # CPU seconds of a job outside its rounds: Python, imports, loading compiled code from the cache
# Microseconds per step: constant, per arm, per column (p of them), per arm and column, per entry of a (p, p) matrix,
# and per entry of one such matrix per arm. Other bandits are assumed to cost as much as BLTS.
PAPER = {
    "LinTS": (2.0, 0.017, 0.052, 0.0006, 0.003, 0.00023),
    "LinUCB": (1.6, 0.007, 0.061, 0.0, 0.0039, 0.00014),
    "BLTS": (1.6, 0.68, 0.0, 0.0, 0.0046, 0.0014),
    "BLUCB": (0.0, 0.64, 0.006, 0.15, 0.0028, 0.00045),
    "ILTCB": (1.0, 1.3, 0.1, 0.08, 0.005, 0.0003),
}
# The references have the ridge regressions of LinTS, and their choice of an arm costs about as much.
STEP = PAPER | dict.fromkeys(("EpsilonGreedy", "Greedy", "Uniform"), PAPER["LinTS"])
SETTINGS = 12  # of BLTS, BLUCB and ILTCB in the default configuration


def seconds(bandit: str, n: int, d: int, K: int, runs: int) -> float:
    """Predicted seconds of a job with ``runs`` runs of a bandit on n rows with d features and K classes.

    >>> seconds("LinTS", 1000, 9, 2, 0)
    0.8
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
