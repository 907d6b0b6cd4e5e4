"""Count the contexts on which greedy policies agree with given assignments; compiled, since there are many policies."""

import numpy as np

from balanced_bandits.core.kernels import kernel

BLOCK = 500  # contexts whose scores are computed together, so that they stay in the processor's cache


@kernel
def agreeing(thetas, columns, assignments):
    """Counts (policies, assignments) of the contexts at which a policy chooses the arm of an assignment.

    ``thetas`` (policies, K, p) are the coefficients of the policies, ``columns`` (p, n) is the transposed design
    matrix, and ``assignments`` (m, n) are arms. All are floating-point numbers, so that the loops are vectorised. Ties
    go to the first arm. A policy equal to the previous one is not evaluated again.
    """
    policies, arms, size = thetas.shape
    counts = np.zeros((policies, assignments.shape[0]), dtype=np.int64)
    score, best, arm = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for policy in range(policies):
        if policy and (thetas[policy] == thetas[policy - 1]).all():
            counts[policy] = counts[policy - 1]
            continue
        for start in range(0, columns.shape[1], BLOCK):
            length = min(BLOCK, columns.shape[1] - start)
            for a in range(arms):
                score[:length] = 0.0
                for j in range(size):
                    weight, column = thetas[policy, a, j], columns[j, start : start + length]
                    for i in range(length):
                        score[i] += weight * column[i]
                if a == 0:
                    best[:length] = score[:length]
                    arm[:length] = 0.0
                else:
                    for i in range(length):
                        arm[i] = a if score[i] > best[i] else arm[i]
                        best[i] = max(score[i], best[i])
            for k in range(assignments.shape[0]):
                given, same = assignments[k, start : start + length], 0
                for i in range(length):
                    same += arm[i] == given[i]
                counts[policy, k] += same
    return counts
