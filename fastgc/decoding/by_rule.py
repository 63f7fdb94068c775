"""The algorithm that asks a decoder of one's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.algorithms import Algorithm, Errors, Matrix, Packed
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import uniforms
from fastgc.registry import plugins

_PATTERNS = 64


class ByRule(Algorithm):
    """Vectors that a rule gives, and the errors that they make.

    The rule is always asked for 64 patterns at once, those that a replay draws together: so sums
    of linear algebra have the same bits in any block.

    Parameters
    ----------
    B : float64 array (k, n)

    Raises
    ------
    FastgcError
        If the rule gives a pattern other weights beside other patterns, or when it is asked again.
    """

    name = "own"

    def __init__(self, B: Matrix, rule: DecodingRule) -> None:
        self._B, self._rule = B, rule
        n = B.shape[1]
        tried = uniforms(0, "plug-in", _PATTERNS * n).reshape(_PATTERNS, n) > 0.3
        first, again = self._of(tried), self._of(tried)
        moved = np.roll(self._of(np.roll(tried, 1, axis=0)), -1, axis=0)
        # sums of linear algebra may round otherwise at another place
        alike = np.allclose(first, moved, rtol=1e-6, atol=1e-9 * np.abs(first).max(initial=0.0))
        if not (alike and np.array_equal(first, again)):
            raise plugins.not_rowwise(type(rule), "vectors")

    def errors(self, packed: Packed, out: Errors) -> None:
        """Fill ``out`` (T,) with the errors of up to 65536 patterns."""
        for first in range(0, len(packed), _PATTERNS):
            vectors = self.vectors(packed[first : first + _PATTERNS])
            weights = np.zeros((len(vectors), len(self._B)))
            for worker, column in enumerate(self._B.T):  # in one order, on every machine
                weights += vectors[:, worker, np.newaxis] * column
            missing = np.square(weights - 1.0)
            total = np.zeros(len(vectors))
            for partition in missing.T:
                total += partition
            out[first : first + _PATTERNS] = total

    def vectors(self, packed: Packed) -> Matrix:
        """Return the decoding vectors of patterns, (T, n): 0 for stragglers."""
        n = self._B.shape[1]
        out = np.empty((len(packed), n))
        for first in range(0, len(packed), _PATTERNS):
            part = packed[first : first + _PATTERNS]
            bits = np.unpackbits(part.view(np.uint8), axis=1, count=n, bitorder="little")
            alive = np.zeros((_PATTERNS, n), bool)
            alive[: len(part)] = bits
            out[first : first + len(part)] = self._of(alive)[: len(part)]
        return out

    def _of(self, alive: NDArray[np.bool_]) -> Matrix:
        return self._rule.vectors(self._B, alive.copy())
