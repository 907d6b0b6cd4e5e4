"""BLUCB: balanced linear UCB (Algorithm 2 of the paper)."""

from collections.abc import Mapping, Sequence

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import (
    COUNTED,
    later,
    new_memory,
    refit,
    remember,
)
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.bandits.residual import balance_residuals
from balanced_bandits.bandits.upper_bound import choose, propensities
from balanced_bandits.core.kernels import tight, written_out
from balanced_bandits.estimation.logistic import fit_logistic, probability
from balanced_bandits.estimation.residual_balancing import INVERSE_PROPENSITY
from balanced_bandits.estimation.ridge import forget


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 10: observe the reward of ``arm`` at ``z``; until the next refresh, the last fit gives its propensity.

    With residual balancing, its weight until then is 1, the mean of the weights.
    """
    weight = 1.0
    if options.weights == INVERSE_PROPENSITY:
        weight = 1.0 / max(options.gamma, probability(memory.coefficients, z, memory.means.size, arm))
    remember(memory, z, arm, reward, weight, uniform, known, options)


@written_out
def refresh(memory, arm, options, rng):
    """Lines 11-20: when due, re-estimate the propensities, and recompute the weights and the arm's estimate."""
    clock, pulls = memory.clock, memory.arms.pulls
    now = clock[ROUNDS]
    if now >= clock[NEXT_TURN]:
        if pulls.min() > 0:
            fit_logistic(
                memory.coefficients, memory.rows[:now], memory.chosen[:now], pulls.size, options.ones,
                options.penalty_c, options.tolerance,
            )  # fmt: skip
            clock[COUNTED] = now
        clock[NEXT_TURN] = later(now, options.count_batch, options.count_rho)
    if pulls[arm] >= memory.due[arm]:
        if options.weights != INVERSE_PROPENSITY:
            balance_residuals(memory, arm, options)
        elif memory.weighed[arm] != clock[COUNTED]:  # else the weights are those of the last regression already
            balance(memory, arm, options)
        refit(memory, arm, options)


@written_out
def balance(memory, arm, options):
    """Lines 11-15: recompute the weights 1 / max(gamma, estimated propensity) of the arm's own history."""
    t = memory.last[arm]
    while t >= 0:
        estimated = probability(memory.coefficients, memory.rows[t], memory.arms.pulls.size, arm)
        memory.weights[t] = 1.0 / max(options.gamma, estimated)
        t = memory.before[t]
    forget(memory.arms, arm)
    memory.weighed[arm] = memory.clock[COUNTED]


class BLUCB(LinearBandit):
    """Balanced linear upper confidence bounds (Algorithm 2 of the paper)."""

    BALANCED = True
    LOOPS = loops("BLUCB", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
    _propensities = staticmethod(propensities)

    def __init__(
        self,
        n_arms: int,
        n_features: int,
        *,
        seed: int = 0,
        alpha: float = DEFAULTS["alpha"],
        gamma: float = DEFAULTS["gamma"],
        weights: str = DEFAULTS["weights"],
        zeta: float = DEFAULTS["zeta"],
        propensity_schedule: str | Mapping[str, float] = DEFAULTS["propensity_schedule"],
        logistic_c: float = DEFAULTS["logistic_c"],
        logistic_tolerance: float = DEFAULTS["logistic_tolerance"],
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
