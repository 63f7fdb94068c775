"""Integrals of smooth functions over half-lines and over Beta laws, to about 1e-13."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.common.elementary import exp

Values = NDArray[np.float64]

TOLERANCE = 1e-13


def half_line(
    function: Callable[[Values], Values], start: float, scale: float, tolerance: float = TOLERANCE
) -> float:
    """Integrate a function that falls exponentially from ``start`` to infinity.

    The trapezoidal rule after t = start + scale·exp(x − exp(−x)) (Takahasi, Mori 1974), halving
    the step until nothing changes but for rounding. ``scale`` is about the distance over which the
    function falls.

    >>> round(half_line(lambda t: np.exp(-2.0 * t), 0.0, 1.0), 13)
    0.5
    """

    def transformed(x: Values) -> Values:
        ratio = exp(x - exp(-x))
        return scale * ratio * (1.0 + exp(-x)) * function(start + scale * ratio)

    return _trapezoid(transformed, -4.5, 6.5, tolerance)


def beta_mean(function: Callable[[Values, Values], Values], a: float, b: float) -> float:
    """Mean of function(u, 1 − u) for u ~ Beta(a, b), where the function is smooth inside (0, 1).

    The trapezoidal rule in log(u/(1 − u)), in which the density falls exponentially at both ends.

    >>> round(beta_mean(lambda u, v: u, 2.0, 3.0), 13)
    0.4
    """
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    centre = math.log(a / b)

    def transformed(x: Values) -> Values:
        log_u, log_v = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
        density = exp(constant + a * log_u + b * log_v)
        with np.errstate(over="ignore", invalid="ignore"):
            values = density * function(exp(log_u), exp(log_v))
        return np.where(density > 0.0, values, 0.0)

    # the law of x falls like exp(a x) to the left and like exp(−b x) to the right
    low, high = centre - 10.0 - 40.0 / a, centre + 10.0 + 40.0 / b
    return _trapezoid(transformed, low, high, TOLERANCE)


def _trapezoid(
    function: Callable[[Values], Values], low: float, high: float, tolerance: float
) -> float:
    count = 64
    step = (high - low) / count
    total = float(np.sum(function(low + step * np.arange(count + 1.0))))
    before = math.inf
    while count < 1 << 14:
        middles = low + step * (np.arange(count + 0.0) + 0.5)
        total += float(np.sum(function(middles)))
        step, count = step / 2.0, count * 2
        value = total * step
        if abs(value - before) <= tolerance * abs(value):
            return value
        before = value
    return before
