"""On how many contexts greedy policies agree with given assignments, compiled: it is done for thousands of policies."""

import numpy as np

from balanced_bandits.compilation import kernel

BLOCK = 500  # contexts whose scores are worked out together, so that they stay in the processor's cache


@kernel
def agreeing(thetas, columns, assignments):
    """Counts (policies, assignments) of the contexts at which a policy gives the arm of an assignment.

    ``thetas`` (policies, K, p) are the policies' coefficients, ``columns`` (p, n) what these are multiplied with, and
    ``assignments`` (m, n) arms. Of equal scores the first arm's counts. A policy like the one before costs nothing.
    """
    policies, arms, size = thetas.shape
    contexts = columns.shape[1]
    counts = np.zeros((policies, assignments.shape[0]), dtype=np.int64)
    score, best, arm = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, dtype=np.int64)
    for policy in range(policies):
        if policy and (thetas[policy] == thetas[policy - 1]).all():
            counts[policy] = counts[policy - 1]
            continue
        for start in range(0, contexts, BLOCK):
            length = min(BLOCK, contexts - start)
            for a in range(arms):
                for i in range(length):
                    score[i] = thetas[policy, a, 0] * columns[0, start + i]
                for j in range(1, size):
                    for i in range(length):
                        score[i] += thetas[policy, a, j] * columns[j, start + i]
                for i in range(length):
                    better = a == 0 or score[i] > best[i]
                    best[i] = score[i] if better else best[i]
                    arm[i] = a if better else arm[i]
            for k in range(assignments.shape[0]):
                same = 0
                for i in range(length):
                    same += arm[i] == assignments[k, start + i]
                counts[policy, k] += same
    return counts
