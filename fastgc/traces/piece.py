"""The fixed piece of work that workers are timed with."""

from __future__ import annotations

import functools
import time

import numpy as np

from fastgc.traces.parameters import Values

SAMPLES, FEATURES = 512, 64  # 256 KiB: it stays in a core's own cache
SEED = 1
_TRIES = 5


@functools.cache
def _data() -> tuple[Values, Values]:
    rng = np.random.default_rng(SEED)
    return rng.standard_normal((SAMPLES, FEATURES)), rng.standard_normal(SAMPLES)


def seconds(size: int) -> float:
    """Compute so many gradients of one linear regression; return the seconds that it took.

    The data are the same in every round and on every worker, and made before the clock starts.

    Examples
    --------
    >>> seconds(10) > 0
    True
    """
    X, y = _data()
    theta = np.zeros(FEATURES)
    began = time.perf_counter()
    for _ in range(size):
        theta -= 1e-3 / SAMPLES * (X.T @ (X @ theta - y))
    return time.perf_counter() - began


def size_of(wanted: float) -> int:
    """Return how many gradients take so many seconds here, in the fastest of a few tries."""
    seconds(10)  # what is loaded first is not part of it
    size = 10
    while (took := min(seconds(size) for _ in range(_TRIES))) < min(wanted, 0.01) / 2:
        size *= 2
    return max(1, round(size * wanted / took))
