"""Two numbers at each address, for a run of trials: what one call of the generator gives.

The generator is that of `philox`; exponential numbers are −log U.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw import variate_vectors
from fastgc_kernels.draw.philox import SHIFT32, halves, words_at
from fastgc_kernels.draw.variate_vectors import BLOCK
from fastgc_kernels.draw.variates import log, unit


@inline
def in_blocks(first, out):
    """How many trials of a run can be drawn by vector code: those of whole blocks."""
    whole = out.size // BLOCK * BLOCK
    return whole if first >> SHIFT32 == (first + U64(whole)) >> SHIFT32 else 0


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
    """Two standard exponential numbers of each trial, −log of its uniform ones; never −0.

    ``even``, ``odd``: float64 arrays (trials,) whose numbers lie side by side.
    """
    k0, k1 = halves(key)
    whole = min(in_blocks(first, even), in_blocks(first, odd))
    if whole > 0:
        draw = first, U64(iteration), U64(address), k0, k1
        variate_vectors.exponentials(draw, whole, even, odd)
    if whole < even.size:
        rest = first + U64(whole)
        uniforms(key, rest, iteration, address, even[whole:], odd[whole:])
        for t in range(whole, even.size):
            even[t] = 0.0 - log(even[t])
            odd[t] = 0.0 - log(odd[t])
