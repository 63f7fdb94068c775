"""The weights that decoding gives the partitions, for every pattern of survivors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups, Structure
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.patterns import Patterns
from fastgc_kernels.decode import cycle_gaps

Values = NDArray[np.float64]
Words = NDArray[np.uint64]
Index = NDArray[np.int64]

#: Up to so many workers, or groups of them, the weights of all patterns are tabulated once.
TABULATED = 14


class Weights:
    """Weights w = B x of the partitions under the decoding vector x of a pattern.

    Where optimal decoding knows a code's structure, weights follow from it; elsewhere each distinct
    pattern of a batch is decoded once.

    >>> from fastgc.codes import frc
    >>> from fastgc.draws.streams import Batch
    >>> planes = np.array([[0b01], [0b11], [0b00], [0b10]], np.uint64)  # two trials of 64
    >>> weights, row = Weights(frc(4, 2)).rows(Patterns(4, Batch(1, "s", 0, 1, 1), planes=planes))
    >>> weights[row[:2]].tolist()
    [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]
    """

    def __init__(
        self, code: Code, decoder: str | DecodingRule = "optimal", rho: float | None = None
    ) -> None:
        self._code = code
        self._decoder = Decoder(code, decoder=decoder, rho=rho)
        self._structure: Structure | None = code.structure if decoder == "optimal" else None
        self._table: Values | None = None
        if self._bits <= TABULATED:
            self._table = self._decoded(np.arange(1 << self._bits, dtype=np.uint64).reshape(-1, 1))

    def rows(self, columns: Patterns) -> tuple[Values, Index]:
        """Weights (m, k), and the row of them that each pattern decodes with, iteration-major."""
        if isinstance(self._structure, Groups):
            columns = self._groups(columns)
        packed = columns.packed
        if self._table is not None:
            return self._table, packed[:, 0].astype(np.int64)
        if isinstance(self._structure, CycleGaps):
            return self._decoded(packed), np.arange(len(packed))
        if packed.shape[1] > 1:
            distinct, index = np.unique(packed, axis=0, return_inverse=True)
            return self._decoded(distinct), index.reshape(-1)
        distinct = np.unique(packed)  # two sorts are faster than one that remembers places
        return self._decoded(distinct.reshape(-1, 1)), np.searchsorted(distinct, packed[:, 0])

    @property
    def _bits(self) -> int:
        """Bits of a pattern: workers, or groups of workers that hold the same, one at least."""
        if isinstance(self._structure, Groups):
            return max(1, len(self._structure.weights))
        return self._code.n

    def _groups(self, workers: Patterns) -> Patterns:
        """Groups of which somebody survives."""
        assert isinstance(self._structure, Groups)
        planes = np.zeros((self._bits, workers.planes.shape[1]), np.uint64)
        for worker, group in enumerate(self._structure.labels):
            if group >= 0:
                planes[group] |= workers.planes[worker]
        return Patterns(self._bits, workers.batch, planes=planes)

    def _decoded(self, packed: Words) -> Values:
        """Weights (m, k) under patterns (m, words) of workers, or of groups."""
        code = self._code
        if isinstance(self._structure, Groups):
            bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")
            weights = np.zeros((len(packed), code.k))
            for worker, group in enumerate(self._structure.labels):
                if group >= 0:
                    weights[:, code.columns[worker][0]] = bits[:, group, np.newaxis]
            return weights
        if isinstance(self._structure, CycleGaps):
            weights = np.empty((len(packed), code.k))
            cycle_gaps.weights(packed, code.n, weights)
            return weights
        vectors = self._decoder.vectors(packed)
        weights = np.zeros((len(packed), code.k))
        for worker in range(code.n):  # in one order, on every machine
            places, values = code.columns[worker]
            weights[:, places] += vectors[:, worker, np.newaxis] * values
        return weights
