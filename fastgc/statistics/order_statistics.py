"""Quantiles of values that were counted in bins."""

from __future__ import annotations

import math

from fastgc.statistics.tallies import Histogram, bin_edges


def bin_at(histogram: Histogram, level: float) -> int:
    """Return the bin in which the cumulated share of values reaches ``level``."""
    total = sum(histogram.counts.values())
    reached = 0
    ordered = sorted(histogram.counts)
    for number in ordered:
        reached += histogram.counts[number]
        if reached >= level * total:
            return number
    return ordered[-1]


def order_interval(
    histogram: Histogram, level: float, trials: int, z: float, confidence: float
) -> tuple[float | None, float | None]:
    """Return two order statistics; a binomial(trials, level) count lies between their ranks.

    The smallest or largest value is an end only if it is likely enough that one of ``trials``
    values lies beyond the quantile; otherwise the end is None.
    """
    tail = (1 - confidence) / 2
    half = z * math.sqrt(level * (1 - level) / trials) + 1 / trials
    low: float | None = histogram.low
    high: float | None = histogram.high
    if level > half:
        low = max(bin_edges(bin_at(histogram, level - half))[0], histogram.low)
    elif (1 - level) ** trials > tail:
        low = None
    if level + half < 1:
        edge = bin_edges(bin_at(histogram, level + half))[1]
        high = max(min(edge, histogram.high), histogram.low if low is None else low)
    elif level**trials > tail:
        high = None
    return low, high
