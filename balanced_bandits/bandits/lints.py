"""LinTS: linear Thompson sampling (section 2.2 of the paper)."""

import numpy as np

from balanced_bandits.compilation import kernel
from balanced_bandits.estimation.ridge import best_of, new_arms, observe, predict


@kernel
def play(contexts, rewards, order, forced, snapshots, alpha, model, rng):
    """Play the rounds ``order`` of ``contexts`` (n, d) and ``rewards`` (n, K).

    The first rounds play the arms ``forced`` (a warm start). Gives the arm of every round, and theta
    after each of the numbers of rounds in ``snapshots`` (ascending), an array (snapshots, K, d + 1).
    """
    arms = new_arms(rewards.shape[1], contexts.shape[1] + 1)
    chosen = np.empty(order.size, dtype=np.int64)
    values = np.empty(rewards.shape[1])
    thetas = np.zeros((snapshots.size, *arms.theta.shape))
    taken = 0
    for t in range(order.size):
        context = contexts[order[t]]
        if t < forced.size:
            arm = forced[t]
        elif arms.pulls.min() == 0:  # an arm without an estimate: uniform
            arm = rng.integers(0, values.size)
        else:
            for a in range(arms.theta.shape[0]):
                mean, deviation = predict(arms, a, context)
                # x'theta~ with theta~ ~ N(theta, alpha^2 V) is N(x'theta, alpha^2 x'Vx): a scalar draw
                values[a] = mean + alpha * deviation * rng.standard_normal()
            arm = best_of(values, rng)
        chosen[t] = arm
        reward = rewards[order[t], arm]
        observe(arms, arm, context, reward, model)
        while taken < snapshots.size and snapshots[taken] == t + 1:
            thetas[taken] = arms.theta
            taken += 1
    return chosen, thetas
