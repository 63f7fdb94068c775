"""Samples as kernels take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.train.selection_gradients import WIDTH
from fastgc_kernels.train.selection_losses import SAMPLES

Values = NDArray[np.float64]


def padded(rows: Values) -> Values:
    """Return rows (m, f) with zeros after them, up to a multiple of what is multiplied at a time.

    Examples
    --------
    >>> padded(np.ones((2, 3))).shape
    (2, 8)
    """
    m, f = rows.shape
    out = np.zeros((m, -(-f // WIDTH) * WIDTH))
    out[:, :f] = rows
    return out


def tiles(rows: Values) -> Values:
    """Return padded rows (m, P) as tiles (⌈m/64⌉, P, 64), zeros filling up the last.

    Examples
    --------
    >>> tiles(np.ones((65, 8))).shape
    (2, 8, 64)
    """
    m, P = rows.shape
    full = np.zeros((-(-m // SAMPLES), SAMPLES, P))
    full.reshape(-1, P)[:m] = rows
    return np.ascontiguousarray(full.transpose(0, 2, 1))
