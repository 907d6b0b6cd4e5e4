"""One ridge regression for each arm, updated after every observation.

For the rows z = (1, x) that an arm has seen, and with D = diag(0, 1, ..., 1) (the intercept is not
penalised):

    B     = Z'Z + lam D                 theta = B^-1 Z'r
    cost  = min over theta of  RSS + lam |slopes|^2

An observation changes all of them by a rank-one step, in O(p^2) for p = d + 1.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.compilation import kernel

RESIDUAL = 0  # V = B^-1 s2, where s2 is the residual variance
LITERAL = 1  # V = B^-1 RSS, the algorithm boxes of the paper as they are printed
VARIANCES = {"residual": RESIDUAL, "literal": LITERAL}


class Model(NamedTuple):
    """The choices that all arms share.

    ``variance`` says how V, the variance of theta, is scaled:

    RESIDUAL  s2 = (RSS + prior_weight * prior_variance) / (pulls - freedom + prior_weight). The prior is
              worth ``prior_weight`` observations of variance ``prior_variance``; without it an arm that
              has seen equal rewards only would have s2 = 0 and never be explored again.
    LITERAL   s2 = RSS, undivided, as the paper prints it; it does not shrink as observations come in.
    """

    lam: float
    variance: int
    prior_weight: float
    prior_variance: float


class Arms(NamedTuple):
    """The estimates of K arms with p coefficients each; arrays that the kernels change in place."""

    inverse: NDArray[np.float64]  # (K, p, p): B^-1
    theta: NDArray[np.float64]  # (K, p): coefficients, the intercept first
    pulls: NDArray[np.int64]  # (K,): observations
    cost: NDArray[np.float64]  # (K,): penalised residual sum of squares at theta
    freedom: NDArray[np.float64]  # (K,): effective degrees of freedom, the trace of the hat matrix
    scale: NDArray[np.float64]  # (K,): s2 of V = B^-1 s2
    leverage: NDArray[np.float64]  # (K, p): scratch, B^-1 z for the context looked at last


@kernel
def new_arms(number, size):
    """``number`` arms with ``size`` coefficients that have seen nothing yet."""
    return Arms(
        np.zeros((number, size, size)),
        np.zeros((number, size)),
        np.zeros(number, dtype=np.int64),
        np.zeros(number),
        np.zeros(number),
        np.zeros(number),
        np.zeros((number, size)),
    )


@kernel
def project(arms, arm, context):
    """z'theta and z'B^-1 z of ``arm``, with z = (1, context); leaves B^-1 z in ``arms.leverage[arm]``."""
    inverse, theta, leverage = arms.inverse[arm], arms.theta[arm], arms.leverage[arm]
    # B^-1 is symmetric: summing its rows, not taking dot products with them, lets the compiler use
    # vector instructions without changing the order of any addition.
    for j in range(leverage.size):
        leverage[j] = inverse[0, j]
    for i in range(context.size):
        for j in range(leverage.size):
            leverage[j] += context[i] * inverse[i + 1, j]
    mean, quadratic = theta[0], leverage[0]
    for i in range(context.size):
        mean += context[i] * theta[i + 1]
        quadratic += context[i] * leverage[i + 1]
    return mean, max(quadratic, 0.0)


@kernel
def predict(arms, arm, context):
    """Mean and standard deviation of the reward of ``arm`` at ``context``: z'theta and sqrt(z'Vz)."""
    mean, quadratic = project(arms, arm, context)
    return mean, np.sqrt(arms.scale[arm] * quadratic)


@kernel
def observe(arms, arm, context, reward, model):
    """Add one observation of ``arm``: a rank-one step of B^-1, theta, the cost and the scale of V."""
    inverse, theta, leverage = arms.inverse[arm], arms.theta[arm], arms.leverage[arm]
    size = theta.size
    if arms.pulls[arm] == 0:
        # B = zz' + lam D, which has its inverse in closed form; the fit is the reward itself.
        norm = 0.0
        for i in range(1, size):
            inverse[i, i] = 1.0 / model.lam
            inverse[0, i] = inverse[i, 0] = -context[i - 1] / model.lam
            norm += context[i - 1] * context[i - 1]
        inverse[0, 0] = 1.0 + norm / model.lam
        theta[0] = reward
        arms.freedom[arm] = 1.0
    else:
        mean, quadratic = project(arms, arm, context)
        gain = 1.0 / (1.0 + quadratic)
        error = reward - mean
        for i in range(size):
            step = gain * leverage[i]
            theta[i] += error * step
            for j in range(size):
                inverse[i, j] -= step * leverage[j]
            if i > 0:
                # freedom = trace(B^-1 Z'Z) = p - lam * (trace of B^-1 over the slopes)
                arms.freedom[arm] += model.lam * step * leverage[i]
        arms.cost[arm] += gain * error * error
    arms.pulls[arm] += 1
    penalty = 0.0
    for i in range(1, size):
        penalty += model.lam * theta[i] * theta[i]
    rss = max(arms.cost[arm] - penalty, 0.0)
    if model.variance == LITERAL:
        arms.scale[arm] = rss
    else:
        left = max(arms.pulls[arm] - arms.freedom[arm], 0.0)
        arms.scale[arm] = (rss + model.prior_weight * model.prior_variance) / (left + model.prior_weight)


@kernel
def best_of(values, rng):
    """Index of the largest value; among equal ones each is as likely, drawn from ``rng``."""
    best, ties = 0, 1
    for i in range(1, values.size):
        if values[i] > values[best]:
            best, ties = i, 1
        elif values[i] == values[best]:
            ties += 1
            if rng.random() * ties < 1.0:
                best = i
    return best
