"""Errors of codes whose groups weigh the same: how many groups are lost says all."""

from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.structure import Groups
from fastgc.draws.patterns import Patterns, binary_digits
from fastgc.draws.streams import WORD, Trials
from fastgc.experiments.decoding.measures.base import Levels, Scale
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc_kernels.decode import groups as groups_kernel

_FEW_GROUPS = 1024  # up to them it is counted how often each number of lost groups came

#: So many blocks are worth a kernel of their own; no run of some ten million trials has them.
MANY = 32


class LostGroupCounter:
    """Counts the lost groups of a code whose groups weigh the same, without expanding patterns."""

    def __init__(self, structure: Groups) -> None:
        self._offsets, self._order = structure.members
        self._groups = len(structure.weights)
        self._uncovered, self._weight = structure.uncovered, float(structure.weights[0])
        if self._groups <= _FEW_GROUPS:
            self._places = self._order.astype(np.int64)
            self._scale = Scale(self._values(np.arange(self._groups + 1.0)))

    @classmethod
    def of(cls, code: Code) -> "LostGroupCounter | None":
        """For a code whose errors are multiples of one group's weight; None for others."""
        structure = code.structure
        if not isinstance(structure, Groups) or len(np.unique(structure.weights)) != 1:
            return None
        return cls(structure)

    def levels(self, patterns: Patterns, trials: int) -> Levels:
        """How often each error came in the first trials."""
        if self._groups > _FEW_GROUPS:
            lost = np.empty(WORD * patterns.planes.shape[1], np.int64)
            groups_kernel.lost_groups_of_many(patterns.planes, self._order, self._offsets, lost)
            seen, counts = np.unique(lost[:trials], return_counts=True)
            return Levels(Scale(self._values(seen.astype(float))), counts)
        counts = np.zeros(self._scale.values.size, np.int64)
        groups_kernel.lost_groups(patterns.planes, self._places, self._offsets, trials, counts)
        return Levels(self._scale, counts)

    def of_blocks(
        self, law: PatternLaw, n: int, batches: Sequence[Trials], trials: int
    ) -> list[Levels] | None:
        """How often each error came in the first trials of every batch, in one call.

        None where there are few of them, or workers do not straggle independently.
        """
        if len(batches) < MANY or not isinstance(law, Iid) or self._groups > _FEW_GROUPS:
            return None
        straggle = law.straggle(n)
        if straggle.max() >= 1.0:  # has no binary digits
            return None
        counts = np.zeros((len(batches), self._scale.values.size), np.int64)
        first = np.array([batch.first // WORD for batch in batches], np.uint64)
        digits, pairs = binary_digits(straggle)
        groups_kernel.lost_groups_of_blocks(
            digits,
            pairs,
            batches[0].key("straggle"),
            first,
            batches[0].groups,
            trials,
            self._places,
            self._offsets,
            counts,
        )
        return [Levels(self._scale, own) for own in counts]

    def _values(self, lost: Values) -> Values:
        return self._uncovered + self._weight * lost
