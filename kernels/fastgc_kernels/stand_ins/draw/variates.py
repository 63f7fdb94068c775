"""The laws of `fastgc_kernels.draw.variates` that have branches, on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.variates import (
    LN2,
    _split,
    log,
    normal_centre,
    normal_far,
    normal_near,
)

Floats = NDArray[np.float64]


def exp(x: Floats) -> Floats:
    """Exponential function."""
    q, scale = _split(np.minimum(np.maximum(x, -708.0), 709.79))
    value = 2.0 * (scale + scale * q)
    return np.where(x < -708.0, 0.0, value)


def chance_below(e: Floats) -> Floats:
    """1 − exp(−e) for e ≥ 0."""
    q, scale = _split(-np.minimum(e, 708.0))
    found: Floats = (1.0 - 2.0 * scale) - 2.0 * scale * q
    return found


def normal_above(e: Floats) -> Floats:
    """The z with P(Z > z) = exp(−e)."""
    below = chance_below(e)
    q = below - 0.5
    root = np.sqrt(np.where(e > LN2, e, -log(below)))
    tail = np.where(root <= 5.0, normal_near(root), normal_far(root))
    tail = np.where(e > LN2, tail, -tail)
    return np.where(np.abs(q) <= 0.425, normal_centre(q), tail)
