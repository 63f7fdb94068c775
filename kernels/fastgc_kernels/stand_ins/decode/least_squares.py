"""Stand-ins for decoding errors of any matrix from its stragglers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.straggler_costs import DECIDED, Cost
from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.decode.straggler_costs import (
    free_costs,
    independent_costs,
    reflected_costs,
)

MOST = 1 << 26  # multiplications
SIDE_BY_SIDE = 1 << 17  # entries of all patterns' matrices

Floats = NDArray[np.float64]


def normalise(H: Floats, x: Floats) -> object:
    """All entries side by side."""
    if H.size > MOST // 64:
        return NotImplemented
    scale = 1.0 / np.sqrt(np.diagonal(H))
    x *= scale
    H *= scale[:, None] * scale
    return None


def errors(
    packed: NDArray[np.uint64],
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: NDArray[np.uint8],
) -> object:
    """Patterns with equally many stragglers side by side."""
    n = x.size
    lost = workers_of(packed, n) == 0
    number = lost.sum(axis=1)
    if np.sum(number.astype(float) ** 3) > MOST:
        return NotImplemented
    terms = Cost(H, x, e0, k)
    nullity = len(N)
    doubtful[:] = DECIDED
    for s in np.unique(number).tolist():
        own = np.flatnonzero(number == s)
        stragglers = np.nonzero(lost[own])[1].reshape(own.size, s).T
        if s in (0, n):
            out[own] = e0 if s == 0 else k
        elif s == 1 and nullity == 0:
            out[own] = np.minimum(e0 + x * x, k)[stragglers[0]]
        else:
            lanes = max(1, SIDE_BY_SIDE // (s * s))
            for start in range(0, own.size, lanes):
                some = own[start : start + lanes]
                index = stragglers[:, start : start + lanes]
                standing = np.full(some.size, DECIDED)
                if nullity == 0:
                    out[some] = independent_costs(index, terms, standing)
                elif s <= nullity:
                    out[some] = free_costs(index, P, e0, standing)
                else:
                    out[some] = reflected_costs(index, terms, N, standing)
                doubtful[some] = standing
    return None
