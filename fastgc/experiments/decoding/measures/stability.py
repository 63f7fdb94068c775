"""What rounding and noise do to a decoded sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from fastgc.experiments.decoding.measures.base import Block, Setting
from fastgc.experiments.pooled import Bins, Cells, Row
from fastgc.statistics import estimates
from fastgc.statistics.tallies import Histogram
from fastgc_kernels.decode import stability as kernel
from fastgc_kernels.tally import sums

NOISE = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
INDEX = ("float32", *(f"{level:g}" for level in NOISE))


class Stability:
    """Relative error ‖Σ x_j m_j − g‖/‖g‖ of the decoded sum where decoding is exact.

    Partial gradients are standard normal vectors of 16 numbers. At "float32" answers and decoding
    are rounded to single precision; at a noise level each number of an answer is multiplied by
    1 + level · standard normal.
    """

    unit = "1"
    histograms = 0
    levels = False
    cells = 3 * len(INDEX) + 2

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def add(
        self, block: Block, cells: Cells, bins: Sequence[Bins], extremes: Sequence[Cells]
    ) -> None:
        """Cells: Σc, Σc² (c: exact iterations); for each index Σa, Σa², Σac (a: their errors)."""
        assert block.errors is not None
        iterations = self.setting.iterations
        exact = block.errors.reshape(-1) <= self.setting.exact_threshold
        exact &= block.vectors.any(axis=1)
        found = np.zeros((len(exact), len(INDEX)))
        batch = block.patterns.batch
        kernel.relative_errors(
            block.vectors,
            exact,
            np.ascontiguousarray(self.setting.code.B.T),
            np.array(NOISE),
            np.uint64(block.first),
            block.trials,
            batch.key("data"),
            batch.key("noise"),
            found,
        )
        counts = exact.reshape(iterations, -1).sum(axis=0).astype(float)
        sums.powers(counts, cells[:2])
        for place in range(len(INDEX)):
            own = cells[2 + 3 * place : 5 + 3 * place]
            total = np.zeros(block.trials)
            for row in found[:, place].reshape(iterations, -1):
                total += row
            sums.powers(total, own[:2])
            own[2] = sums.product(total, counts)

    def rows(
        self, trials: int, sums: Sequence[Fraction], histograms: Sequence[Histogram]
    ) -> Iterator[Row]:
        """Mean relative error in single precision and at each level of noise."""
        c, cc = sums[:2]
        for place, name in enumerate(INDEX):
            a, aa, ac = sums[2 + 3 * place : 5 + 3 * place]
            mean = estimates.ratio(trials, (a, aa, c, cc, ac))
            yield "mean", name, estimates.within(mean)
