"""Standard normal numbers for what is made once: data, and where a network starts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fastgc_kernels.draw.normals
from fastgc.draws.streams import uniforms

#: Numbers drawn at a time, which bounds the memory that drawing takes.
_RUN = 1 << 16


def normals(seed: int, name: str, count: int) -> NDArray[np.float64]:
    """Standard normal numbers, the same bits on every machine.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2⁶⁴.
    name : str
        What they are for; other names give independent numbers.
    count : int

    Returns
    -------
    float64 array (count,)
        The first ones are the same for every count.

    Examples
    --------
    >>> bool((normals(1, "example", 3) == normals(1, "example", 70_000)[:3]).all())
    True
    """
    out = np.empty(count)
    for run, first in enumerate(range(0, count, _RUN)):
        part = out[first : first + _RUN]
        fastgc_kernels.draw.normals.normals(uniforms(seed, f"{name}/{run}", part.size), part)
    return out
