"""BLTS: balanced linear Thompson sampling (Algorithm 1 of the paper)."""

from collections.abc import Mapping, Sequence

import numpy as np

from balanced_bandits.bandits.linear import LinearBandit
from balanced_bandits.bandits.loop import NEXT_TURN, ROUNDS, loops
from balanced_bandits.bandits.memory import (
    COUNT_AT,
    COUNTED,
    PICTURE_AT,
    UNIFORM,
    later,
    new_memory,
    refit,
    remember,
)
from balanced_bandits.bandits.parameters import DEFAULTS
from balanced_bandits.bandits.residual import balance_residuals
from balanced_bandits.bandits.thompson import choose, look, propensities
from balanced_bandits.core.kernels import kernel, tight, written_out
from balanced_bandits.estimation.propensity import (
    ASSIGNMENT,
    EXACT,
    add_shares,
    keep_posterior,
    monte_carlo_propensity,
    put_posterior,
    win_probability,
)
from balanced_bandits.estimation.residual_balancing import INVERSE_PROPENSITY
from balanced_bandits.estimation.ridge import forget, someone_is_new


@tight
def take(memory, z, arm, reward, uniform, known, options):
    """Line 11: observe the reward of ``arm`` at ``z``; until the next refresh, its propensity is that of the choice.

    With residual balancing, its weight until then is 1, the mean of the weights.
    """
    weight = 1.0
    if options.weights == INVERSE_PROPENSITY:
        propensity = 1.0 / memory.means.size
        if not uniform:
            if not known:
                look(memory, z, options)
            propensity = win_probability(memory.means, memory.deviations, arm, memory.nodes)
        weight = 1.0 / max(options.gamma, propensity)
    remember(memory, z, arm, reward, weight, uniform, known, options)


@written_out
def refresh(memory, arm, options, rng):
    """Lines 12-21: when due, recompute the propensities, the weights and the arm's estimate."""
    clock = memory.clock
    turn = options.method != ASSIGNMENT and clock[ROUNDS] >= clock[NEXT_TURN]
    if turn and clock[ROUNDS] >= clock[COUNT_AT]:
        count_periods(memory, options, rng)
    if memory.arms.pulls[arm] >= memory.due[arm]:
        if options.weights == INVERSE_PROPENSITY:
            balance(memory, arm, options, rng)
        else:
            balance_residuals(memory, arm, options)
        refit(memory, arm, options)
    if turn:
        take_picture(memory, options)


@kernel
def count_periods(memory, options, rng):
    """Include the periods of the interval that ends now in the propensities, and draw the one that represents the next.

    The interval is as long as the schedule of propensities says. Rounds before every arm had an estimate are uniform,
    and need no posterior: intervals begin after them.
    """
    clock, store = memory.clock, memory.posteriors
    now = clock[ROUNDS]
    periods = now - clock[UNIFORM] - clock[COUNTED]
    if periods > 0:
        if options.method == EXACT:
            see(memory, np.flatnonzero(np.isnan(memory.shares[:now])))
            place = store.periods.size - 1
            add_shares(
                memory.rows[:now], memory.chosen[:now], store.theta[place], store.factor[place], store.scale[place],
                periods, memory.shares[:now],
            )  # fmt: skip
        keep_posterior(store, periods, rng)
        clock[COUNTED] += periods
    if someone_is_new(memory.arms):
        clock[COUNT_AT], clock[PICTURE_AT] = now + 1, -1
    else:
        clock[COUNT_AT] = later(now, options.count_batch, options.count_rho)
        clock[PICTURE_AT] = now + int(rng.random() * (clock[COUNT_AT] - now))


@kernel
def take_picture(memory, options):
    """Keep the posterior that the next round is chosen with, if that round represents the interval."""
    clock, store, arms = memory.clock, memory.posteriors, memory.arms
    if 0 <= clock[PICTURE_AT] <= clock[ROUNDS]:
        put_posterior(store, store.periods.size - 1, arms.theta, arms.inverse, arms.scale, options.alpha**2)
        clock[PICTURE_AT] = -1
    clock[NEXT_TURN] = clock[COUNT_AT] if clock[PICTURE_AT] < 0 else clock[PICTURE_AT]


@kernel
def see(memory, places):
    """Sum the probability of its arm over all counted periods, for observations that have arrived since."""
    store, rows, chosen = memory.posteriors, memory.rows[places], memory.chosen[places]
    shares = np.zeros(places.size)
    for c in range(store.number[0]):
        add_shares(rows, chosen, store.theta[c], store.factor[c], store.scale[c], store.periods[c], shares)
    for i in range(places.size):
        memory.shares[places[i]] = shares[i]


@kernel
def unseen(memory, arm):
    """The places of the arm's observations whose propensity is not known yet, from the last one backwards."""
    number, tau = 0, memory.last[arm]
    while tau >= 0 and np.isnan(memory.shares[tau]):
        number, tau = number + 1, memory.before[tau]
    places, tau = np.empty(number, dtype=np.int64), memory.last[arm]
    for i in range(number):
        places[i], tau = tau, memory.before[tau]
    return places


@kernel
def balance(memory, arm, options, rng):
    """Lines 12-16: recompute the weights 1 / max(gamma, propensity) of the arm's own history.

    Exact propensities change only when periods are counted; until then, only new observations need a weight.
    """
    if options.method == ASSIGNMENT:
        return
    clock, number = memory.clock, memory.arms.pulls.size
    total = clock[UNIFORM] + clock[COUNTED]
    if options.method == EXACT:
        places = unseen(memory, arm)
        see(memory, places)
        if memory.weighed[arm] != total:
            places = all_of(memory, arm)
            forget(memory.arms, arm)
        for tau in places:
            propensity = (memory.shares[tau] + clock[UNIFORM] / number) / total
            memory.weights[tau] = 1.0 / max(options.gamma, propensity)
    else:
        for tau in all_of(memory, arm):
            propensity = monte_carlo_propensity(
                memory.posteriors, clock[UNIFORM], memory.rows[tau], arm, options.draws, rng
            )
            memory.weights[tau] = 1.0 / max(options.gamma, propensity)
        forget(memory.arms, arm)
    memory.weighed[arm] = total


@kernel
def all_of(memory, arm):
    """The places of all of the arm's observations, from the last one backwards."""
    places, tau = np.empty(memory.arms.pulls[arm], dtype=np.int64), memory.last[arm]
    for i in range(places.size):
        places[i], tau = tau, memory.before[tau]
    return places


class BLTS(LinearBandit):
    """Balanced linear Thompson sampling (Algorithm 1 of the paper)."""

    BALANCED = True
    LOOPS = loops("BLTS", new_memory=new_memory, choose=choose, take=take, refresh=refresh)
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
        propensity: str = DEFAULTS["propensity"],
        draws: int = DEFAULTS["draws"],
        posteriors: int | str = DEFAULTS["posteriors"],
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
