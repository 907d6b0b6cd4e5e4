"""What a job of the classification experiment costs, predicted from the row of its dataset.

Fitted to one setting of each bandit on the datasets of the suite ``embedded``, with geometric refreshes at 5 %, on one
core: given the number of columns after encoding, most jobs are predicted within a factor of two. What a suite has is
the number before it: where categorical columns become many, a job takes longer than predicted.
"""

START_UP = 1.5  # seconds: Python, imports, compiled code from its cache
# Microseconds a step: for itself, for each arm, for each of p columns, each arm and column, and each entry of a (p, p)
# matrix. For a bandit that is not here, those of BLUCB, the slowest.
STEP = {
    "LinTS": (0.2, 0.0, 0.26, 0.0, 0.004),
    "LinUCB": (0.4, 0.0, 0.24, 0.0, 0.0034),
    "BLTS": (0.0, 0.7, 0.23, 0.034, 0.006),
    "BLUCB": (0.0, 0.4, 0.4, 0.09, 0.006),
    "ILTCB": (0.6, 0.1, 0.05, 0.004, 0.0003),
}


def seconds(bandit: str, n: int, d: int, K: int, runs: int) -> float:
    """Seconds that ``runs`` runs of a bandit take on n rows with d features and K classes.

    >>> seconds("LinTS", 1000, 9, 2, 0)
    1.5
    """
    p = min(n, d) + 1  # no more directions than rows
    alone, arm, column, both, matrix = STEP.get(bandit, STEP["BLUCB"])
    return START_UP + runs * n * 1e-6 * (alone + arm * K + column * p + both * K * p + matrix * p**2)


def megabytes(bandit: str, n: int, d: int, K: int, runs: int) -> int:
    """Memory of the same.

    The interpreter with its compiled code, the contexts as they are read, as a design and as rows in the order of play,
    matrices for each arm, rewards, propensities, and the packed rounds.
    """
    p = min(n, d) + 1
    numbers = 4 * n * (d + 1) + 4 * K * p**2 + 10 * n * K
    return 330 + int((8 * numbers + runs * n / 8) / 2**20)
