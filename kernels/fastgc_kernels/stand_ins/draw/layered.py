"""Stand-in of the largest of multiples of order statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw import law_numbers
from fastgc_kernels.stand_ins.draw.laws import invert
from fastgc_kernels.stand_ins.draw.strips import MOST, numbers

Floats = NDArray[np.float64]


def latest_and_sum(
    tables: Floats,
    multiples: Floats,
    weights: Floats,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    total: Floats,
) -> object:
    """All trials side by side."""
    if out.size * multiples.size > MOST:
        return NotImplemented
    step = np.empty(out.shape[1])
    total[:] = 0.0
    for iteration, done in enumerate(out):
        done[:] = 0.0
        reached = np.zeros(step.size)
        for i, multiple in enumerate(multiples):
            numbers(tables[i], key, first_trial, iteration, i, step)
            reached += step
            if kind == law_numbers.EXPONENTIAL:
                own = multiple * params[0] + multiple * params[1] * reached
            else:
                own = reached.copy()
                invert(kind, params, own)
                own *= multiple
            np.copyto(done, own, where=own > done)
            total[iteration] += weights[i] * own
    return None
