"""Random streams: one root seed, and a separate stream for each use of randomness.

A stream is named after its purpose, so it depends neither on the order or the number of jobs nor on the machine.
"""

import hashlib

import numpy as np


def stream(root: int, *name: str | int) -> np.random.Generator:
    """The random stream called ``name`` under the seed ``root``.

    >>> stream(1, "classification", "iris", "shuffle", 0).integers(1000)
    np.int64(322)
    """
    path = "\0".join(f"{type(part).__name__}:{part}" for part in name)
    words = np.frombuffer(hashlib.sha256(path.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([root, *words.tolist()])))
