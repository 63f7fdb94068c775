"""Arithmetic of the theory: functions of arrays, sums over combinations, integrals."""

import inspect
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.common import check

#: Workers up to which binomial coefficients are counted in whole numbers, and gaps in pairs.
LARGEST_COUNTED = 2048
TOLERANCE = 1e-13


def elementwise(function: Callable[..., float]) -> Callable[..., Any]:
    """Let a function of scalars take arrays that broadcast, and refuse what its words cannot be.

    Strings and None pass untouched.
    """

    def checked(**values: Any) -> float:
        return function(**check.arguments(**values))

    return broadcast(wraps(function)(checked))


def broadcast(function: Callable[..., float]) -> Callable[..., Any]:
    """Let a function of scalars take arrays that broadcast; strings and None pass untouched."""
    signature = inspect.signature(function)

    @wraps(function)
    def broadcasting(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        plain = {k: v for k, v in bound.arguments.items() if v is None or isinstance(v, str)}
        names = [name for name in bound.arguments if name not in plain]
        try:
            arrays = np.broadcast_arrays(*(bound.arguments[name] for name in names))
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(bound.arguments[name])}" for name in names)
            raise FastgcError(
                f"{function.__name__}: shapes {shapes} do not broadcast; give scalars or arrays of "
                "one shape"
            ) from None
        rows = zip(*(array.ravel().tolist() for array in arrays), strict=True)
        values = [float(function(**plain, **dict(zip(names, row, strict=True)))) for row in rows]
        shape = arrays[0].shape
        return np.array(values).reshape(shape) if shape else values[0]

    return broadcasting


# NumPy's own have other last bits on other processors
exp = np.vectorize(math.exp, otypes=[float])
expm1 = np.vectorize(math.expm1, otypes=[float])


def binomial_probabilities(trials: int, p: float) -> Values:
    """Probabilities of 0 … trials successes; from the mode outwards, so nothing overflows."""
    if p <= 0.0 or p >= 1.0:
        certain = np.zeros(trials + 1)
        certain[trials if p >= 1.0 else 0] = 1.0
        return certain
    mode = min(int((trials + 1) * p), trials)
    above = np.arange(mode, trials)
    below = np.arange(mode, 0, -1)
    up = np.cumprod((trials - above) / (above + 1) * (p / (1.0 - p)))
    down = np.cumprod(below / (trials - below + 1) * ((1.0 - p) / p))
    weights = np.concatenate([down[::-1], [1.0], up])
    return np.asarray(weights / math.fsum(weights), dtype=np.float64)


# ---- integrals of smooth functions over half-lines and over Beta laws, to about 1e-13


def half_line(
    function: Callable[[Values], Values], start: float, scale: float, tolerance: float = TOLERANCE
) -> float:
    """Integrate a function that falls exponentially from ``start`` to infinity.

    The trapezoidal rule after t = start + scale·exp(x − exp(−x)) (Takahasi, Mori 1974), halving
    the step until nothing changes but for rounding. ``scale`` is about the distance over which the
    function falls.
    """

    def summed(x: Values) -> float:
        ratio = exp(x - exp(-x))
        slope = scale * ratio * (1.0 + exp(-x))
        return float(np.sum(slope * function(start + scale * ratio)))

    low, high, count, before = -4.5, 6.5, 64, math.inf
    step = (high - low) / count
    total = summed(low + step * np.arange(count + 1.0))
    while count < 1 << 14:
        total += summed(low + step * (np.arange(count + 0.0) + 0.5))
        step, count = step / 2.0, count * 2
        value = total * step
        if abs(value - before) <= tolerance * abs(value):
            return value
        before = value
    return before
