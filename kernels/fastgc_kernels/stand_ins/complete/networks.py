"""Stand-ins of sorting networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.complete import networks
from fastgc_kernels.complete.networks import LARGEST

MOST = 256  # values to sort

Floats = NDArray[np.float64]


def selection(wanted: NDArray[np.bool_]) -> object:
    """The kernel's own lines, as Python."""
    return networks.selection(wanted) if wanted.size <= MOST else NotImplemented


def in_order(rows: Floats, network: NDArray[np.int32]) -> None:
    """Move the wanted ones of the smallest values of rows (n, T) to their places."""
    if len(rows) > LARGEST:
        rows.sort(axis=0)
        return
    for i, j in network.tolist():
        x, y = rows[i], rows[j]
        swap = ~(x < y)
        rows[i], rows[j] = np.where(swap, y, x), np.where(swap, x, y)
