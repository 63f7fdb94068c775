"""Numbers with other laws than the uniform one, without libm: the same bits on every machine."""

from __future__ import annotations

import math

import numpy as np

from fastgc_kernels._jit import inline
from fastgc_kernels.philox import philox

U64 = np.uint64
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
ATTEMPT = U64(1 << 20)


@inline
def unit(high, low):
    """A number in (0, 1) from two 32-bit words: a multiple of 2⁻⁵³ plus 2⁻⁵⁴."""
    whole = (high << U64(21)) ^ (low >> U64(11))
    return (np.float64(whole) + 0.5) * 1.1102230246251565e-16


@inline
def log(x):
    """Natural logarithm of a positive normal number, within 1 ulp.

    x = 2^e m with m near 1, ln m = 2 artanh(s) with s = (m − 1)/(m + 1) as fdlibm has it.
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < 0.7071067811865476:
        mantissa *= 2.0
        exponent -= 1
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    rest = z * (
        6.666666666666735130e-01
        + z
        * (
            3.999999999940941908e-01
            + z
            * (
                2.857142874366239149e-01
                + z
                * (
                    2.222219843214978396e-01
                    + z
                    * (
                        1.818357216161805012e-01
                        + z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01)
                    )
                )
            )
        )
    )
    half = 0.5 * f * f
    return exponent * LN2_HIGH - ((half - (s * (half + rest) + exponent * LN2_LOW)) - f)


@inline
def normal_pair(c0, c1, c2, c3, k0, k1):
    """Two independent standard normal numbers (Marsaglia's polar method).

    Rejected points are drawn again at addresses of their own; c2 must be below 2²⁰.
    """
    step = c2
    while True:
        a, b, c, d = philox(c0, c1, step, c3, k0, k1)
        x = 2.0 * unit(a, b) - 1.0
        y = 2.0 * unit(c, d) - 1.0
        square = x * x + y * y
        if square < 1.0:
            break
        step += ATTEMPT
    scale = np.sqrt(-2.0 * log(square) / square)
    return x * scale, y * scale
