"""What fastgc's estimates say of trials whose values are given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fastgc.report.numbers import number
from fastgc.statistics import estimates
from fastgc.statistics.tallies import Histogram, Tally
from fastgc_kernels.tally import sums as kernel

Numbers = Sequence[float]


def _sum(values: Numbers, others: Numbers | None = None) -> Fraction:
    """Exact sum of the values, or of their products with others."""
    pairs = zip(values, others or [1.0] * len(values), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction())


def _power_sums(values: Numbers) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    first, second, third, fourth = (
        _sum([float(x) ** power for x in values]) for power in (1, 2, 3, 4)
    )
    return first, second, third, fourth


def _joint(a: Numbers, b: Numbers) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    return _sum(a), _sum(a, a), _sum(b), _sum(b, b), _sum(a, b)


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def proportion_low(successes: int, trials: int, confidence: float = 0.95) -> float:
    """Lower end of the interval of a probability."""
    return _proportion(successes, trials, confidence)[0]


def proportion_high(successes: int, trials: int, confidence: float = 0.95) -> float:
    """Upper end of that interval."""
    return _proportion(successes, trials, confidence)[1]


def _proportion(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    hits = Fraction(successes)
    low, high = estimates.mean(trials, hits, hits, proportion=True).interval(confidence)
    return _known(low), _known(high)


def error_of_mean(values: Numbers) -> float:
    """Standard error of the mean over trials."""
    return _known(estimates.mean(len(values), _sum(values), _sum(values, values)).standard_error)


def estimated_variance(values: Numbers) -> float:
    """Estimate of the variance over trials."""
    return _known(estimates.variance(len(values), _power_sums(values)).value)


def error_of_variance(values: Numbers) -> float:
    """Standard error of that estimate."""
    return _known(estimates.variance(len(values), _power_sums(values)).standard_error)


def error_of_difference(first: Numbers, second: Numbers) -> float:
    """Standard error of a difference of means on common draws."""
    return _known(estimates.difference(len(first), _joint(first, second)).standard_error)


def error_of_ratio(numerators: Numbers, denominators: Numbers) -> float:
    """Standard error of a ratio of means on common draws."""
    sums = _joint(numerators, denominators)
    return _known(estimates.ratio(len(numerators), sums).standard_error)


def error_of_autocovariance(means: Numbers, products: Numbers) -> float:
    """Standard error of a covariance of iterations, from trials' means and mean products."""
    return _known(estimates.autocovariance(len(means), _joint(means, products)).standard_error)


def error_of_conditional_variance(trials: Sequence[Numbers]) -> float:
    """Standard error of the variance of values of which trials have different numbers."""
    a = [math.fsum(trial) for trial in trials]
    b = [math.fsum(x * x for x in trial) for trial in trials]
    c = [float(len(trial)) for trial in trials]
    own = (_sum(a), _sum(a, a), _sum(b), _sum(b, b), _sum(c), _sum(c, c))
    sums = (*own, _sum(a, b), _sum(a, c), _sum(b, c))
    return _known(estimates.conditional_variance(len(trials), sums).standard_error)


def _binned(values: Numbers) -> Histogram:
    """The histogram that a run makes of such values."""
    bins = np.zeros(kernel.HISTOGRAM_BINS, np.int64)
    extremes = np.array([np.inf, -np.inf])
    kernel.histogram(np.asarray(values, np.float64), bins, extremes)
    seen = np.flatnonzero(bins)
    counts = dict(zip(seen.tolist(), bins[seen].tolist(), strict=True))
    return Histogram(counts, *extremes.tolist())


def sampled_quantile(values: Numbers, level: float) -> float:
    """Quantile of trials' values."""
    return _known(estimates.quantile(_binned(values), level, len(values)).value)


def quantile_coverage(trials: int, level: float, confidence: float = 0.95) -> float:
    """Chance that a quantile lies within the order statistics that are its interval's ends.

    The trials' values are 1, 2, …, each in a bin of its own, so that the ends are their ranks r and
    s: the quantile lies between if r to s − 1 of the trials are below it, a binomial number.
    """
    values = [float(i) for i in range(1, trials + 1)]
    low, high = estimates.quantile(_binned(values), level, trials).interval(confidence)
    first = 0 if low is None else math.floor(low)
    last = trials if high is None else math.floor(high) - 1
    return math.fsum(
        math.comb(trials, below) * level**below * (1.0 - level) ** (trials - below)
        for below in range(first, last + 1)
    )


def merged_extreme(first: Numbers, second: Numbers, end: str) -> float:
    """Least ("low") or largest ("high") value of two samples whose tallies were merged."""
    merged = _merged(first, second).histograms[0]
    return merged.low if end == "low" else merged.high


def merged_quantile(first: Numbers, second: Numbers, level: float) -> float:
    """Quantile of two samples whose tallies were merged."""
    total = _merged(first, second)
    return _known(estimates.quantile(total.histograms[0], level, total.trials).value)


def merged_sum(first: Numbers, second: Numbers) -> float:
    """Sum of two samples whose tallies were merged."""
    return float(_merged(first, second).sums.value(0))


def _merged(first: Numbers, second: Numbers) -> Tally:
    total = _tallied(first)
    total.merge(_tallied(second))
    return total


def _tallied(values: Numbers) -> Tally:
    own = Tally.empty(1, 1)
    own.trials = len(values)
    own.sums.add(np.asarray(values, np.float64)[:, np.newaxis])
    own.histograms[0] = _binned(values)
    return own


def shown_value(value: float, error: float) -> float:
    """The number before the brackets in a table."""
    return float(number(value, error).partition("(")[0])


def shown_error(value: float, error: float) -> float:
    """The number in the brackets."""
    return float(number(value, error).partition("(")[2].rstrip(")"))
