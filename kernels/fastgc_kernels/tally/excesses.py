"""By how much times exceed the least, in one pass: blocks are so short that each one counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit


@jit
def excesses(
    values: NDArray[np.float64],
    least: float,
    reference: float,
    largest: float,
    out: NDArray[np.float64],
    less: NDArray[np.float64],
) -> int:
    """Fill ``out`` with what of values (L, T) is above ``least``, ``less`` with that − reference.

    Returns how many values are not below ``largest``: where there are any, or some that are no
    number, what was filled in is not to be used.
    """
    iterations, trials = values.shape
    large = 0
    for l in range(iterations):  # noqa: E741
        row = values[l]
        above = out[l]
        rest = less[l]
        for t in range(trials):
            value = row[t]
            excess = value - least
            excess = excess if excess > 0.0 else 0.0
            above[t] = excess
            rest[t] = excess - reference
            large += np.int64(not (value < largest))
    return large
