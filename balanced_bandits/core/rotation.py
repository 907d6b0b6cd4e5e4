"""Rotation of contexts into the space that their rows span."""

import numpy as np
from numpy.typing import NDArray


def rotated(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coordinates of the rows in an orthonormal basis of their span: (n, d) to (n, min(n, d)).

    With X = U S V', they are U S = X V, which preserves the inner products between rows, and with them every ridge and
    L2-penalised logistic regression.
    """
    U, S, _ = np.linalg.svd(X, full_matrices=False)
    largest = np.abs(U).argmax(axis=0)
    turned: NDArray[np.float64] = U * (S * np.sign(U[largest, np.arange(len(S))]))
    return turned
