"""Stand-in for how many partitions no survivor holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import bits_of

MOST = 1 << 24

Integers = NDArray[np.int64]


def lost_partitions(
    planes: NDArray[np.uint64], holders: Integers, offsets: Integers, out: Integers
) -> object:
    """Bit by bit, one partition after the other."""
    if out.size * (offsets.size - 1) > MOST:
        return NotImplemented
    own = planes[:, : (out.size + 63) // 64]
    out[:] = 0
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        seen = np.bitwise_or.reduce(own[holders[first:last]], axis=0)
        out += bits_of(~seen[None])[0, : out.size]
    return None
