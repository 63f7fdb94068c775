"""Errors of codes whose groups weigh the same: how many groups are lost says all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.structure import Groups
from fastgc.draws.patterns import Patterns, binary_digits
from fastgc.draws.streams import WORD, Batch
from fastgc.experiments.decoding.measures import Levels, Scale
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc_kernels.decode import blocks_of_groups
from fastgc_kernels.decode import groups as groups_kernel

#: So many blocks are worth a kernel of their own; no run of some ten million trials has them.
MANY = 32


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

    def of_blocks(
        self, law: PatternLaw, n: int, batches: Sequence[Batch], trials: int
    ) -> list[Levels] | None:
        """How often each error came in the first trials of every batch, in one call.

        None where there are few of them, or workers do not straggle independently.
        """
        if len(batches) < MANY or not isinstance(law, Iid):
            return None
        straggle = law.straggle(n)
        if straggle.max() >= 1.0:  # has no binary digits
            return None
        counts = np.zeros((len(batches), self._scale.values.size), np.int64)
        first = np.array([batch.first // WORD for batch in batches], np.uint64)
        digits, pairs = binary_digits(straggle)
        blocks_of_groups.lost_groups(
            digits,
            pairs,
            batches[0].key("straggle"),
            first,
            batches[0].groups,
            trials,
            self._order,
            self._offsets,
            counts,
        )
        return [Levels(self._scale, own) for own in counts]
