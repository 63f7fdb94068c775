"""Fallbacks for the elementary functions of arrays, an operation at a time."""

import numpy as np

from fastgc_kernels._arrays import Floats
from fastgc_kernels.draw.elementary import LEAST, MOST, SCALE, error_of_product, log_parts
from fastgc_kernels.draw.variates import LN2, _split, log, normal_centre, normal_far, normal_near


def exp(x: Floats) -> Floats:
    """The exponential function."""
    q, scale = _split(np.minimum(np.maximum(x, -708.0), 709.79))
    value = 2.0 * (scale + scale * q)
    return np.where(x < -708.0, 0.0, value)


def probability_below(e: Floats) -> Floats:
    """1 − exp(−e) for e ≥ 0."""
    q, scale = _split(-np.minimum(e, 708.0))
    found: Floats = (1.0 - 2.0 * scale) - 2.0 * scale * q
    return found


def normal_above(e: Floats) -> Floats:
    """The z with P(Z > z) = exp(−e)."""
    below = probability_below(e)
    q = below - 0.5
    root = np.sqrt(np.where(e > LN2, e, -log(below)))
    tail = np.where(root <= 5.0, normal_near(root), normal_far(root))
    tail = np.where(e > LN2, tail, -tail)
    return np.where(np.abs(q) <= 0.425, normal_centre(q), tail)


def _parts_of_log(x: Floats) -> tuple[Floats, Floats]:
    """(high, low) with log x = high + low."""
    small = x < LEAST
    normal = np.minimum(np.maximum(np.where(small, x * SCALE, x), LEAST), MOST)
    high, low = log_parts(normal, np.where(small, 54.0, 0.0))
    high = np.where(x == np.inf, x, high)
    return np.where(x >= 0.0, np.where(x == 0.0, -np.inf, high), np.nan), low


def exps(x: Floats, out: Floats) -> None:
    """Fill ``out`` with e^x."""
    out[:] = exp(x)


def expm1s(x: Floats, out: Floats) -> None:
    """Fill ``out`` with e^x − 1."""
    q, scale = _split(np.minimum(np.maximum(x, -708.0), 709.79))
    out[:] = 2.0 * ((scale - 0.5) + scale * q)


def logs(x: Floats, out: Floats) -> None:
    """Fill ``out`` with log x."""
    out[:] = _parts_of_log(x)[0]


def log1ps(x: Floats, out: Floats) -> None:
    """Fill ``out`` with log(1 + x)."""
    above = 1.0 + x
    lost = above - 1.0
    alike = (lost == 0.0) | (above == np.inf)
    found = _parts_of_log(above)[0] * (x / np.where(alike, 1.0, lost))
    out[:] = np.where(alike, x, found)


def powers(x: Floats, exponent: float, out: Floats) -> None:
    """Fill ``out`` with x^exponent."""
    high, low = _parts_of_log(x)
    value = exp(exponent * high)
    plain = (value == 0.0) | (value == np.inf) | (exponent == 0.0)
    high = np.where(plain, 0.0, high)
    rest = error_of_product(exponent, high, exponent * high) + exponent * low
    out[:] = np.where(plain, 1.0 if exponent == 0.0 else value, value + value * rest)


def normals(uniforms: Floats, out: Floats) -> None:
    """Fill ``out`` with the normal number that is exceeded with each probability."""
    out[:] = normal_above(-log(uniforms))
