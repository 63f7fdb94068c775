"""Intervals of quantiles, and of probabilities: Wilson's, or wider of few outcomes.

The coverage of Wilson's interval oscillates with the probability, most where one of the two
outcomes is rare: .176 expected ones are covered with 83.8 % (Brown, Cai, DasGupta 2001). Clopper
and Pearson's, which is taken where it is wider, never covers less than it says.
"""

import math
from bisect import bisect_left
from itertools import accumulate
from statistics import NormalDist

from fastgc.statistics.tallies import Histogram, bin_edges

#: Outcomes of the rarer kind from which on Wilson's interval of 95 % covers 93.5 % everywhere.
FEW_OUTCOMES = 30
#: Standard errors of half an interval of 95 %, in the digits of a datasheet.
NORMAL = 1.959964


def interval(p: float, standard_error: float, trials: int, z: float) -> tuple[float, float]:
    """Return the interval of a probability, for as many independent trials as give this error.

    ``p``: the estimate, 0 and 1 included; ``standard_error``: over trials; 0 where all of them have
    the same share; ``z``: half-width of a normal interval in standard errors. Returns (float,
    float): its ends, in [0, 1].

    >>> [round(end, 4) for end in interval(0.5, 0.05, 101, 1.96)]
    [0.4043, 0.5957]
    """
    size = float(trials)
    if standard_error > 0:
        size = 1 + p * (1 - p) / standard_error**2
    low, high = wilson(p, size, z)
    outcomes = p * size
    if round(min(outcomes, size - outcomes)) < FEW_OUTCOMES:
        ends = clopper_pearson(outcomes, size, NormalDist().cdf(-z))
        low, high = min(low, ends[0]), max(high, ends[1])
    return max(0.0, min(p, low)), min(1.0, max(p, high))


def wilson(p: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a probability, for ``size`` trials; z as for `interval`.

    >>> [round(end, 4) for end in wilson(0.5, 100, 1.96)]
    [0.4038, 0.5962]
    """
    centre = (p + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size))
    return centre - half, centre + half


def clopper_pearson(outcomes: float, trials: float, tail: float) -> tuple[float, float]:
    """Return the probabilities that make so many outcomes, or so few, as unlikely as ``tail``.

    >>> [round(end, 4) for end in clopper_pearson(5, 10, 0.025)]
    [0.1871, 0.8129]
    """
    if outcomes <= 0:
        return 0.0, 1 - tail ** (1 / trials)
    if outcomes >= trials:
        return tail ** (1 / trials), 1.0
    from scipy import special  # its import takes longer than many a command

    low = special.betaincinv(outcomes, trials - outcomes + 1, tail)
    return float(low), float(special.betaincinv(outcomes + 1, trials - outcomes, 1 - tail))


# ---- quantiles of values that were counted in bins


def bin_at(histogram: Histogram, level: float) -> int:
    """Return the bin in which the cumulated share of values reaches ``level``."""
    ordered = sorted(histogram.counts)
    reached = list(accumulate(histogram.counts[number] for number in ordered))
    return ordered[min(bisect_left(reached, level * reached[-1]), len(ordered) - 1)]


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
