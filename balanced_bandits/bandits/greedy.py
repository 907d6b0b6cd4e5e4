"""Greedy: the arm with the largest estimate in every round; no exploration after the first rounds. Not in the paper."""

from collections.abc import Mapping, Sequence
from typing import Any

from balanced_bandits.bandits.epsilon_greedy import EpsilonGreedy
from balanced_bandits.bandits.parameters import DEFAULTS


class Greedy(EpsilonGreedy):
    """Chooses the arm with the largest estimate; it explores only until every arm has an observation."""

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        lams_unit: str = DEFAULTS["lams_unit"],
        criterion: str = DEFAULTS["criterion"],
        ties: str = DEFAULTS["ties"],
        folds: int = DEFAULTS["folds"],
        schedule: str | Mapping[str, float] = DEFAULTS["schedule"],
    ) -> None:
        self._start(locals())

    @classmethod
    def _options(cls, values: dict[str, Any]) -> Any:
        """The options of an EpsilonGreedy that never explores."""
        return super()._options(values | {"epsilon": 0.0})
