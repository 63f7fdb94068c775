"""Recorded times as patterns of stragglers, and what is measured of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.errors import StoppedError

PERMUTATIONS = 20_000
_BATCH = 1 << 21  # numbers drawn at a time


Floats = NDArray[np.float64]


Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Measurement:
    """A deviation from a statement that is 0 if the statement holds.

    Attributes
    ----------
    value, standard_error : float or None
        None where the data say nothing of it.
    half_width : float
        Half-width of the 99 % interval around the value; infinite where it is unknown.
    p_value : float
        Chance of a deviation at least so large if the statement is true.
    remark : str
        What else the data show, in words for people.
    needed : int or None
        Iterations that would decide the statement; None where more would not help.
    """

    value: float | None
    standard_error: float | None
    half_width: float
    p_value: float
    remark: str
    needed: int | None


@dataclass(frozen=True)
class Recording:
    """Which workers straggled in which iterations, and the seed of the tests' permutations.

    Attributes
    ----------
    straggled : bool array (iterations, n)
    workers : tuple of str
    seed : int
    interrupted : callable
        Asked between batches; a text it returns stops the measurement.
    """

    straggled: Bits
    workers: tuple[str, ...]
    seed: int = 1
    interrupted: Callable[[], str | None] = lambda: None

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.straggled)

    @property
    def permutations(self) -> int:
        """How many permutations a test takes."""
        return PERMUTATIONS

    @property
    def hits(self) -> NDArray[np.int64]:
        """Number of iterations in which each worker straggled, (n,)."""
        return np.asarray(self.straggled.sum(axis=0), np.int64)

    @property
    def varying(self) -> NDArray[np.int64]:
        """Workers that straggle in some iterations and not in others."""
        return np.flatnonzero(self.rarer)

    @property
    def rarer(self) -> NDArray[np.int64]:
        """Iterations in which a worker straggled or in which not, whichever are fewer, (n,)."""
        found: NDArray[np.int64] = np.minimum(self.hits, self.iterations - self.hits)
        return found

    def batches(self, width: int) -> Iterator[tuple[int, int]]:
        """Yield (first, count) of permutations that take ``width`` numbers each."""
        size = max(1, _BATCH // max(1, width))
        for first in range(0, PERMUTATIONS, size):
            reason = self.interrupted()
            if reason is not None:
                raise StoppedError(f"stopped early by {reason}: nothing was kept")
            yield first, min(size, PERMUTATIONS - first)

    def uniforms(self, name: str, rows: int, columns: int) -> Floats:
        """Return random numbers (rows, columns); another ``name`` gives independent ones."""
        return uniforms(self.seed, f"trace {name}", rows * columns).reshape(rows, columns)
