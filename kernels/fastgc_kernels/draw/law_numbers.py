"""Laws of time that kernels know, by number, and how their parameters lie in a flat array.

Each is the law of offset + factor · Y for a Y made from a standard exponential number e, which is
−log P(Y > y): parameters begin with offset and factor, and Y's own follow.
"""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.variates import exp, log, normal_above, probability_below

EXPONENTIAL = 0  #: Y = e
WEIBULL = 1  #: Y = e^a; a = 1/shape
PARETO = 2  #: Y = exp(a e); a = 1/shape
UNIFORM = 3  #: Y = 1 − exp(−e)
LOGNORMAL = 4  #: Y = exp(a + b z) with P(Z > z) = exp(−e) for a standard normal Z
DETERMINISTIC = 5  #: Y = 0
VALUES = 6  #: Y = one of the values that follow, in ascending order, all alike
GAMMA = 7  #: Y of mean and variance a, by numbers of its own: no function of e
#: p, kind and number of parameters of the fast law, kind of the slow one, then both laws' own:
#: with probability p the slow law, else the fast one; no function of e
MIXTURE = 8

#: Laws whose times are a growing function of e.
INVERTIBLE = (EXPONENTIAL, WEIBULL, PARETO, UNIFORM, LOGNORMAL, DETERMINISTIC, VALUES)


# ---- Times from standard exponential numbers, by inversion
#
# Devroye, Non-Uniform Random Variate Generation, 1986, chapter II.


@jit
def invert(kind: int, params: Floats, numbers: Floats) -> None:
    """Put in place of every e the time t with P(T > t) = exp(−e), for invertible kinds."""
    offset = params[0]
    factor = params[1]
    count = numbers.size
    if kind == EXPONENTIAL:
        for t in range(count):
            numbers[t] = offset + factor * numbers[t]
    elif kind == WEIBULL:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * log(numbers[t]))
    elif kind == PARETO:
        power = params[2]
        for t in range(count):
            numbers[t] = offset + factor * exp(power * numbers[t])
    elif kind == UNIFORM:
        for t in range(count):
            numbers[t] = offset + factor * probability_below(numbers[t])
    elif kind == LOGNORMAL:
        middle = params[2]
        spread = params[3]
        for t in range(count):
            numbers[t] = offset + factor * exp(middle + spread * normal_above(numbers[t]))
    elif kind == DETERMINISTIC:
        for t in range(count):
            numbers[t] = offset
    elif kind == VALUES:
        values = params[2:]
        last = values.size - 1
        for t in range(count):
            place = min(np.int64(probability_below(numbers[t]) * values.size), last)
            numbers[t] = offset + factor * values[np.int64(place)]
