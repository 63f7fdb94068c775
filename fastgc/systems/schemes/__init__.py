"""Systems on real data: their schemes, and the arrays and seeds that these are given."""

from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError


def numbers(place: str, given: Any, finite: Mask | bool = True, axes: int = 0) -> Values:
    """Return an array of so many axes at least; ``finite`` says which rows must be, or all."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "buif" or array.ndim < axes:
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise FastgcError(f"{place}: must be an array of numbers") from None
    some = isinstance(finite, np.ndarray) and len(finite) == len(array)
    if finite is not False and not np.isfinite(array[finite] if some else array).all():
        raise FastgcError(f"{place}: every entry must be finite")
    return array


def seeded(name: str, seed: Any) -> int:
    """Return a seed of the scheme of that name, if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise FastgcError(f"{name}: seed: must be an integer, 0 ≤ seed < 2⁶⁴ (got {seed!r})")
    return int(seed)
