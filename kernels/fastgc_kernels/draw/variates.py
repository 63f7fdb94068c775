"""Numbers with other laws than the uniform one, without libm: the same bits on every machine.

Logarithm: fdlibm's; exponential: Taylor's series after Cody and Waite's reduction; normal quantile:
Wichura's AS 241 (1988); normal pairs: Marsaglia's polar method.
"""

import numpy as np

from fastgc_kernels._arrays import U64
from fastgc_kernels._jit import inline
from fastgc_kernels.draw.philox import ATTEMPT, philox

LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
PER_LN2 = 1.4426950408889634
HALF_ROOT = U64(0x3FE6A09E667F3BCD)  # the bits of √½
MANTISSA = U64(52)
LN2 = 0.6931471805599453
ROUNDER = 6755399441055744.0  # 3·2⁵¹
BELOW = U64(1022)  # the exponent's bits of one half


@inline
def unit(high, low):
    """A number in (0, 1) from two 32-bit words: a multiple of 2⁻⁵³ plus 2⁻⁵⁴."""
    whole = (high << U64(21)) ^ (low >> U64(11))
    return (np.float64(whole) + 0.5) * 1.1102230246251565e-16


@inline
def exponent_and_fraction(x):
    """(e, f) with x = 2^e (1 + f) and 1 + f near 1, for a positive normal number."""
    bits = np.float64(x).view(np.uint64)
    whole = np.int64(bits - HALF_ROOT) >> np.int64(52)
    f = np.uint64(bits - (np.uint64(whole) << MANTISSA)).view(np.float64) - 1.0
    return np.float64(whole), f


@inline
def log(x):
    """Natural logarithm of a positive normal number, within 1 ulp.

    x = 2^e m with m near 1, ln m = 2 artanh(s) with s = (m − 1)/(m + 1) as fdlibm has it. Exponent
    and mantissa come from the number's bits, so that loops become vector instructions.
    """
    exponent, f = exponent_and_fraction(x)
    return log_of_parts(exponent, f)


@inline
def log_of_parts(exponent, f):
    """Natural logarithm of 2^exponent (1 + f)."""
    return exponent * LN2_HIGH - short_of(exponent, f)


@inline
def _horner(start, x, a, b, c, d):
    # four more coefficients of a polynomial, highest powers first
    return (((start * x + a) * x + b) * x + c) * x + d


@inline
def log_series(f):
    """(h, r) with log(1 + f) = f − (h − r), h = f²/2."""
    s = f / (2.0 + f)
    z = s * s
    rest = (z * 1.479819860511658591e-01 + 1.531383769920937332e-01) * z + 1.818357216161805012e-01
    rest = (rest * z + 2.222219843214978396e-01) * z + 2.857142874366239149e-01
    rest = z * ((rest * z + 3.999999999940941908e-01) * z + 6.666666666666735130e-01)
    half = 0.5 * f * f
    return half, s * (half + rest)


@inline
def short_of(exponent, f):
    """What that logarithm is less than exponent · LN2_HIGH, a product without rounding."""
    half, rest = log_series(f)
    return (half - (rest + exponent * LN2_LOW)) - f


@inline
def _split(x):
    """(q, s) with exp(x) = 2 s (1 + q), s a power of two and |q| < .42, for −708 ≤ x ≤ 709.8.

    Added to 3·2⁵¹ a number is rounded to an integer, which the sum's last bits then are.
    """
    shifted = x * PER_LN2 + ROUNDER
    exponent = shifted - ROUNDER
    scale = np.uint64((np.float64(shifted).view(np.uint64) + BELOW) << MANTISSA).view(np.float64)
    r = (x - exponent * LN2_HIGH) - exponent * LN2_LOW
    # Taylor: the first term left out is below 2⁻⁵³ of the sum
    tail = _horner(
        1.1470745597729725e-11, r, 1.6059043836821613e-10,
        2.08767569878681e-09, 2.505210838544172e-08, 2.755731922398589e-07,
    )  # fmt: skip
    tail = _horner(
        tail, r, 2.7557319223985893e-06,
        2.48015873015873e-05, 0.0001984126984126984, 0.001388888888888889,
    )  # fmt: skip
    tail = _horner(
        tail, r, 0.008333333333333333,
        0.041666666666666664, 0.16666666666666666, 0.5,
    )  # fmt: skip
    return r + r * r * tail, scale


@inline
def exp(x):
    """Exponential function, within 1 ulp; 0 below −708, infinite above 709.78."""
    q, scale = _split(min(max(x, -708.0), 709.79))
    value = 2.0 * (scale + scale * q)
    return 0.0 if x < -708.0 else value


@inline
def probability_below(e):
    """1 − exp(−e) for e ≥ 0, with all digits also where e is small."""
    q, scale = _split(-min(e, 708.0))
    return (1.0 - 2.0 * scale) - 2.0 * scale * q


@inline
def normal_centre(q):
    """Quantile of the standard normal law at 1/2 + q for |q| ≤ .425."""
    r = 0.180625 - q * q
    above = _horner(
        2.5090809287301226727e3, r, 3.3430575583588128105e4,
        6.7265770927008700853e4, 4.5921953931549871457e4, 1.3731693765509461125e4,
    )  # fmt: skip
    above = ((above * r + 1.9715909503065514427e3) * r + 1.3314166789178437745e2) * r
    under = _horner(
        5.2264952788528545610e3, r, 2.8729085735721942674e4,
        3.9307895800092710610e4, 2.1213794301586595867e4, 5.3941960214247511077e3,
    )  # fmt: skip
    under = ((under * r + 6.8718700749205790830e2) * r + 4.2313330701600911252e1) * r
    return q * (above + 3.3871328727963666080e0) / (under + 1.0)


@inline
def normal_near(root):
    """The z with P(Z > z) = exp(−root²) for a root up to 5, in the tail."""
    r = root - 1.6
    above = _horner(
        7.74545014278341407640e-4, r, 2.27238449892691845833e-2,
        2.41780725177450611770e-1, 1.27045825245236838258e0, 3.64784832476320460504e0,
    )  # fmt: skip
    above = ((above * r + 5.76949722146069140550e0) * r + 4.63033784615654529590e0) * r
    under = _horner(
        1.05075007164441684324e-9, r, 5.47593808499534494600e-4,
        1.51986665636164571966e-2, 1.48103976427480074590e-1, 6.89767334985100004550e-1,
    )  # fmt: skip
    under = ((under * r + 1.67638483018380384940e0) * r + 2.05319162663775882187e0) * r
    return (above + 1.42343711074968357734e0) / (under + 1.0)


@inline
def normal_far(root):
    """The same for a root above 5."""
    r = root - 5.0
    above = _horner(
        2.01033439929228813265e-7, r, 2.71155556874348757815e-5,
        1.24266094738807843860e-3, 2.65321895265761230930e-2, 2.96560571828504891230e-1,
    )  # fmt: skip
    above = ((above * r + 1.78482653991729133580e0) * r + 5.46378491116411436990e0) * r
    under = _horner(
        2.04426310338993978564e-15, r, 1.42151175831644588870e-7,
        1.84631831751005468180e-5, 7.86869131145613259100e-4, 1.48753612908506148525e-2,
    )  # fmt: skip
    under = ((under * r + 1.36929880922735805310e-1) * r + 5.99832206555887937690e-1) * r
    return (above + 6.65790464350110377720e0) / (under + 1.0)


@inline
def normal_above(e):
    """The z with P(Z > z) = exp(−e) for a standard normal Z, e > 0 (Wichura's AS 241)."""
    below = probability_below(e)
    q = below - 0.5
    centre = normal_centre(q)
    root = np.sqrt(e if e > LN2 else -log(below))
    near = normal_near(root)
    far = normal_far(root)
    tail = near if root <= 5.0 else far
    tail = tail if e > LN2 else -tail
    return centre if abs(q) <= 0.425 else tail


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
