"""A linear bandit by the names of its choices."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.bandits.base import Bandit
from balanced_bandits.bandits.memory import Options, new_memory
from balanced_bandits.estimation.penalty import CRITERIA
from balanced_bandits.estimation.propensity import METHODS
from balanced_bandits.estimation.ridge import VARIANCES, Model

DEFAULTS: dict[str, Any] = {
    "alpha": 1.0,
    "gamma": 0.1,
    "epsilon": 0.1,
    "intercept": "unpenalised",
    "lams": [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4],
    "criterion": "loo",
    "folds": 5,
    "variance": "residual",
    "prior_weight": 0.1,
    "prior_variance": 0.25,
    "schedule": {"geometric": 0.05},
    "propensity": "exact",
    "draws": 100,
    "posteriors": 8,
    "logistic_c": 1.0,
    "logistic_tolerance": 1e-4,
}
INTERCEPTS = ("unpenalised", "penalised", "none")


def options_of(choices: dict[str, Any], *, balanced: bool = False, thompson: bool = False) -> Options:
    """The choices by name, with defaults for those not given, as the kernels take them.

    alpha           amount of exploration
    gamma           propensities below it count as gamma (balanced bandits)
    epsilon         share of rounds that explore (EpsilonGreedy)
    intercept       unpenalised, penalised, or none
    lams            the grid of penalties; criterion: loo, gcv, kfold (with folds), or fixed (one lam)
    variance        residual (with prior_weight and prior_variance) or literal; see ``ridge.Model``
    schedule        when lam and weights are refreshed: "every_step", {"batch": b} or {"geometric": rho}
    propensity      exact, monte_carlo (with draws) or assignment (Thompson sampling); posteriors: how many are kept
    logistic_c      C of the logistic regression (UCB); logistic_tolerance: largest gradient entry at which a fit ends
    """
    unknown = sorted(set(choices) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"unknown choice {', '.join(unknown)}; known are {', '.join(DEFAULTS)}.")
    given = DEFAULTS | choices
    _one_of("intercept", given["intercept"], INTERCEPTS)
    for name, known in (("criterion", CRITERIA), ("variance", VARIANCES), ("propensity", METHODS)):
        _one_of(name, given[name], known)
    lams = np.array(sorted(given["lams"]), dtype=float)
    if lams.ndim != 1 or not lams.size or not (np.isfinite(lams) & (lams > 0)).all():
        raise ValueError(f"lams is {given['lams']!r}, but must be a list of finite numbers above 0.")
    if given["criterion"] == "fixed" and lams.size != 1:
        raise ValueError(f"lams is {given['lams']!r}, but the criterion 'fixed' takes exactly one.")
    for name, low, open_end in (
        ("alpha", 0.0, False), ("gamma", 0.0, True), ("epsilon", 0.0, False), ("prior_weight", 0.0, False),
        ("prior_variance", 0.0, True), ("folds", 2, False), ("draws", 1, False), ("posteriors", 2, False),
        ("logistic_c", 0.0, True), ("logistic_tolerance", 0.0, True),
    ):  # fmt: skip
        if not np.isfinite(given[name]) or given[name] < low or (open_end and given[name] == low):
            raise ValueError(f"{name} is {given[name]!r}, but must be {'above' if open_end else 'at least'} {low:g}.")
    for name in ("gamma", "epsilon"):
        if given[name] > 1.0:
            raise ValueError(f"{name} is {given[name]!r}, but must be at most 1.")
    batch, rho = _schedule(given["schedule"])
    model = Model(
        int(given["intercept"] == "unpenalised"),
        lams,
        CRITERIA[given["criterion"]],
        int(given["folds"]),
        VARIANCES[given["variance"]],
        float(given["prior_weight"]),
        float(given["prior_variance"]),
    )
    return Options(
        model,
        float(given["alpha"]),
        float(given["gamma"]),
        float(given["epsilon"]),
        batch,
        rho,
        METHODS[given["propensity"]],
        int(given["draws"]),
        2 * (int(given["posteriors"]) // 2) if balanced and thompson and given["propensity"] != "assignment" else 0,
        balanced,
        float(given["logistic_c"]),
        float(given["logistic_tolerance"]),
        int(given["intercept"] != "none"),
    )


def _one_of(name: str, value: Any, known: Any) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}, but must be one of {', '.join(known)}.")


def _schedule(schedule: Any) -> tuple[int, float]:
    """A schedule by name as the numbers (batch, rho)."""
    if schedule == "every_step":
        return 1, 0.0
    if isinstance(schedule, dict) and len(schedule) == 1:
        kind, value = next(iter(schedule.items()))
        if kind == "batch" and value >= 1 and value == int(value):
            return int(value), 0.0
        if kind == "geometric" and 0.0 <= value < np.inf:
            return 1, float(value)
    raise ValueError(f"schedule is {schedule!r}, but must be 'every_step', {{'batch': b}} or {{'geometric': rho}}.")


class LinearBandit(Bandit):
    """A bandit with a ridge regression for each arm; ``options_of`` describes its choices."""

    CHOICES = DEFAULTS
    BALANCED: ClassVar[bool] = False
    THOMPSON: ClassVar[bool] = False
    _new_memory = staticmethod(new_memory)

    @classmethod
    def options(cls, choices: dict[str, Any]) -> Options:
        """The choices by name, with defaults for those not given, as the kernels take them."""
        return options_of(choices, balanced=cls.BALANCED, thompson=cls.THOMPSON)

    @classmethod
    def _account(cls, memory: Any, options: Any) -> tuple[NDArray[np.float64], float]:
        """The penalties at the end of a run, and the share of its rounds whose weight is the largest, 1 / gamma."""
        at_gamma = memory.weights >= (1.0 - 1e-12) / options.gamma
        return memory.arms.lam, float(at_gamma.mean()) if cls.BALANCED else np.nan

    @property
    def penalties(self) -> NDArray[np.float64]:
        """The penalty lambda in force for each arm (K,)."""
        lam: NDArray[np.float64] = self._memory.arms.lam.copy()
        return lam

    def _arm_facts(self) -> dict[str, NDArray[Any]]:
        return super()._arm_facts() | {"lambda": self._memory.arms.lam}
