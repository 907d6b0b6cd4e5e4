"""95 % intervals for shares, differences of shares, and means."""

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054  # 97.5 % quantile of the normal distribution


def wilson(found: float, of: int) -> tuple[float, float]:
    """Wilson's interval for the share ``found`` / ``of``.

    >>> tuple(round(end, 3) for end in wilson(0, 20))
    (0.0, 0.161)
    """
    share, extra = found / of, Z**2 / of
    centre = share + extra / 2.0
    half = np.sqrt(extra * (share * (1.0 - share) + extra / 4.0))
    return max(0.0, float((centre - half) / (1.0 + extra))), min(1.0, float((centre + half) / (1.0 + extra)))


def paired_difference(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Difference of two shares over the same simulations, with its interval.

    This is Newcombe's hybrid score interval for paired shares (Statistics in Medicine 17, 1998, method 10). It is based
    on Wilson's intervals, so its width is positive even if the two agree in every simulation.
    """
    n = len(first)
    both, neither = int((first & second).sum()), int((~first & ~second).sum())
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    p, q = (both + only_first) / n, (both + only_second) / n
    (p_low, p_high), (q_low, q_high) = wilson(both + only_first, n), wilson(both + only_second, n)
    product = float(both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    excess = float(both * neither - only_first * only_second)
    if excess > 0.0:
        excess = max(excess - n / 2.0, 0.0)
    together = excess / np.sqrt(product) if product else 0.0

    def reach(mine: float, theirs: float) -> float:
        return float(np.sqrt(max(mine**2 - 2.0 * together * mine * theirs + theirs**2, 0.0)))

    return p - q, p - q - reach(p - p_low, q_high - q), p - q + reach(p_high - p, q - q_low)


def mean(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean over the first axis, with its normal interval; for a single value the interval is the value itself."""
    centre = values.mean(axis=0)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros_like(centre)
    return centre, centre - Z * error, centre + Z * error
