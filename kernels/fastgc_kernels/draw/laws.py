"""Times from standard exponential numbers e = −log(survival), by law (see `law_numbers`).

Inversion (Devroye, Non-Uniform Random Variate Generation, 1986, chapter II).
"""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.variates import exp, log, normal_above, probability_below


@jit
def invert(kind: int, params: Floats, numbers: Floats) -> None:
    """Put in place of every e the time t with P(T > t) = exp(−e), for invertible kinds."""
    offset = params[0]
    factor = params[1]
    count = numbers.size
    if kind == law_numbers.EXPONENTIAL:
        for t in range(count):
            numbers[t] = offset + factor * numbers[t]
    elif kind == law_numbers.WEIBULL:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * log(numbers[t]))
    elif kind == law_numbers.PARETO:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * numbers[t])
    elif kind == law_numbers.UNIFORM:
        for t in range(count):
            numbers[t] = offset + factor * probability_below(numbers[t])
    elif kind == law_numbers.LOGNORMAL:
        middle = params[2]
        spread = params[3]
        for t in range(count):
            numbers[t] = offset + factor * exp(middle + spread * normal_above(numbers[t]))
    elif kind == law_numbers.DETERMINISTIC:
        for t in range(count):
            numbers[t] = offset
    elif kind == law_numbers.VALUES:
        values = params[2:]
        last = values.size - 1
        for t in range(count):
            place = min(np.int64(probability_below(numbers[t]) * values.size), last)
            numbers[t] = offset + factor * values[np.int64(place)]
