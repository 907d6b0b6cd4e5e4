"""How SquareCB and DRTS draw an arm: from probabilities that they compute first."""

from balanced_bandits.core.kernels import tight


@tight
def draw(probabilities, rng):
    """Draw an arm; one with probability 0 is never drawn, whatever the rounding errors of their sum."""
    left, arm = rng.random(), 0
    for a in range(probabilities.size):
        if probabilities[a] > 0.0:
            arm = a
            if left < probabilities[a]:
                break
            left -= probabilities[a]
    return arm
