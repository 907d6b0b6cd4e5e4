"""What a job of the classification experiment costs, predicted from the row of its dataset.

Fitted to the CPU seconds of 1,500 jobs, the five bandits on 300 public datasets (12 runs each, geometric refreshes at
5 %, one core of a shared machine): at least 97 % of each bandit's jobs are predicted within a factor of two. The number
of columns is the one after encoding; with the one before, a job with categorical columns takes longer than predicted.
"""

START_UP = 0.8  # seconds: Python, imports, compiled code from its cache
# Microseconds a step: for itself, for each arm, for each of p columns, each arm and column, each entry of a (p, p)
# matrix, and each of those of each arm. For a bandit that is not here, those of BLTS, the slowest.
STEP = {
    "LinTS": (2.0, 0.017, 0.052, 0.0006, 0.003, 0.00023),
    "LinUCB": (1.6, 0.007, 0.061, 0.0, 0.0039, 0.00014),
    "BLTS": (1.6, 0.68, 0.0, 0.0, 0.0046, 0.0014),
    "BLUCB": (0.0, 0.64, 0.006, 0.15, 0.0028, 0.00045),
    "ILTCB": (0.0, 0.63, 0.045, 0.0011, 0.00034, 0.0),
}


def seconds(bandit: str, n: int, d: int, K: int, runs: int) -> float:
    """Seconds that ``runs`` runs of a bandit take on n rows with d features and K classes.

    >>> seconds("LinTS", 1000, 9, 2, 0)
    0.8
    """
    p = min(n, d) + 1  # no more directions than rows
    alone, arm, column, both, matrix, matrices = STEP.get(bandit, STEP["BLTS"])
    step = alone + arm * K + column * p + both * K * p + (matrix + matrices * K) * p**2
    return START_UP + runs * n * 1e-6 * step


def megabytes(bandit: str, n: int, d: int, K: int, runs: int) -> int:
    """Memory of the same.

    The interpreter with its compiled code, the contexts as they are read, as a design and as rows in the order of play,
    matrices for each arm, rewards, propensities, and the packed rounds.
    """
    p = min(n, d) + 1
    numbers = 4 * n * (d + 1) + 4 * K * p**2 + 10 * n * K
    return 330 + int((8 * numbers + runs * n / 8) / 2**20)
