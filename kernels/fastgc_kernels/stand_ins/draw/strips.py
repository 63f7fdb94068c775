"""Stand-in of Beta numbers from a table of strips."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.philox import ATTEMPT, halves, words_at
from fastgc_kernels.draw.strips import HEIGHT, LOWER, PICK, POWERS, SURE, WIDTH
from fastgc_kernels.draw.variates import log, unit

MOST = 1 << 20
U64 = np.uint64

Floats = NDArray[np.float64]


def numbers(
    table: Floats,
    key: np.uint64,
    first: np.uint64,
    iteration: int,
    address: int,
    out: Floats,
) -> object:
    """All trials side by side, then those whose point was refused."""
    if out.size > MOST:
        return NotImplemented
    k0, k1 = halves(key)
    waiting = np.arange(out.size)
    step = U64(address)
    while waiting.size:
        trial = first + waiting.astype(np.uint64)
        a, b, c, d = words_at(trial, iteration, step, k0, k1)
        strip = (b & PICK).astype(np.int64)
        x = table[LOWER, strip] + table[WIDTH, strip] * unit(a, b)
        height = unit(c, d)
        taken = height < table[SURE, strip]
        unsure = np.flatnonzero(~taken & (x > 0.0) & (x < 1.0))
        level = _density(x[unsure], table[POWERS])
        taken[unsure] = log(height[unsure]) + table[HEIGHT, strip[unsure]] < level
        out[waiting[taken]] = x[taken]
        waiting = waiting[~taken]
        step += ATTEMPT
    out[:] = 0.0 - log(out)
    return None


def _density(x: Floats, powers: Floats) -> Floats:
    rising, falling, highest = powers[:3]
    value = np.full(x.size, -highest)
    if rising > 0.0:
        value += rising * log(x)
    if falling > 0.0:
        value += falling * log(1.0 - x)
    return value
