"""A user-defined bandit: one ridge regression per arm, and arms drawn in proportion to exp(estimate)."""

import numpy as np


class Boltzmann:
    """Draws arm a with a probability proportional to exp(x'theta_a / temperature)."""

    def __init__(self, n_arms, n_features, seed, temperature, lam=1.0):
        self.rng = np.random.default_rng(seed)
        self.temperature = temperature
        size = n_features + 1  # an intercept first
        self.inverse = np.array([np.eye(size) / lam] * n_arms)  # (X'X + lam I)^-1 of each arm
        self.moments = np.zeros((n_arms, size))  # X'r of each arm
        self.coefficients = np.zeros((n_arms, size))

    def choose(self, x):
        """The arm for a context x."""
        estimates = self.coefficients @ np.append(1.0, x)
        odds = np.exp((estimates - estimates.max()) / self.temperature)
        return self.rng.choice(len(odds), p=odds / odds.sum())

    def update(self, x, arm, reward):
        """Learn what came of it, by a rank-one update of the inverse."""
        z = np.append(1.0, x)
        gain = self.inverse[arm] @ z
        self.inverse[arm] -= np.outer(gain, gain) / (1.0 + z @ gain)
        self.moments[arm] += reward * z
        self.coefficients[arm] = self.inverse[arm] @ self.moments[arm]
