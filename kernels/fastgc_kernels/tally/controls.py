"""Sums of controls and of their products over a block's trials, in one fixed order.

Trials are dealt to 32 lanes; each lane adds its own in order, then the lanes are added in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import inline, jit

LANES = 32
CHUNK = 512  # trials whose controls stay in the first cache


@inline
def _add(a, b, lanes):
    """Add products of a and b to the lanes, which trial 0 of both begins with lane 0."""
    trials = a.size
    whole = trials - trials % LANES
    for start in range(0, whole, LANES):
        for v in range(LANES):
            lanes[v] += a[start + v] * b[start + v]
    for v in range(trials - whole):
        lanes[v] += a[whole + v] * b[whole + v]


@jit
def products(
    values: NDArray[np.float64], controls: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Sums ``out`` over trials of controls c (m, T), of their products, and of those with values y.

    They are Σc of each; Σcc' of each two, (0, 0), (0, 1), …, (1, 1), …; and Σyc of each.
    """
    m, trials = controls.shape
    pairs = m * (m + 1) // 2
    lanes = np.zeros((m + pairs + m, LANES))
    ones = np.ones(CHUNK)
    for start in range(0, trials, CHUNK):
        stop = min(start + CHUNK, trials)
        own = values[start:stop]
        place = m
        for i in range(m):
            c = controls[i, start:stop]
            _add(c, ones[: stop - start], lanes[i])
            for j in range(i, m):
                _add(c, controls[j, start:stop], lanes[place])
                place += 1
            _add(c, own, lanes[m + pairs + i])
    for i in range(lanes.shape[0]):
        total = 0.0
        for v in range(LANES):
            total += lanes[i, v]
        out[i] = total
