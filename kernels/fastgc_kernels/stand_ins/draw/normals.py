"""Stand-in of normal numbers from uniform ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw.variates import log
from fastgc_kernels.stand_ins.draw.variates import normal_above

MOST = 1 << 20


def normals(uniforms: NDArray[np.float64], out: NDArray[np.float64]) -> object:
    """All numbers side by side."""
    if uniforms.size > MOST:
        return NotImplemented
    out[:] = normal_above(-log(uniforms))
    return None
