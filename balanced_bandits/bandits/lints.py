"""LinTS: linear Thompson sampling (section 2.2 of the paper)."""

from collections.abc import Mapping, Sequence

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import loops
from balanced_bandits.bandits.memory import new_memory, refresh_unbalanced, take_unbalanced
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.bandits.thompson import choose, propensities


class LinTS(LinearBandit):
    """Linear Thompson sampling (section 2.2 of the paper)."""

    LOOPS = loops("LinTS", new_memory=new_memory, choose=choose, take=take_unbalanced, refresh=refresh_unbalanced)
    _propensities = staticmethod(propensities)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        alpha: float = DEFAULTS["alpha"],
        intercept: str = DEFAULTS["intercept"],
        lams: Sequence[float] = DEFAULTS["lams"],
        lams_unit: str = DEFAULTS["lams_unit"],
        criterion: str = DEFAULTS["criterion"],
        ties: str = DEFAULTS["ties"],
        folds: int = DEFAULTS["folds"],
        schedule: str | Mapping[str, float] = DEFAULTS["schedule"],
        variance: str = DEFAULTS["variance"],
        prior_weight: float = DEFAULTS["prior_weight"],
        prior_variance: float = DEFAULTS["prior_variance"],
    ) -> None:
        self._start(locals())
