"""Stand-ins of patterns taken from a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.patterns import ONE, ZERO
from fastgc_kernels.draw.philox import ATTEMPT, MASK32, SHIFT32, halves, words_at

MOST = 1 << 20

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]


def draw(
    count: np.uint64, first_trial: np.uint64, trials: int, key: np.uint64, out: Integers
) -> object:
    """All numbers side by side; the few that are refused are drawn again."""
    if out.size > MOST:
        return NotImplemented
    k0, k1 = halves(key)
    place = np.arange(out.size)
    trial = first_trial + (place % trials).astype(np.uint64)
    iteration = (place // trials).astype(np.uint64)
    bound = np.uint64(count)
    product = words_at(trial, iteration, ZERO, k0, k1)[0] * bound
    least = ((MASK32 - bound) + ONE) % bound
    attempt = ZERO
    while (again := np.flatnonzero((product & MASK32) < least)).size:
        attempt += ONE
        word = words_at(trial[again], iteration[again], attempt * ATTEMPT, k0, k1)[0]
        product[again] = word * bound
    out[:] = (product >> SHIFT32).astype(np.int64)
    return None


def take(table: Words, rows: Integers, out: Words) -> None:
    """All rows side by side."""
    out[:] = table[rows]


def replay(table: Words, starts: Integers, out: Words) -> None:
    """All rows side by side."""
    turn = np.arange(out.shape[0] // starts.size)[:, None]
    out[:] = table[((starts + turn) % table.shape[0]).reshape(-1)]
