"""Stand-ins of two numbers at each address."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.philox import halves, words_at
from fastgc_kernels.draw.variates import log, unit

MOST = 1 << 20

Floats = NDArray[np.float64]


def uniforms(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> object:
    """All trials side by side."""
    if even.size > MOST:
        return NotImplemented
    trial = first + np.arange(even.size, dtype=np.uint64)
    a, b, c, d = words_at(trial, iteration, address, *halves(key))
    even[:] = unit(a, b)
    odd[:] = unit(c, d)
    return None


def exponentials(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> object:
    """All trials side by side."""
    if uniforms(key, first, iteration, address, even, odd) is NotImplemented:
        return NotImplemented
    even[:] = 0.0 - log(even)
    odd[:] = 0.0 - log(odd)
    return None
