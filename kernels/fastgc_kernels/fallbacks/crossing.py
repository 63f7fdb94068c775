"""Fallback for the probabilities that enough times lie below thresholds."""

from __future__ import annotations

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels.complete import crossing

MOST = 1 << 20  # steps of the kernel's innermost loops


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
