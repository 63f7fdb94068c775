"""Which answers agree: those that are combinations of the same numbers."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError

#: Sets of answers that are tried, at most.
_MOST_SETS = 100_000
#: Vectors that are shorter, against the longest, are rounding.
_ROUNDING = 1e-10


def agreeing(
    C: NDArray[Any], Y: NDArray[Any], most: int, agree: float
) -> Iterator[tuple[int, ...]]:
    """Yield the sets of up to so many answers without which the others agree, the smallest first.

    ``C`` (r, k): what each of r answers Y (r, p) is a combination of; answers agree if they lie in
    the span of C's columns. A FastgcError says if these are too many sets to try.
    """
    sets = sum(math.comb(len(C), j) for j in range(most + 1))
    if sets > _MOST_SETS:
        raise FastgcError(
            f"most: {most} wrong answers of {len(C)} are {sets} sets, more than are tried "
            f"({_MOST_SETS}); look for fewer"
        )
    for left_out in _sets(len(C), most):
        rest = np.setdiff1d(np.arange(len(C)), left_out)
        if _agree(C[rest], Y[rest], agree):
            yield left_out


def _sets(count: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of up to so many of ``count``, the smallest first."""
    for size in range(most + 1):
        yield from itertools.combinations(range(count), size)


def _agree(C: NDArray[Any], Y: NDArray[Any], share: float) -> bool:
    """Whether the columns of Y (r, p) lie in the span of the columns of C (r, k)."""
    left, off = np.array(C, np.result_type(C, 1.0)), np.array(Y, np.result_type(C, Y, 1.0))
    longest = np.sqrt(_squares(left).max(initial=0.0))
    scale = np.sqrt(_squares(Y).max(initial=0.0))
    for _ in range(min(C.shape)):  # Gram–Schmidt, the longest column first
        squares = _squares(left)
        place = int(squares.argmax())
        if squares[place] <= (_ROUNDING * longest) ** 2:
            break
        unit = left[:, place] / np.sqrt(squares[place])
        for vectors in (left, left, off, off):  # twice is enough
            vectors -= np.outer(unit, (unit.conj()[:, np.newaxis] * vectors).sum(axis=0))
    return bool(np.sqrt(_squares(off).max(initial=0.0)) <= share * scale)


def _squares(vectors: NDArray[Any]) -> Values:
    """Return the squared lengths of columns."""
    return np.asarray((np.abs(vectors) ** 2).sum(axis=0))
