"""Stand-in of the laws of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.variates import log
from fastgc_kernels.stand_ins.draw.variates import chance_below, exp, normal_above

MOST = 1 << 22

Floats = NDArray[np.float64]


def invert(kind: int, params: Floats, numbers: Floats) -> object:
    """All numbers side by side."""
    if numbers.size > MOST:
        return NotImplemented
    offset, factor = params[0], params[1]
    if kind == law_numbers.EXPONENTIAL:
        numbers[:] = offset + factor * numbers
    elif kind == law_numbers.WEIBULL:
        numbers[:] = offset + factor * exp(params[2] * log(numbers))
    elif kind == law_numbers.PARETO:
        numbers[:] = offset + factor * exp(params[2] * numbers)
    elif kind == law_numbers.UNIFORM:
        numbers[:] = offset + factor * chance_below(numbers)
    elif kind == law_numbers.LOGNORMAL:
        numbers[:] = offset + factor * exp(params[2] + params[3] * normal_above(numbers))
    elif kind == law_numbers.DETERMINISTIC:
        numbers[:] = offset
    elif kind == law_numbers.VALUES:
        values = params[2:]
        place = (chance_below(numbers) * values.size).astype(np.int64)
        numbers[:] = offset + factor * values[np.minimum(place, values.size - 1)]
    return None
