"""Which samples are in which partition of the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError


def bounds(samples: int, k: int) -> NDArray[np.int64]:
    """Cut samples into k runs of consecutive ones, as equal as can be: int64 array (k + 1,).

    Partition i holds the samples from entry i up to, not including, entry i + 1. Each of the first
    N mod k partitions holds one sample more than the others; none may be empty.

    Examples
    --------
    >>> bounds(10, 4).tolist()
    [0, 3, 6, 8, 10]
    """
    if k < 1:
        raise FastgcError(f"partitions: must be at least 1 (got {k})")
    if samples < k:
        raise FastgcError(f"partitions: {k} of them need at least {k} samples (got {samples})")
    whole, longer = divmod(samples, k)
    sizes = np.full(k, whole, np.int64)
    sizes[:longer] += 1
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])


def describe(samples: int, k: int) -> str:
    """Say how large the partitions are that `bounds` makes.

    Examples
    --------
    >>> describe(504, 8)
    '504 samples in 8 partitions of 63'
    >>> describe(506, 8)
    '506 samples in 8 partitions, the first 2 of 64 and the others of 63'
    """
    bounds(samples, k)
    whole, longer = divmod(samples, k)
    if not longer:
        return f"{samples} samples in {k} partitions of {whole}"
    return (
        f"{samples} samples in {k} partitions, the first {longer} of {whole + 1} "
        f"and the others of {whole}"
    )
