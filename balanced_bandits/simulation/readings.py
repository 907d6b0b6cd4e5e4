"""The readings of the paper's variance by name: what each of them means to a bandit."""

from typing import Any

# residual: B^-1 times the residual variance, with a small prior against starving arms (ridge.prior_weight);
# literal: B^-1 times the undivided sum of squares, as the boxes of the paper print it;
# plain: as residual, without the prior.
READINGS: dict[str, dict[str, Any]] = {
    "residual": {"variance": "residual"},
    "literal": {"variance": "literal"},
    "plain": {"variance": "residual", "prior_weight": 0.0},
}
# Bandits that use a variance, and the reading under which the only runs of all others are kept, one's own among them.
WITH_VARIANCE = ("LinTS", "LinUCB", "BLTS", "BLUCB")
ANY = "any"


def readings_of(bandit: str, names: list[str]) -> dict[str, dict[str, Any]]:
    """The choices of each reading that a bandit plays; a bandit that uses no variance plays once, for all readings.

    >>> readings_of("LinTS", ["literal"])
    {'literal': {'variance': 'literal'}}
    >>> readings_of("ILTCB", ["residual", "literal"])
    {'any': {}}
    """
    return {name: READINGS[name] for name in names} if bandit in WITH_VARIANCE else {ANY: {}}
