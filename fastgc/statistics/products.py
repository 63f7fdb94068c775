"""Sums of products in one order; the order of a BLAS, and so the last bit, is the processor's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def dot(a: Values, b: Values) -> Values:
    """Return the sum of a·b over the last axis.

    Parameters
    ----------
    a, b : float arrays that broadcast

    Returns
    -------
    float array of the other axes; a number of NumPy's where there are none

    Examples
    --------
    >>> float(dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    return np.asarray(np.add.reduce(a * b, axis=-1))
