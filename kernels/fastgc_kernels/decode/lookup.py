"""Decoding errors of codes with few workers: one entry for each of the 2ⁿ patterns.

A table of all errors, read at the pattern's number.
"""

from fastgc_kernels._arrays import Floats, Words
from fastgc_kernels._jit import jit


@jit
def errors(packed: Words, table: Floats, out: Floats) -> None:
    """Fill ``out`` with ``table[pattern]``, a pattern's bits read as a number."""
    for t in range(packed.shape[0]):
        out[t] = table[packed[t, 0]]
