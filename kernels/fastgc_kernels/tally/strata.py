"""Sums over a block's trials by their number of survivors, one fixed order of additions.

Trials are dealt to 4 lanes; each lane adds its own in order, then the lanes are added in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount

LANES = 4


@jit
def by_survivors(
    values: NDArray[np.float64],
    packed: NDArray[np.uint64],
    stratum: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Number of trials and sum of their values (T,) in each stratum, ``out`` (strata, 2).

    ``packed`` (T, words) are the trials' patterns, one iteration each; ``stratum`` (n + 1,) is that
    of every number of survivors.
    """
    trials = values.size
    words = packed.shape[1]
    sums = np.zeros((out.shape[0], LANES, 2))
    for t in range(trials):
        survivors = np.uint64(0)
        for w in range(words):
            survivors += popcount(packed[t, w])
        lane = sums[stratum[np.int64(survivors)], t % LANES]
        lane[0] += 1.0
        lane[1] += values[t]
    for i in range(out.shape[0]):
        for own in range(2):
            out[i, own] = 0.0
            for v in range(LANES):
                out[i, own] += sums[i, v, own]
