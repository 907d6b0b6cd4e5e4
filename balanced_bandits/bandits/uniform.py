"""Uniform: every arm with the same probability in every round; what any bandit has to beat. Not in the paper."""

from typing import Any

from balanced_bandits.bandits.epsilon_greedy import EpsilonGreedy


class Uniform(EpsilonGreedy):
    """EpsilonGreedy that only explores; it learns what the arms are worth all the same."""

    @classmethod
    def options(cls, choices: dict[str, Any]) -> Any:
        """As those of any linear bandit, with epsilon = 1."""
        return super().options(choices | {"epsilon": 1.0})
