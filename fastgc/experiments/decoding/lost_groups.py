"""Errors of codes whose groups weigh the same: how many groups are lost says all."""

from __future__ import annotations

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.structure import Groups
from fastgc.draws.patterns import Patterns
from fastgc.experiments.decoding.measures import Levels, Scale
from fastgc_kernels.decode import groups as groups_kernel


class LostGroups:
    """Counts the lost groups of a code whose groups weigh the same, without expanding patterns."""

    def __init__(self, structure: Groups) -> None:
        labels = structure.labels
        held = np.argsort(labels, kind="stable")
        self._order = held[np.count_nonzero(labels < 0) :].astype(np.int64)
        sizes = np.bincount(labels[labels >= 0], minlength=len(structure.weights))
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        weight = float(structure.weights[0])
        values = structure.uncovered + weight * np.arange(len(structure.weights) + 1.0)
        self._scale = Scale(values)

    @classmethod
    def of(cls, code: Code) -> LostGroups | None:
        """For a code whose errors are multiples of one group's weight; None for others."""
        structure = code.structure
        if not isinstance(structure, Groups) or len(set(structure.weights.tolist())) != 1:
            return None
        return cls(structure)

    def levels(self, patterns: Patterns, trials: int) -> Levels:
        """How often each error came in the first trials."""
        counts = np.zeros(self._scale.values.size, np.int64)
        groups_kernel.lost_groups(patterns.planes, self._order, self._offsets, trials, counts)
        return Levels(self._scale, counts)
