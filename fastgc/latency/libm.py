"""exp, log and their like for what ends in a row: the same bits on every processor.

NumPy's functions differ between processors in the last bit, and so would the rows. A number gives
a number of NumPy's, an array an array of its shape.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc_kernels.draw import elementary


def _filled(fill: Callable[..., None], x: ArrayLike, *parameters: float) -> Values:
    given = np.ascontiguousarray(x, float)
    out = np.empty(given.size)
    fill(given.ravel(), *parameters, out)
    return out.reshape(np.shape(x))


def exp(x: ArrayLike) -> Values:
    """Return e^x, 0 below −708 and ∞ above 709.78."""
    return _filled(elementary.exps, x)


def expm1(x: ArrayLike) -> Values:
    """Return e^x − 1."""
    return _filled(elementary.expm1s, x)


def log(x: ArrayLike) -> Values:
    """Return log x, −∞ of 0."""
    return _filled(elementary.logs, x)


def log1p(x: ArrayLike) -> Values:
    """Return log(1 + x), −∞ of −1."""
    return _filled(elementary.log1ps, x)


def power(x: ArrayLike, exponent: float) -> Values:
    """Return x^exponent for x ≥ 0."""
    return _filled(elementary.powers, x, float(exponent))
