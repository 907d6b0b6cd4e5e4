"""Propensities of Thompson sampling where all arms have the same standard deviation, as in DRTS.

With gaps g_a between the highest mean and that of arm a, in units of the deviation, the probability that the draw of
arm a is the highest is

    integral of  density(u + g_a)  product over b != a of Phi(u + g_b)  du

The integrand is smooth and vanishes at both ends, so the trapezoidal rule converges exponentially; the same nodes serve
all arms, so that K arms cost K evaluations per node instead of K^2. The error is below 1e-8 for up to a hundred arms;
with a thousand, the highest draw has so narrow a distribution that the relative error can be 1e-5
(tests/unit/estimation/test_common_deviation.py).
"""

import math

from balanced_bandits.core.kernels import tight
from balanced_bandits.estimation.propensity import phi

LOW, STEP, NODES = -6.0, 0.25, 57  # from -6 to 8: the highest of thousands of draws is above 8 with probability 1e-12
FAR = 8.0  # gap from which an arm is ignored: it wins with a probability below 1e-8
ROOT = math.sqrt(2.0 * math.pi)


@tight
def win_probabilities_alike(means, deviation, scratch, result):
    """Write to ``result`` (K,) the probability that each arm's normal draw is the highest; ``scratch`` is (2, K).

    Without a deviation, the arms with the highest mean are equally probable.
    """
    highest, near = means[0], 0
    for a in range(1, means.size):
        highest = max(highest, means[a])
    for a in range(means.size):
        gap = highest - means[a]
        gap = gap / deviation if deviation > 0.0 else (0.0 if gap == 0.0 else FAR)
        scratch[0, a] = gap
        result[a] = 0.0
        near += 1 if gap < FAR else 0
    total = 0.0
    if near == 1 or not deviation > 0.0:
        for a in range(means.size):
            result[a] = 1.0 if scratch[0, a] < FAR else 0.0
            total += result[a]
    else:
        for k in range(NODES):
            u, product = LOW + k * STEP, 1.0
            for a in range(means.size):
                if scratch[0, a] < FAR:
                    scratch[1, a] = phi(u + scratch[0, a])
                    product *= scratch[1, a]
            for a in range(means.size):
                if scratch[0, a] < FAR:
                    at = u + scratch[0, a]
                    share = STEP / ROOT * math.exp(-0.5 * at * at) * product / scratch[1, a]
                    result[a] += share
                    total += share
    for a in range(means.size):
        result[a] /= total
