"""A bandit in your own program: three offers, visitors with two features, a reward if the offer is taken."""

import numpy as np

from balanced_bandits.bandits.lints import LinTS

rng = np.random.default_rng(0)
tastes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])  # which visitors like which offer
bandit = LinTS(n_arms=3, n_features=2, seed=1, alpha=0.5)
taken = []
for _ in range(1000):
    visitor = rng.standard_normal(2)
    offer, propensities = bandit.choose(visitor)
    chance = 1.0 / (1.0 + np.exp(-2.0 * tastes[offer] @ visitor))
    reward = float(rng.random() < chance)
    bandit.update(visitor, offer, reward)
    taken.append(reward)
print(bandit)
print(f"taken: {np.mean(taken[:100]):.0%} of the first 100 offers, {np.mean(taken[-500:]):.0%} of the last 500")
