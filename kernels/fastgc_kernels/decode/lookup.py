"""Decoding errors of codes with few workers: one entry for each of the 2ⁿ patterns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit


@jit
def errors(
    packed: NDArray[np.uint64], table: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Fill ``out`` with ``table[pattern]``, a pattern's bits read as a number."""
    for t in range(packed.shape[0]):
        out[t] = table[packed[t, 0]]
