"""Elementary functions of arrays, made of +, −, × and / alone: the same bits on every processor.

NumPy's own take vector instructions where a processor has them, and differ there in the last bit.
The logarithm is fdlibm's with its low part kept, the exponential is that of `variates`; the others
follow from these two, with all digits near 0. Errors are at most 2.2 ulp.
"""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.variates import (
    LN2_HIGH,
    LN2_LOW,
    _split,
    exp,
    exponent_and_fraction,
    log,
    log_series,
    normal_above,
)

LEAST = 2.2250738585072014e-308  #: the smallest normal number
MOST = 1.7976931348623157e308
SCALE = 18014398509481984.0  #: 2⁵⁴, which makes subnormal numbers normal
HALVES = 134217729.0  #: 2²⁷ + 1, which parts a number into two of 26 bits (Dekker)


@inline
def log_parts(x, shift):
    """(high, low) with log(x · 2^−shift) = high + low, for a normal x > 0: some 56 bits."""
    exponent, f = exponent_and_fraction(x)
    exponent = exponent - shift
    half, rest = log_series(f)
    head = exponent * LN2_HIGH
    near = head + f
    low = (f - (near - head)) + ((rest + exponent * LN2_LOW) - half)
    high = near + low
    return high, low - (high - near)


@inline
def parts_of_log(x):
    """The same for every x: −∞ of 0, NaN below, ∞ of ∞."""
    small = x < LEAST
    high, low = log_parts(min(max(x * SCALE if small else x, LEAST), MOST), 54.0 if small else 0.0)
    high = x if x == np.inf else high
    return ((-np.inf if x == 0.0 else high) if x >= 0.0 else np.nan), low


@inline
def error_of_product(a, b, product):
    """What a·b is more than its rounded product (Dekker)."""
    c, d = HALVES * a, HALVES * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@jit
def exps(x, out):
    """Fill ``out`` with e^x; below −708 that is 0."""
    for i in range(x.size):
        out[i] = exp(x[i])


@jit
def expm1s(x, out):
    """Fill ``out`` with e^x − 1."""
    for i in range(x.size):
        q, scale = _split(min(max(x[i], -708.0), 709.79))
        out[i] = 2.0 * ((scale - 0.5) + scale * q)


@jit
def logs(x, out):
    """Fill ``out`` with log x."""
    for i in range(x.size):
        out[i] = parts_of_log(x[i])[0]


@jit
def log1ps(x, out):
    """Fill ``out`` with log(1 + x); what is lost in 1 + x is put back (Kahan)."""
    for i in range(x.size):
        above = 1.0 + x[i]
        lost = above - 1.0
        alike = lost == 0.0 or above == np.inf
        found = parts_of_log(above)[0] * (x[i] / (1.0 if alike else lost))
        out[i] = x[i] if alike else found


@jit
def powers(x, exponent, out):
    """Fill ``out`` with x^exponent for x ≥ 0; its error grows with the exponent of e."""
    for i in range(x.size):
        high, low = parts_of_log(x[i])
        product = exponent * high
        value = exp(product)
        plain = value == 0.0 or value == np.inf or exponent == 0.0
        finite = 0.0 if plain else high
        rest = error_of_product(exponent, finite, exponent * finite) + exponent * low
        out[i] = (1.0 if exponent == 0.0 else value) if plain else value + value * rest


@jit
def normals(uniforms: Floats, out: Floats) -> None:
    """Fill ``out`` with the normal number that is exceeded with each probability in (0, 1)."""
    for i in range(uniforms.size):
        out[i] = normal_above(-log(uniforms[i]))
