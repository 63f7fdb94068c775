"""exp, log and their like on arrays, a number at a time: NumPy's differ by kind of processor."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


def _of_arrays(function: Callable[[float], float]) -> Callable[[ArrayLike], Values]:
    each = np.frompyfunc(function, 1, 1)

    def of_array(x: ArrayLike) -> Values:
        return np.asarray(each(np.asarray(x, float)), float)

    return of_array


exp = _of_arrays(lambda x: math.exp(x) if x < 709.0 else math.inf)
expm1 = _of_arrays(lambda x: math.expm1(x) if x < 709.0 else math.inf)
log = _of_arrays(lambda x: math.log(x) if x > 0.0 else -math.inf)
log1p = _of_arrays(lambda x: math.log1p(x) if x > -1.0 else -math.inf)
