"""What rounding and noise do to a decoded sum."""

from __future__ import annotations

import numpy as np

from fastgc.experiments.accumulators import Ratio
from fastgc.experiments.decoding.measures.base import Block, ExactForm, Setting
from fastgc.experiments.measures import Indexed
from fastgc.experiments.pooled import Cells
from fastgc_kernels.decode import stability as kernel
from fastgc_kernels.tally import sums

NOISE = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
INDEX = ("float32", *(f"{level:g}" for level in NOISE))


class Stability(ExactForm, Indexed[Block]):
    """Relative error ‖Σ x_j m_j − g‖/‖g‖ of the decoded sum where decoding is exact.

    Partial gradients are standard normal vectors of 16 numbers. At "float32" answers and decoding
    are rounded to single precision; at a noise level each number of an answer is multiplied by
    1 + level · standard normal.
    """

    unit = "1"
    levels = False

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._ratio = Ratio()
        super().__init__(self._ratio, INDEX, Ratio.shared)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        """At each index the errors of a trial's exact iterations, beside how many there are."""
        iterations = self._setting.iterations
        exact = block.errors.reshape(-1) <= self._setting.exact_threshold
        exact &= block.vectors.any(axis=1)
        found = np.zeros((len(exact), len(INDEX)))
        batch = block.patterns.batch
        kernel.relative_errors(
            block.vectors,
            exact,
            np.ascontiguousarray(self._setting.code.B.T),
            np.array(NOISE),
            np.uint64(block.first),
            block.trials,
            batch.key("data"),
            batch.key("noise"),
            found,
        )
        counts = exact.reshape(iterations, -1).sum(axis=0).astype(float)
        sums.powers(counts, shared)
        for own, errors in zip(each, found.T, strict=True):
            total = np.zeros(block.trials)
            for row in errors.reshape(iterations, -1):
                total += row
            self._ratio.add(total, counts, own)
