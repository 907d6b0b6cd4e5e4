"""The bandits in the plainest NumPy: every estimate from the whole history, no update formula, no cleverness.

Only what the project defines beside the paper is taken over: when lambda and weights are refreshed, that an
observation has the propensity of its own choice until then, and which earlier posteriors are kept.
"""

import numpy as np
from scipy import stats
from scipy.special import expit, softmax

from balanced_bandits.estimation.propensity import QUANTILES


def with_intercept(contexts, intercept):
    return contexts if intercept == "none" else np.column_stack([np.ones(len(contexts)), contexts])


def ridge(Z, r, w, lam, free):
    """B, theta and the weighted residual sum of squares of the boxes; the first ``free`` coefficients unpenalised."""
    penalty = lam * np.eye(Z.shape[1])
    penalty[:free, :free] = 0.0
    B = Z.T @ np.diag(w) @ Z + penalty
    theta = np.linalg.solve(B, Z.T @ (w * r))
    return B, theta, (w * (r - Z @ theta) ** 2).sum()


def cross_validated(Z, r, w, lams, free, criterion, folds):
    """The lambda with the smallest error, each fit left out done by hand; where they do not tell, the middle one."""
    n = len(r)
    if n < 2:
        return lams[len(lams) // 2]
    errors = []
    for lam in lams:
        if criterion == "gcv":
            B, _, rss = ridge(Z, r, w, lam, free)
            freedom = np.trace(np.linalg.solve(B, Z.T @ np.diag(w) @ Z))
            errors.append(rss / (n - freedom) ** 2 if n - freedom > 1e-10 else np.inf)
            continue
        parts = np.array_split(np.arange(n), n if criterion == "loo" else min(folds, n))
        error = 0.0
        for part in parts:
            kept = np.setdiff1d(np.arange(n), part)
            _, theta, _ = ridge(Z[kept], r[kept], w[kept], lam, free)
            error += (w[part] * (r[part] - Z[part] @ theta) ** 2).sum()
        errors.append(error)
    best = len(lams) // 2
    for k in range(len(lams) - 1, -1, -1):
        if errors[k] < errors[best] * (1 - 1e-6):
            best = k
    return lams[best]


def exact_probability(means, deviations, arm):
    """Probability that an arm's draw is highest: Phi for two arms, the project's quadrature nodes for more."""
    if len(means) == 1:
        return 1.0
    if len(means) == 2:
        return step_cdf(means[arm] - means[1 - arm], np.hypot(deviations[0], deviations[1]))
    draws = means[arm] + deviations[arm] * QUANTILES
    others = [a for a in range(len(means)) if a != arm]
    return np.mean(np.prod([step_cdf(draws - means[a], deviations[a]) for a in others], axis=0))


def step_cdf(lead, deviation):
    """Normal distribution function, which for deviation 0 is a step."""
    return stats.norm.cdf(lead / deviation) if deviation > 0 else np.heaviside(lead, 0.5)


def logistic(Z, chosen, K, free, c=1.0):
    """Probabilities as a function of rows, by Newton steps from zero for the loss of the penalised regression.

    Minimises c * (sum of -log p) + |slopes|^2 / 2, over an intercept (if ``free``) and slopes for each arm; for two
    arms over one set of them, as scikit-learn does.
    """
    p = Z.shape[1]
    number = 1 if K == 2 else K
    theta = np.zeros((number, p))
    penalised = np.tile(np.arange(p) >= free, (number, 1)) / c

    def probabilities(theta, Z):
        scores = Z @ theta.T
        return np.column_stack([expit(-scores), expit(scores)]) if K == 2 else softmax(scores, axis=1)

    for _ in range(60):
        q = probabilities(theta, Z)
        miss = (q - np.eye(K)[chosen])[:, -number:]
        gradient = miss.T @ Z + penalised * theta
        curvature = np.diag(penalised.ravel())
        for z, chances in zip(Z, q[:, -number:], strict=True):
            curvature += np.kron(np.diag(chances) - np.outer(chances, chances), np.outer(z, z))
        step = np.linalg.lstsq(curvature, gradient.ravel(), rcond=1e-13)[0].reshape(number, p)
        theta = theta - step / max(1.0, np.abs(Z @ step.T).max() / 5.0)  # the first steps may be too long
        if np.abs(step).max() < 1e-13:
            break
    return lambda rows: probabilities(theta, rows)


class Reference:
    """One of the four linear bandits, from the boxes."""

    def __init__(self, name, K, alpha, gamma, intercept, lams, criterion, folds, variance, schedule, propensity="exact",
                 posteriors=8, prior_weight=0.1, prior_variance=0.25):  # fmt: skip
        self.__dict__.update({key: value for key, value in locals().items() if key != "self"})
        self.free = int(intercept == "unpenalised")
        self.balanced, self.thompson = name.startswith("BL"), name.endswith("TS")
        self.rows, self.chosen, self.rewards, self.weights, self.shares = [], [], [], [], []
        self.lam = [lams[len(lams) // 2]] * K
        self.due, self.next_turn = [1] * K, 1
        self.uniform_rounds, self.store, self.counted, self.turned = 0, [], 0, 0
        self.model = None

    def later(self, now):
        kind, value = self.schedule
        return now + value if kind == "batch" else max(now + 1, int(np.ceil(now * (1 + value) - 1e-9)))

    def own(self, arm):
        return [t for t, a in enumerate(self.chosen) if a == arm]

    def estimate(self, arm):
        own = self.own(arm)
        Z, r, w = np.array(self.rows)[own], np.array(self.rewards)[own], np.array(self.weights)[own]
        B, theta, rss = ridge(Z, r, w, self.lam[arm], self.free)
        freedom = np.trace(np.linalg.solve(B, Z.T @ np.diag(w) @ Z))
        left = len(r) - freedom + self.prior_weight
        s2 = rss if self.variance == "literal" else (rss + self.prior_weight * self.prior_variance) / left
        return theta, B, s2

    def posterior(self):
        return [self.estimate(arm) for arm in range(self.K)]

    def look(self, z, posterior):
        means = np.array([z @ theta for theta, _, _ in posterior])
        deviations = np.array([np.sqrt(max(s2, 0) * (z @ np.linalg.solve(B, z))) for _, B, s2 in posterior])
        return means, self.alpha * deviations

    def choose(self, z, rng):
        if len(set(self.chosen)) < self.K:
            return int(rng.random() * self.K), True
        means, deviations = self.look(z, self.posterior())
        values = means + deviations * (rng.standard_normal(self.K) if self.thompson else 1.0)
        return int(np.argmax(values)), False

    def learn(self, z, arm, reward, uniform):
        weight = 1.0
        if self.balanced:
            propensity = 1 / self.K
            if self.thompson and not uniform:
                propensity = exact_probability(*self.look(z, self.posterior()), arm)
            if not self.thompson and self.model is not None:
                propensity = self.model(z[None])[0, arm]
            weight = 1 / max(self.gamma, propensity)
        for history, value in ((self.rows, z), (self.chosen, arm), (self.rewards, reward), (self.weights, weight)):
            history.append(value)
        self.uniform_rounds += uniform
        if self.balanced and len(self.rows) >= self.next_turn:
            self.turn()
            self.next_turn = self.later(len(self.rows))
        if len(self.own(arm)) >= self.due[arm]:
            if self.balanced:
                self.balance(arm)
            own = self.own(arm)
            if self.criterion != "fixed":
                data = np.array(self.rows)[own], np.array(self.rewards)[own], np.array(self.weights)[own]
                self.lam[arm] = cross_validated(*data, self.lams, self.free, self.criterion, self.folds)
            self.due[arm] = self.later(len(own))

    def turn(self):
        """The periods since the last turn count with the posterior of now; UCB fits its logistic regression."""
        if not self.thompson:
            if len(set(self.chosen)) == self.K:
                free = int(self.intercept != "none")
                self.model = logistic(np.array(self.rows), np.array(self.chosen), self.K, free)
            return
        periods = len(self.rows) - self.uniform_rounds - self.counted
        for tau in range(len(self.rows)):
            terms = [] if tau < self.turned else list(self.store)  # earlier periods, for contexts that are new
            if periods > 0:
                terms.append((self.posterior(), periods))
            self.shares += [0.0] * (tau == len(self.shares))
            for posterior, weight in terms:
                self.shares[tau] += weight * exact_probability(*self.look(self.rows[tau], posterior), self.chosen[tau])
        if periods > 0:
            if len(self.store) == self.posteriors:
                pairs = zip(self.store[::2], self.store[1::2], strict=True)
                self.store = [(later[0], earlier[1] + later[1]) for earlier, later in pairs]
            self.store.append((self.posterior(), periods))
        self.counted += periods
        self.turned = len(self.rows)

    def balance(self, arm):
        """Weights on the arm's own history, all anew."""
        for tau in self.own(arm):
            if not self.thompson:
                propensity = self.model(self.rows[tau][None])[0, arm] if self.model else 1 / self.K
            elif self.propensity == "assignment" or tau >= self.turned:
                continue
            else:
                total = self.shares[tau] + self.uniform_rounds / self.K
                propensity = total / (self.uniform_rounds + self.counted)
            self.weights[tau] = 1 / max(self.gamma, propensity)


def play(bandit, contexts, rewards, forced, rng):
    """Arms chosen in each round by a ``Reference``."""
    rows = with_intercept(contexts, bandit.intercept)
    for t, z in enumerate(rows):
        arm, uniform = (int(forced[t]), True) if t < len(forced) else bandit.choose(z, rng)
        bandit.learn(z, arm, rewards[t, arm], uniform)
    return np.array(bandit.chosen)
