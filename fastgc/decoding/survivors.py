"""Survivors as users name them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError


def indices(survivors: ArrayLike, n: int) -> NDArray[np.int64]:
    """Check survivors and return their indices."""
    try:
        given = np.asarray(survivors)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or not (given.size == 0 or given.dtype.kind in "bui"):
        raise FastgcError(
            f"survivors: must be a list of workers' indices or of {n} booleans (got {survivors!r})"
        )
    if given.dtype.kind == "b":
        if given.size != n:
            raise FastgcError(f"survivors: must have {n} booleans, one a worker (got {given.size})")
        return np.flatnonzero(given)
    outside = given[(given < 0) | (given >= n)]
    if outside.size:
        raise FastgcError(
            f"survivors: every index must be from 0 to {n - 1} (got {int(outside[0])})"
        )
    indices = given.astype(np.int64)
    found, times = np.unique(indices, return_counts=True)
    if np.any(times > 1):
        raise FastgcError(
            f"survivors: every worker can be listed once (got {int(found[times > 1][0])} twice)"
        )
    return indices
