"""Survivors as users name them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError


def masks(survivors: ArrayLike, n: int) -> NDArray[np.bool_] | None:
    """Return the patterns of a table of booleans (patterns, n); None of a single pattern."""
    try:
        given = np.asarray(survivors)
    except ValueError:
        return None
    if given.ndim != 2:
        return None
    if given.dtype.kind != "b" or given.shape[1] != n:
        remedy = "; write 0 and 1 as masks.astype(bool)" if given.dtype.kind in "iuf" else ""
        raise FastgcError(
            f"survivors: patterns must be booleans of shape (patterns, {n}), true where a worker "
            f"answered (got {given.dtype} of shape {given.shape}){remedy}"
        )
    return given


def packed(alive: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return patterns as words: bit j % 64 of word j // 64 is set if worker j survived."""
    words = -(-alive.shape[1] // 64)
    out = np.zeros((len(alive), 8 * words), np.uint8)
    octets = np.packbits(alive, axis=1, bitorder="little")
    out[:, : octets.shape[1]] = octets
    return out.view("<u8").astype(np.uint64)


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
