"""What values are tallied less, so that sums of powers keep the digits of a small spread.

Of values whose standard deviation is 1e-9 of their mean, sums of squares hold none in 16 digits;
sums of squares of their differences from one of them hold nearly all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import Batch
from fastgc.experiments.pooled import Cells, Sums
from fastgc.registry.cached import cached_property


def first_trials(iterations: int) -> Batch:
    """Return the draws that references are made of: the same for all seeds, shards and threads."""
    return Batch(0, "reference", 0, 1, iterations)


def typical(values: NDArray[np.float64]) -> float:
    """Return the middle one of some values, of those that are finite; 0 where none is.

    Examples
    --------
    >>> typical(np.array([[3.0, 1.0], [np.inf, 2.0]]))
    2.0
    """
    finite = np.sort(values[np.isfinite(values)])
    return float(finite[finite.size // 2]) if finite.size else 0.0


class Shift:
    """A value near those that are tallied, kept in cells: a tally says itself what it is about.

    Parameters
    ----------
    find : callable
        Returns the value, always the same; called when first needed.
    """

    cells = 2

    def __init__(self, find: Callable[[], float]) -> None:
        self._find = find

    @cached_property
    def value(self) -> float:
        """The value."""
        return self._find()

    def add(self, cells: Cells) -> None:
        """Fill the cells for one block, which counts itself."""
        cells[:] = 1.0, self.value

    @staticmethod
    def read(sums: Sums) -> float:
        """Return the value from sums over blocks; 0 where there is none."""
        blocks, total = sums
        return total.numerator / (total.denominator * int(blocks)) if blocks else 0.0
