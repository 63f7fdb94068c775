"""Fallback for the probabilities that enough times lie below thresholds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.complete import crossing

MOST = 1 << 20  # steps of the kernel's innermost loops

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def cross(
    masses: Floats,
    late: Floats,
    never: Floats,
    sizes: Integers,
    required: Integers,
    complete: int,
    done: Floats,
    after: Floats,
) -> object:
    """The kernel's own lines, as Python."""
    states = int(np.prod(sizes + 1))
    steps = len(masses) * required.size * sizes.size
    if steps * (80 + states * int(sizes.max(initial=0)) // 2) > MOST:
        return NotImplemented
    crossing.cross(masses, late, never, sizes, required, complete, done, after)
    return None
