"""How likely the percentages of the paper's Table 1 are, given how often our simulations find the optimum.

The paper's number of simulations N is not known. For each of its numbers, our count of finds among n simulations gives
a distribution of the true rate, Beta(found + 1/2, n - found + 1/2) (Jeffreys' prior), and the paper's count is binomial
with that rate: beta-binomial in all. So 0 of 20 does not exclude a rate above 0. Numbers are taken as independent.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln

PAPER_SIMULATIONS = (100, 1000)  # the numbers of simulations that the paper may have had
DRAWS = 20_000


def log_likelihood(percent: ArrayLike, of: int, found: ArrayLike, simulations: int) -> NDArray[np.float64]:
    """Log-likelihood (...) of the paper's percentages (cells,) of ``of`` simulations, given our finds (..., cells)."""
    theirs, ours = np.asarray(percent, dtype=float) * of / 100.0, np.asarray(found, dtype=float)
    single: NDArray[np.float64] = _log_probability(theirs, of, ours, simulations)
    total: NDArray[np.float64] = single.sum(axis=-1)
    return total


def p_value(percent: ArrayLike, of: int, found: ArrayLike, simulations: int, rng: np.random.Generator) -> float:
    """Goodness of fit: how often a paper that had this reading would have numbers at most as likely as the real ones.

    Numbers of such papers are drawn from their distribution given our finds (cells,).
    """
    ours = np.asarray(found, dtype=float)
    rates = rng.beta(ours + 0.5, simulations - ours + 0.5, size=(DRAWS, ours.size))
    drawn = _log_probability(rng.binomial(of, rates).astype(float), of, ours, simulations).sum(axis=-1)
    observed = log_likelihood(percent, of, ours, simulations)
    return float((1 + (drawn <= observed + 1e-9).sum()) / (1 + DRAWS))


def _log_probability(
    count: NDArray[np.float64], of: int, found: NDArray[np.float64], simulations: int
) -> NDArray[np.float64]:
    """Log-probability of each count of the paper, given our finds."""
    a, b = found + 0.5, simulations - found + 0.5
    ways = gammaln(of + 1.0) - gammaln(count + 1.0) - gammaln(of - count + 1.0)
    probability: NDArray[np.float64] = ways + betaln(count + a, of - count + b) - betaln(a, b)
    return probability
