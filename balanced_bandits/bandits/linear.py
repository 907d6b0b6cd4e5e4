"""The base class of bandits with one ridge regression per arm."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.base import Bandit
from balanced_bandits.bandits.memory import Options, intervals_until, new_memory
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.estimation.penalty import CRITERIA, TIES
from balanced_bandits.estimation.propensity import METHODS
from balanced_bandits.estimation.residual_balancing import INVERSE_PROPENSITY, WEIGHTS
from balanced_bandits.estimation.ridge import UNITS, VARIANCES, Model


def schedule_numbers(schedule: Any) -> tuple[int, float]:
    """A schedule as the kernels take it: a batch of observations, and a share by which their number grows."""
    numbers = {} if schedule == "every_step" else schedule
    return numbers.get("batch", 1), numbers.get("geometric", 0.0)


class LinearBandit(Bandit):
    """A bandit with one ridge regression per arm."""

    BALANCED: ClassVar[bool] = False
    _new_memory = staticmethod(new_memory)

    @classmethod
    def _options(cls, values: dict[str, Any]) -> Options:
        """The parameters in the form that the kernels take; those that the bandit does not have are never used."""
        value = DEFAULTS | values
        batch, rho = schedule_numbers(value["schedule"])
        count_batch, count_rho = schedule_numbers(value["propensity_schedule"])
        model = Model(
            free=int(value["intercept"] == "unpenalised"),
            lams=np.array(value["lams"]),
            criterion=CRITERIA[value["criterion"]],
            folds=value["folds"],
            ties=TIES[value["ties"]],
            variance=VARIANCES[value["variance"]],
            prior_weight=value["prior_weight"],
            prior_variance=value["prior_variance"],
            unit=UNITS[value["lams_unit"]],
        )
        weights = WEIGHTS[value["weights"]]
        keeps_posteriors = (
            "posteriors" in values and value["propensity"] != "assignment" and weights == INVERSE_PROPENSITY
        )
        return Options(
            model=model,
            alpha=value["alpha"],
            gamma=value["gamma"],
            epsilon=value["epsilon"],
            gamma_scale=value["gamma_scale"],
            batch=batch,
            rho=rho,
            count_batch=count_batch,
            count_rho=count_rho,
            method=METHODS[value["propensity"]],
            draws=value["draws"],
            posteriors=(-1 if value["posteriors"] == "all" else value["posteriors"]) if keeps_posteriors else 0,
            balanced=cls.BALANCED,
            weights=weights,
            zeta=value["zeta"],
            penalty_c=value["logistic_c"],
            tolerance=value["logistic_tolerance"],
            ones=int(value["intercept"] != "none"),
        )

    @classmethod
    def _account(cls, memory: Any, options: Any) -> tuple[NDArray[np.float64], float]:
        """The penalties at the end of a run, and the share of rounds with the largest weight, 1 / gamma."""
        clipping = cls.BALANCED and options.weights == INVERSE_PROPENSITY
        at_gamma = memory.weights >= (1.0 - 1e-12) / options.gamma
        return memory.arms.lam, float(at_gamma.mean()) if clipping else np.nan

    def _grow(self) -> None:
        """Make room for as many observations again and, if all posteriors are kept, for those of their intervals."""
        super()._grow()
        if self._options_.posteriors < 0:
            old, number = self._memory.posteriors, self._memory.posteriors.number
            places = intervals_until(len(self._memory.rows), self._options_) + 1
            grown: list[NDArray[Any]] = []
            for array in old[:-1]:
                longer = np.zeros((places, *array.shape[1:]))
                longer[: len(array) - 1], longer[-1] = array[:-1], array[-1]  # that of the present interval stays last
                grown.append(longer)
            self._memory = self._memory._replace(posteriors=type(old)(*grown, number))

    @property
    def penalties(self) -> NDArray[np.float64]:
        """The current penalty lambda of each arm (K,)."""
        lam: NDArray[np.float64] = self._memory.arms.lam.copy()
        return lam

    def _arm_facts(self) -> dict[str, NDArray[Any]]:
        return super()._arm_facts() | {"lambda": self._memory.arms.lam}
