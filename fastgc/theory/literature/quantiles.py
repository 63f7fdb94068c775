"""Quantiles of samples: what they are, how they are binned, merged, and how certain they are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fastgc.errors import FastgcError
from fastgc.theory.cases.tables import built
from fastgc.theory.common.arguments import check_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.literature.order_statistics import DAVID
from fastgc.theory.papers.claim import Cases

HYNDMAN = "Hyndman, Fan, Sample Quantiles in Statistical Packages (1996), Definition 1"

#: Values that are the first of their bins, so that nothing is lost by binning.
_WHOLE = ([float(i) for i in range(1, 11)], [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])

#: Bins are 2⁻⁷ of a power of two wide.
_WIDTH = 1.0 / 128.0


@paper.formula
def sample_quantile(values: Sequence[float], level: float) -> float:
    """Return the least of the values that at least the share ``level`` of them do not exceed.

    >>> sample_quantile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.0
    """
    check_probabilities(level=level)
    if not values:
        raise FastgcError("values: must be one at least")
    return sorted(values)[max(math.ceil(round(level * len(values), 9)), 1) - 1]


@paper.claim("quantile.sample.printed", HYNDMAN)
def _() -> Cases:
    """The quantile of a level q of T values is the ceil(q T)-th smallest: of 1, ..., 10 the
    quantile .1 is 1, the quantile .5 is 5, the quantile .51 is 6."""
    for values in _WHOLE:
        for level in (0.1, 0.5, 0.51, 0.75, 1.0):
            theory = sample_quantile(values, level)
            yield built("sampled_quantile", theory, values=values, level=level)


def _between(share: float) -> Cases:
    """Values that lie in the middle, at the end and at the beginning of their bins."""
    for i, part, power in ((3, 0.5, 0), (60, 0.98, 1), (127, 0.75, -3), (9, 0.02, 5)):
        middle = (1.0 + (i + part) * _WIDTH) * 2.0**power
        given = [middle / 2.0, middle, middle * 2.0]
        yield built("sampled_quantile", share * middle, values=given, level=0.5)


@paper.claim("quantile.bin.above.derived", "Derived: the lower edge of a bin", relation="<=")
def _() -> Cases:
    """A sampled quantile is never above that of the sample."""
    return _between(1.0)


@paper.claim("quantile.bin.below.derived", "Derived: bins are at most 2^-7 wide", relation=">")
def _() -> Cases:
    """A sampled quantile is less than 1 in 128 of itself below that of the sample."""
    return _between(1.0 / (1.0 + _WIDTH))


@paper.claim("quantile.interval.derived", f"Derived from {DAVID}, Section 7.1", relation=">=")
def _() -> Cases:
    """Two order statistics X_(r) and X_(s) of T values have the quantile of level q between them
    with P(r <= Binomial(T, q) <= s-1): a 95 % interval has at least .95."""
    for trials, level in ((20, 0.5), (50, 0.25), (100, 0.5), (100, 0.9), (120, 0.95)):
        yield built("quantile_coverage", 0.95, trials=trials, level=level)


#: Two samples whose extremes are in either.
_SAMPLES = (
    ([1.0, 5.0, 2.0], [4.0, 9.0]),
    ([1.0, 7.0, 8.0], [2.0, 3.0, 4.0, 6.0]),
    ([4.0], [1.0, 2.0, 9.0]),
)


@paper.claim("merged.quantile.derived", "Derived: a merged sample is the sample of both")
def _() -> Cases:
    """Extremes and quantiles of two samples that are put together are those of all their
    values."""
    for first, second in _SAMPLES:
        both = [*first, *second]
        for end, theory in (("low", min(both)), ("high", max(both))):
            yield built("merged_extreme", theory, first=first, second=second, end=end)
        for level in (0.25, 0.6):
            theory = sample_quantile(both, level)
            yield built("merged_quantile", theory, first=first, second=second, level=level)


@paper.claim("merged.sum.derived", "Derived: sums are kept without rounding")
def _() -> Cases:
    """The sum of two samples that are put together is the exact sum of all values, rounded once:
    1e300 + 1 - 1e300 is 1."""
    for first, second in (([1e300, 1.0], [-1e300]), ([1e16, 1.0], [1.0, -1e16]), *_SAMPLES):
        yield built("merged_sum", math.fsum([*first, *second]), first=first, second=second)
