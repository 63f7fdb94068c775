"""Standard normal numbers from uniform ones, each from one: what is made once, like data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw.variates import log, normal_above


@jit
def normals(uniforms: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Fill ``out`` with the normal number that is exceeded with each probability in (0, 1)."""
    for i in range(uniforms.size):
        out[i] = normal_above(-log(uniforms[i]))
