"""Stand-in of what times exceed the least by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.tally.sums import MOST

Floats = NDArray[np.float64]


def excesses(
    values: Floats, least: float, reference: float, largest: float, out: Floats, less: Floats
) -> object:
    """One operation after the other."""
    if values.size > MOST:
        return NotImplemented
    np.fmax(values - least, 0.0, out=out)
    np.subtract(out, reference, out=less)
    return int(np.count_nonzero(~(values < largest)))
