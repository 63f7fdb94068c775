"""The audit of decoding: of very many patterns one is decoded again by the slowest tier.

Where both differ by more than they may, no interval of what was measured can be trusted: rows say
so and have none, claims that rest on them stay undecided, and the command fails.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from fastgc.codes.code import Code
from fastgc.decoding.algorithms import Algorithm, Orthogonal, RealForm, accuracy
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.accumulators import AllBins, Cells, Extremes, Row, Sums
from fastgc.experiments.decoding.measures.base import ErrorBlock
from fastgc.experiments.measures import Measure
from fastgc.registry.cached import cached_property
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram

_DISAGREED = "audited patterns disagreed"


class ErrorAudit(Measure[ErrorBlock]):
    """Counts audited patterns, those that disagree, and by how much they do; it has no rows.

    Of ``period`` patterns one is audited: 2¹⁶, or what makes the audit take about 1 % of the time.
    Which ones depends on seed, stream and the number of trial and iteration alone.
    """

    cells = 3
    histograms = 0

    def __init__(self, decoder: Decoder, code: Code) -> None:
        self._decoder, self._code = decoder, code
        self._most = accuracy(decoder.condition) * code.k
        self.period = 1 << max(16, math.ceil(math.log2(5 * code.n**2)))

    @staticmethod
    def of(decoder: Decoder, code: Code) -> "ErrorAudit | None":
        """Return the audit of a code that has several tiers, None where there is only one."""
        is_checked = len(decoder.tiers) > 1 and decoder.tiers[-1] == "orthogonal"
        return ErrorAudit(decoder, code) if is_checked else None

    @cached_property
    def _slowest(self) -> Algorithm:
        code = self._code
        return Orthogonal(code.B) if code.obstacle is None else RealForm(code, Orthogonal)

    def add(self, block: ErrorBlock, cells: Cells, bins: AllBins, extremes: Extremes) -> None:
        """Audit a block's patterns, if it has any whose turn it is."""
        batch = block.patterns.batch
        first = block.first * batch.iterations + int(batch.key("audit"))
        number = np.arange(-first % self.period, block.trials * batch.iterations, self.period)
        if not number.size:
            return
        trial, iteration = np.divmod(number, batch.iterations)
        packed = np.ascontiguousarray(block.patterns.packed[iteration * batch.trials + trial])
        again = np.empty(len(packed))
        self._slowest.errors(packed, again)
        away = np.abs(self._decoder.errors(packed) - again)
        wrong = ~(away <= self._most)
        cells[:] = len(packed), np.count_nonzero(wrong), away[wrong].sum()

    def rows(self, trials: int, sums: Sums, histograms: Sequence[Histogram]) -> Iterator[Row]:
        return iter(())

    @staticmethod
    def trusted(estimate: Estimate, decoder: Decoder) -> Estimate:
        """Return an estimate as it is, or without an interval where rounding may decide ranks."""
        said = decoder.doubt
        return estimate if said is None else estimate.without_interval(said)

    @staticmethod
    def judged(estimate: Estimate, sums: Sums) -> Estimate:
        """Return an estimate as it is, or without an interval where audited patterns disagreed."""
        audited, wrong, away = sums
        if not wrong:
            return estimate
        said = f"{wrong} of {audited} {_DISAGREED} by {float(away / wrong):.0e}"
        return estimate.without_interval(said)


def failed(note: str | None) -> bool:
    """Return whether a row's note says that audited patterns disagreed."""
    return note is not None and _DISAGREED in note
