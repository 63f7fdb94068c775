"""Standard normal numbers for data and for the start of a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc_kernels.draw import elementary

#: Numbers drawn at a time, which bounds the memory that drawing takes.
_RUN = 1 << 16


def normals(seed: int, name: str, count: int) -> NDArray[np.float64]:
    """Return standard normal numbers, the same bits on every machine.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2⁶⁴.
    name : str
        Says what the numbers are for; another name gives independent numbers.
    count : int

    Returns
    -------
    float64 array (count,)
        A smaller count gives the first of the same numbers.

    Examples
    --------
    >>> bool((normals(1, "example", 3) == normals(1, "example", 70_000)[:3]).all())
    True
    """
    out = np.empty(count)
    for run, first in enumerate(range(0, count, _RUN)):
        part = out[first : first + _RUN]
        elementary.normals(uniforms(seed, f"{name}/{run}", part.size), part)
    return out
