"""The paper's algorithm boxes in plain NumPy: the place to start reading, and the reference in tests of the kernels.

``algorithm1`` is Algorithm 1, balanced linear Thompson sampling (BLTS); without its lines 12 to 16 it is LinTS
(section 2.2). ``algorithm2`` is Algorithm 2, balanced linear UCB (BLUCB); without its lines 11 to 15 it is LinUCB.
Numbers in end-of-line comments are line numbers of the printed box, including ``else`` and ``end``. Every estimate is
computed from the full history, without update formulas. docs/boxes.md maps each line to its fast kernel.

``Choices`` and the functions below the boxes fill in what the paper leaves open; the names mean the same as the
parameters of the bandits (``bandits.parameters``). With ``schedule = ("geometric", 0)`` everything is refreshed after
every observation, as in the boxes. Otherwise lambda and the weights are recomputed only when a refresh is due; until
then the weight of a new observation uses the propensity at the time of its choice.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import expit, softmax

Array = NDArray[Any]


class Choices(NamedTuple):
    """Parameters that the paper leaves open or tunes; see ``bandits.parameters``."""

    alpha: float = 1.0
    gamma: float = 0.1
    weights: str = "inverse_propensity"
    zeta: float = 0.5
    intercept: str = "unpenalised"
    lams: Sequence[float] = (0.01, 1.0, 100.0)
    lams_unit: str = "one"
    criterion: str = "loo"
    ties: str = "middle"
    folds: int = 5
    variance: str = "residual"
    prior_weight: float = 0.1
    prior_variance: float = 0.25
    schedule: tuple[str, float] = ("geometric", 0.0)
    propensity: str = "exact"
    propensity_schedule: tuple[str, float] = ("geometric", 0.0)
    posteriors: int = 8
    logistic_c: float = 1.0


def algorithm1(
    contexts: Array, rewards: Array, rng: np.random.Generator, choices: Choices, balanced: bool = True,
    forced: Sequence[int] = (),
) -> "list[Arm]":  # fmt: skip
    """Algorithm 1: balanced linear Thompson sampling, or LinTS; returns the arms in their final state.

    ``contexts`` is (T, d) and ``rewards`` (T, K); only the reward of the chosen arm is observed. The first rounds play
    the ``forced`` arms, as in a warm start, which were assigned uniformly at random rather than chosen by the bandit.
    """
    rows, K = with_intercept(contexts, choices.intercept), rewards.shape[1]
    arms = [Arm(choices, rows.shape[1]) for _ in range(K)]  # 2, 3: theta and B are null, X and r are empty
    history = ThompsonHistory(choices, K)
    inverse, residual = (balanced and choices.weights == kind for kind in ("inverse_propensity", "residual_balancing"))
    for t, x in enumerate(rows):  # 4
        uniform = t < len(forced) or any(arm.theta is None for arm in arms)  # 5
        if uniform:
            a = int(forced[t]) if t < len(forced) else int(rng.random() * K)  # 6
            p = 1.0 / K
        else:  # 7
            means, deviations = posterior(arms, x, choices.alpha)
            # For theta~ drawn from N(theta, alpha^2 V), x'theta~ is a draw from N(x'theta, alpha^2 x'Vx).
            sampled = means + deviations * rng.standard_normal(K)  # 8
            a = int(np.argmax(sampled))  # 9
            p = highest(means, deviations, a)
        r = rewards[t, a]  # 11
        arm = arms[a]
        w = 1.0 / max(choices.gamma, p) if inverse else 1.0
        arm.append(t, x, r, w)  # 15, 17, 19
        arm.fit()  # 18, 20, 21
        history.append(x, a, uniform)
        averaged = inverse and choices.propensity == "exact"
        if averaged:
            history.count_periods(arms, rng)
        if arm.refresh.is_due(len(arm.r)):
            if averaged:
                for i, tau in enumerate(arm.times):  # 13
                    arm.w[i] = 1.0 / max(choices.gamma, history.propensity(tau))  # 12, 14, 15
            if residual:
                arm.w = residual_balancing(arm.X, rows[: t + 1].mean(axis=0), choices.zeta)  # section 2.3
            arm.choose_lam()  # "every time the model is updated" (section 4)
            arm.fit()  # 18, 20, 21
        if averaged:
            history.take_picture(arms)
    return arms


def algorithm2(
    contexts: Array, rewards: Array, rng: np.random.Generator, choices: Choices, balanced: bool = True,
    forced: Sequence[int] = (),
) -> "list[Arm]":  # fmt: skip
    """Algorithm 2: balanced linear UCB, or LinUCB; same arguments and return value as ``algorithm1``."""
    rows, K = with_intercept(contexts, choices.intercept), rewards.shape[1]
    arms = [Arm(choices, rows.shape[1]) for _ in range(K)]  # 2, 3
    chosen: list[int] = []
    estimated: Callable[[Array], Array] = lambda x: np.full((len(x), K), 1.0 / K)  # noqa: E731
    refresh = Clock(choices.propensity_schedule)
    inverse, residual = (balanced and choices.weights == kind for kind in ("inverse_propensity", "residual_balancing"))
    for t, x in enumerate(rows):  # 4
        if t < len(forced):
            a = int(forced[t])
        elif any(arm.theta is None for arm in arms):  # 5
            a = int(rng.random() * K)  # 6
        else:  # 7
            means, deviations = posterior(arms, x, choices.alpha)
            a = int(np.argmax(means + deviations))  # 8
        r = rewards[t, a]  # 10
        arm = arms[a]
        chosen.append(a)
        w = 1.0 / max(choices.gamma, estimated(x[None])[0, a]) if inverse else 1.0
        arm.append(t, x, r, w)  # 14, 16, 18
        arm.fit()  # 17, 19, 20
        if inverse and refresh.is_due(t + 1) and len(set(chosen)) == K:
            estimated = logistic_regression(rows[: t + 1], chosen, K, choices)
        if arm.refresh.is_due(len(arm.r)):
            if inverse:
                for i, p in enumerate(estimated(arm.X)[:, a]):  # 12
                    arm.w[i] = 1.0 / max(choices.gamma, p)  # 11, 13, 14
            if residual:
                arm.w = residual_balancing(arm.X, rows[: t + 1].mean(axis=0), choices.zeta)  # section 2.3
            arm.choose_lam()
            arm.fit()  # 17, 19, 20
    return arms


class Arm:
    """The history and the estimate of one arm: X_a, r_a, W_a, B_a, theta_a and V(theta_a) of the boxes."""

    def __init__(self, choices: Choices, size: int) -> None:
        self.choices = choices
        self.theta: Array | None = None
        self.times: list[int] = []
        self.X, self.r, self.w = np.empty((0, size)), np.empty(0), np.empty(0)
        self.lam = choices.lams[place_of_ties(choices)]
        self.refresh = Clock(choices.schedule)
        self.free = int(choices.intercept == "unpenalised")  # leading coefficients that are not penalised

    def append(self, t: int, x: Array, r: float, w: float) -> None:
        """Add an observation: X_a <- [X_a : x'], r_a <- [r_a : r], W_a <- diag(W_a, w)."""
        self.times.append(t)
        self.X, self.r, self.w = np.vstack([self.X, x]), np.append(self.r, r), np.append(self.w, w)

    def fit(self) -> None:
        """Compute B_a, theta_a and V(theta_a) from the history, and s2, the scale of B^-1 in V."""
        self.B, self.theta, rss = ridge(self.X, self.r, self.w, self.lam, self.free)
        if self.choices.variance == "literal":  # as printed in the boxes
            self.s2 = rss
        elif self.choices.variance == "mean":
            self.s2 = rss / len(self.r)
        else:  # the usual estimate of the variance of a reward, with a prior
            freedom = np.trace(np.linalg.solve(self.B, self.X.T @ np.diag(self.w) @ self.X))
            weight, variance = self.choices.prior_weight, self.choices.prior_variance
            self.s2 = (rss + weight * variance) / (len(self.r) - freedom + weight)
        self.V = np.linalg.inv(self.B) * max(self.s2, 0.0)

    def choose_lam(self) -> None:
        """Choose lambda by cross-validation."""
        if self.choices.criterion != "fixed":
            self.lam = cross_validated(self.X, self.r, self.w, self.free, self.choices)


class Clock:
    """Decides when to refresh: once the count has grown enough since the last refresh."""

    def __init__(self, schedule: tuple[str, float]) -> None:
        self.kind, self.value = schedule
        self.next = 1

    def is_due(self, now: int) -> bool:
        """Whether a refresh is due at this count; if so, schedule the next one."""
        if now < self.next:
            return False
        geometric = int(np.ceil(now * (1.0 + self.value) - 1e-9))
        self.next = now + int(self.value) if self.kind == "batch" else max(now + 1, geometric)
        return True


class ThompsonHistory:
    """The contexts so far, and the propensities of their arms in a random period (section 2.3).

    A propensity is an average over all periods. Those before every arm had an estimate were uniform. The others are
    counted in intervals, each of which is represented by the posterior of one period, drawn before it begins. For
    contexts that come later, at most ``posteriors`` of them are kept, each for a group of periods. To make room, the
    two smallest neighbours become one, and the survivor is drawn in proportion to their periods.
    """

    def __init__(self, choices: Choices, K: int) -> None:
        self.choices, self.K = choices, K
        self.rows: list[Array] = []
        self.chosen: list[int] = []
        self.shares: list[float | None] = []  # of each context: sum over counted periods of the probability of its arm
        self.store: list[tuple[list[tuple[Array, Array]], int]] = []  # (theta, V) of each arm, and a number of periods
        self.picture: list[tuple[Array, Array]] = []  # what represents the present interval
        self.interval, self.picture_at = Clock(choices.propensity_schedule), -1
        self.uniform = self.counted = 0

    def append(self, x: Array, a: int, uniform: bool) -> None:
        """Add a context and its arm."""
        self.rows.append(x)
        self.chosen.append(a)
        self.shares.append(None)
        self.uniform += uniform

    def count_periods(self, arms: "list[Arm]", rng: np.random.Generator) -> None:
        """Count the periods of the interval if it ends now, and draw the period that represents the next one."""
        now = len(self.rows)
        if not self.interval.is_due(now):
            return
        periods = now - self.uniform - self.counted
        if periods > 0:
            self.shares = [self.share(tau) + periods * self.probability(tau, self.picture) for tau in range(now)]
            self.keep(periods, rng)
            self.counted += periods
        if any(arm.theta is None for arm in arms):
            self.interval.next, self.picture_at = now + 1, -1
        else:
            self.picture_at = now + int(rng.random() * (self.interval.next - now))

    def keep(self, periods: int, rng: np.random.Generator) -> None:
        """Keep the posterior that represents the interval."""
        if len(self.store) == self.choices.posteriors:
            sums = [first[1] + second[1] for first, second in itertools.pairwise(self.store)]
            i = int(np.argmin(sums))
            later = rng.random() * sums[i] < self.store[i + 1][1]
            self.store[i : i + 2] = [(self.store[i + 1 if later else i][0], sums[i])]
        self.store.append((self.picture, periods))

    def take_picture(self, arms: "list[Arm]") -> None:
        """Keep the posterior that the next round is chosen with, if that round represents the interval."""
        if 0 <= self.picture_at <= len(self.rows):
            self.picture = [(arm.theta, arm.V) for arm in arms if arm.theta is not None]
            self.picture_at = -1

    def probability(self, tau: int, estimates: list[tuple[Array, Array]]) -> float:
        """The probability of the arm of context tau under one posterior."""
        return highest(*moments(estimates, self.rows[tau], self.choices.alpha), self.chosen[tau])

    def share(self, tau: int) -> float:
        """The sum of these probabilities over counted periods."""
        known = self.shares[tau]
        return sum(n * self.probability(tau, of) for of, n in self.store) if known is None else known

    def propensity(self, tau: int) -> float:
        """The propensity of the arm that context tau was given."""
        self.shares[tau] = self.share(tau)
        return (self.share(tau) + self.uniform / self.K) / (self.uniform + self.counted)


def with_intercept(contexts: Array, intercept: str) -> Array:
    """The contexts with a leading column of ones, unless there is no intercept."""
    return contexts if intercept == "none" else np.column_stack([np.ones(len(contexts)), contexts])


def posterior(arms: "list[Arm]", x: Array, alpha: float) -> tuple[Array, Array]:
    """Mean x'theta and scaled standard deviation alpha sqrt(x'Vx) of every arm's reward at ``x``."""
    return moments([(arm.theta, arm.V) for arm in arms if arm.theta is not None], x, alpha)


def moments(estimates: list[tuple[Array, Array]], x: Array, alpha: float) -> tuple[Array, Array]:
    """The same as ``posterior``, given theta and V of every arm."""
    means = np.array([x @ theta for theta, _ in estimates])
    deviations = np.array([alpha * np.sqrt(x @ V @ x) for _, V in estimates])
    return means, deviations


def ridge(X: Array, r: Array, w: Array, lam: float, free: int) -> tuple[Array, Array, float]:
    """B, theta and the weighted residual sum of squares; the first ``free`` coefficients are not penalised."""
    penalty = lam * np.eye(X.shape[1])
    penalty[:free, :free] = 0.0
    W = np.diag(w)
    B = X.T @ W @ X + penalty
    theta = np.linalg.solve(B, X.T @ W @ r)
    residuals = r - X @ theta
    return B, theta, float(residuals @ W @ residuals)


def cross_validated(X: Array, r: Array, w: Array, free: int, choices: Choices) -> float:
    """The lambda with the smallest error, computed by leaving rows out explicitly; ties go to the one that is named."""
    n, place = len(r), place_of_ties(choices)
    lams = [lam * spread(X[:, free:], w, free) for lam in choices.lams] if choices.lams_unit == "data" else choices.lams
    if n < 2:
        return lams[place]
    errors = []
    for lam in lams:
        if choices.criterion == "gcv":
            B, _, rss = ridge(X, r, w, lam, free)
            left = n - np.trace(np.linalg.solve(B, X.T @ np.diag(w) @ X))
            errors.append(rss / left**2 if left > 1e-10 else np.inf)
            continue
        error = 0.0
        for part in np.array_split(np.arange(n), n if choices.criterion == "loo" else min(choices.folds, n)):
            kept = np.setdiff1d(np.arange(n), part)
            _, theta, _ = ridge(X[kept], r[kept], w[kept], lam, free)
            error += (w[part] * (r[part] - X[part] @ theta) ** 2).sum()
        errors.append(error)
    tied = [k for k in range(len(lams)) if errors[k] <= min(errors) * (1 + 1e-6) + 1e-18 * (w * r**2).sum()]
    return lams[min(reversed(tied), key=lambda k: abs(k - place))]


def spread(X: Array, w: Array, free: int) -> float:
    """The mean over columns of their weighted sums of squares, around the means if there is a free intercept."""
    centred = X - np.average(X, axis=0, weights=w) if free else X
    squares = float((w @ centred**2).mean())
    return squares if squares > 1e-12 * float((w @ X**2).mean()) else 1.0


def place_of_ties(choices: Choices) -> int:
    """The place in the grid of lambda that ties go to, and that an arm without observations has."""
    return {"smallest": 0, "middle": len(choices.lams) // 2, "largest": len(choices.lams) - 1}[choices.ties]


NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


def highest(means: Array, deviations: Array, arm: int) -> float:
    """Probability that the draw of ``arm`` is the highest of independent normal draws.

    In closed form for two arms. For more, an integral over the standardised draw of the arm by a Gauss-Legendre rule,
    between the bounds that ``estimation.propensity`` explains.
    """
    if len(means) == 1:
        return 1.0
    if len(means) == 2:
        return float(step_cdf(means[arm] - means[1 - arm], np.hypot(deviations[0], deviations[1])))
    others = [a for a in range(len(means)) if a != arm]
    if deviations[arm] == 0:
        return float(np.prod([step_cdf(means[arm] - means[a], deviations[a]) for a in others]))
    low = max([-4.0, *((means[a] - means[arm] - 4.0 * deviations[a]) / deviations[arm] for a in others)])
    high = max(4.5, low + 2.5)
    if high >= 8.0:
        return 0.0
    z = (high + low) / 2 + (high - low) / 2 * NODES
    below = [step_cdf(means[arm] + deviations[arm] * z - means[a], deviations[a]) for a in others]
    return float(min((high - low) / 2 * (WEIGHTS * stats.norm.pdf(z) * np.prod(below, axis=0)).sum(), 1.0))


def step_cdf(lead: Any, deviation: float) -> Any:
    """Normal distribution function of ``lead``; a step function if the deviation is 0."""
    return stats.norm.cdf(lead / deviation) if deviation > 0 else np.heaviside(lead, 0.5)


def residual_balancing(X: Array, mean: Array, zeta: float) -> Array:
    """The weights of section 2.3 by approximate residual balancing, times the number of rows.

    The largest entry of |mean - X'w| is the variable ``y[-1]``, an upper bound of all entries, and the others are w.
    """
    n, columns = X.shape
    start = np.append(np.full(n, 1.0 / n), np.abs(mean - X.mean(axis=0)).max())
    scales = np.append(np.full(n, 1.0 - zeta), zeta)
    bounded = np.vstack([np.column_stack([sign * X.T, np.ones(columns)]) for sign in (1.0, -1.0)])
    constraints = [
        {"type": "eq", "fun": lambda y: y[:-1].sum() - 1.0, "jac": lambda y: np.append(np.ones(n), 0.0)},
        {"type": "ineq", "fun": lambda y: bounded @ y - np.append(mean, -mean), "jac": lambda y: bounded},
    ]
    minimise: Any = optimize.minimize  # whose types do not cover a gradient beside constraints
    found = minimise(
        lambda y: scales @ y**2, start, jac=lambda y: 2.0 * scales * y, method="SLSQP", constraints=constraints,
        bounds=[(0.0, n ** (-2.0 / 3.0))] * n + [(0.0, None)], options={"ftol": 1e-16, "maxiter": 1000},
    )  # fmt: skip
    weights: Array = n * found.x[:-1]
    return weights


def logistic_regression(Z: Array, chosen: Sequence[int], K: int, choices: Choices) -> Callable[[Array], Array]:
    """Multinomial logistic regression of arm on context; returns a function from rows to the probabilities of all arms.

    Minimises C * (sum of -log p) + |slopes|^2 / 2 by Newton's method from zero, over an unpenalised intercept and
    slopes for each arm. Two arms share one set of coefficients, as in scikit-learn.
    """
    size, number = Z.shape[1], 1 if K == 2 else K
    theta = np.zeros((number, size))
    free = int(choices.intercept != "none")
    penalised = np.tile(np.arange(size) >= free, (number, 1)) / choices.logistic_c

    def probabilities(theta: Array, rows: Array) -> Array:
        scores = rows @ theta.T
        both: Array = np.column_stack([expit(-scores), expit(scores)]) if K == 2 else softmax(scores, axis=1)
        return both

    for _ in range(60):
        q = probabilities(theta, Z)
        miss = (q - np.eye(K)[list(chosen)])[:, -number:]
        gradient = miss.T @ Z + penalised * theta
        curvature = np.diag(penalised.ravel())
        for z, chances in zip(Z, q[:, -number:], strict=True):
            curvature = curvature + np.kron(np.diag(chances) - np.outer(chances, chances), np.outer(z, z))
        step = np.linalg.lstsq(curvature, gradient.ravel(), rcond=1e-13)[0].reshape(number, size)
        theta = theta - step / max(1.0, np.abs(Z @ step.T).max() / 5.0)  # early steps may overshoot
        if np.abs(step).max() < 1e-13:
            break
    return lambda rows: probabilities(theta, rows)
