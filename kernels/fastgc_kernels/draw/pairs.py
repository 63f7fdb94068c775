"""Two numbers at each address, for a run of trials: what one call of the generator gives.

The generator is that of `philox`; exponential numbers are −log U.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.philox import halves, words_at
from fastgc_kernels.draw.variates import log, unit


@jit
def uniforms(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> None:
    """Two uniform numbers of each trial from ``first`` on."""
    k0, k1 = halves(key)
    for t in range(even.size):
        a, b, c, d = words_at(first + U64(t), iteration, address, k0, k1)
        even[t] = unit(a, b)
        odd[t] = unit(c, d)


@jit
def exponentials(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> None:
    """Two standard exponential numbers of each trial, −log of its uniform ones; never −0."""
    uniforms(key, first, iteration, address, even, odd)
    for t in range(even.size):
        even[t] = 0.0 - log(even[t])
        odd[t] = 0.0 - log(odd[t])
