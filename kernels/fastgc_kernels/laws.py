"""Times from standard exponential numbers e = −log(survival), by law (see `kinds`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels import kinds
from fastgc_kernels._jit import jit
from fastgc_kernels.variates import chance_below, exp, log, normal_above


@jit
def invert(kind: int, params: NDArray[np.float64], numbers: NDArray[np.float64]) -> None:
    """Put in place of every e the time t with P(T > t) = exp(−e), for invertible kinds."""
    offset = params[0]
    factor = params[1]
    count = numbers.size
    if kind == kinds.EXPONENTIAL:
        for t in range(count):
            numbers[t] = offset + factor * numbers[t]
    elif kind == kinds.WEIBULL:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * log(numbers[t]))
    elif kind == kinds.PARETO:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * numbers[t])
    elif kind == kinds.UNIFORM:
        for t in range(count):
            numbers[t] = offset + factor * chance_below(numbers[t])
    elif kind == kinds.LOGNORMAL:
        middle = params[2]
        spread = params[3]
        for t in range(count):
            numbers[t] = offset + factor * exp(middle + spread * normal_above(numbers[t]))
    elif kind == kinds.DETERMINISTIC:
        for t in range(count):
            numbers[t] = offset
    elif kind == kinds.VALUES:
        values = params[2:]
        last = values.size - 1
        for t in range(count):
            place = min(np.int64(chance_below(numbers[t]) * values.size), last)
            numbers[t] = offset + factor * values[np.int64(place)]
