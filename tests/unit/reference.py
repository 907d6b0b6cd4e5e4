"""The bandits in the plainest NumPy: every estimate from the whole history, no update formula, no cleverness."""

import numpy as np


class Arm:
    """Ridge regression of one arm on its history, with an intercept that is not penalised."""

    def __init__(self, lam, variance, prior_weight, prior_variance):
        self.lam, self.variance = lam, variance
        self.prior_weight, self.prior_variance = prior_weight, prior_variance
        self.rows, self.rewards = [], []

    def observe(self, context, reward):
        self.rows.append(np.concatenate([[1.0], context]))
        self.rewards.append(reward)
        X, r = np.array(self.rows), np.array(self.rewards)
        penalty = self.lam * np.eye(X.shape[1])
        penalty[0, 0] = 0.0
        self.B = X.T @ X + penalty
        self.theta = np.linalg.solve(self.B, X.T @ r)
        rss = ((r - X @ self.theta) ** 2).sum()
        freedom = np.trace(np.linalg.solve(self.B, X.T @ X))
        if self.variance == "literal":
            self.s2 = rss
        else:
            self.s2 = (rss + self.prior_weight * self.prior_variance) / (len(r) - freedom + self.prior_weight)

    def predict(self, context):
        z = np.concatenate([[1.0], context])
        return z @ self.theta, np.sqrt(self.s2 * (z @ np.linalg.solve(self.B, z)))


def play(rule, contexts, rewards, forced, alpha, lam, variance, prior_weight, prior_variance, rng):
    """Arms chosen in each round, and the final arms; ``rule`` is "LinTS" or "LinUCB"."""
    arms = [Arm(lam, variance, prior_weight, prior_variance) for _ in range(rewards.shape[1])]
    chosen = []
    for t, context in enumerate(contexts):
        if t < len(forced):
            a = forced[t]
        elif any(not arm.rows for arm in arms):
            a = rng.integers(0, len(arms))
        else:
            predictions = [arm.predict(context) for arm in arms]
            if rule == "LinTS":
                values = [mean + alpha * deviation * rng.standard_normal() for mean, deviation in predictions]
            else:
                values = [mean + alpha * deviation for mean, deviation in predictions]
            a = int(np.argmax(values))
        chosen.append(a)
        arms[a].observe(context, rewards[t, a])
    return np.array(chosen), arms
