"""Stand-in of sums of controls and of their products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.tally.sums import MOST, in_lanes

Floats = NDArray[np.float64]


def products(values: Floats, controls: Floats, out: Floats) -> object:
    """In lanes, one sum after the other."""
    m = len(controls)
    if controls.size * (m + 3) > MOST:
        return NotImplemented
    both = [controls[i] * controls[j] for i in range(m) for j in range(i, m)]
    out[:] = [in_lanes(terms) for terms in (*controls, *both, *(controls * values))]
    return None
