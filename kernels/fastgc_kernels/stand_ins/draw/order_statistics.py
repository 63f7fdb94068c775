"""Stand-ins of order statistics drawn themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw import law_numbers
from fastgc_kernels.stand_ins.draw.laws import invert
from fastgc_kernels.stand_ins.draw.strips import numbers

MOST = 1 << 20

Floats = NDArray[np.float64]


def each(
    tables: Floats,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> object:
    """All trials side by side."""
    if out.size > MOST:
        return NotImplemented
    step = np.empty(out.shape[2])
    for iteration, rows in enumerate(out):
        reached = np.zeros(step.size)
        for i, row in enumerate(rows):
            numbers(tables[i], key, first_trial, iteration, i, step)
            reached += step
            row[:] = reached
            invert(kind, params, row)
    return None


def latest(
    tables: Floats,
    multiples: Floats,
    share: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> object:
    """All trials side by side."""
    if out.size * multiples.size > MOST:
        return NotImplemented
    step = np.empty(out.shape[1])
    for iteration, done in enumerate(out):
        done[:] = 0.0
        reached = np.zeros(step.size)
        for i, multiple in enumerate(multiples):
            numbers(tables[i], key, first_trial, iteration, i, step)
            reached += step
            if kind == law_numbers.EXPONENTIAL:
                moment = multiple * params[0] + multiple * params[1] * share * reached
            else:
                moment = reached * share
                invert(kind, params, moment)
                moment = multiple * moment
            np.copyto(done, moment, where=moment > done)
    return None
