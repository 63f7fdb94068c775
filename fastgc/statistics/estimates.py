"""Estimates with confidence intervals, from exact sums.

Every interval is computed over trials, which are independent; iterations of one trial are not.
"""

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import NormalDist

from fastgc.statistics import number_text, shares
from fastgc.statistics.tallies import Histogram, bin_edges

#: A mean that rests on fewer trials with another value than most takes another interval, and a note
#: says so.
FEW_EVENTS = 100

_UNSEEN = 1e-15  # of an interval's upper end: a value below it is 0 but for rounding

#: The smallest normal number.
SMALLEST = sys.float_info.min
TOO_SMALL = f"less than {SMALLEST:.2g}, the smallest number that has all digits"
#: Σx, Σx², Σy, Σy² and Σxy over trials.
PairSums = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]


def normal_quantile(confidence: float) -> float:
    """Return the half-width, in standard errors, of a two-sided normal interval."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


@dataclass(frozen=True, repr=False)
class Estimate:
    """A number with its uncertainty.

    * ``value``: the estimate; None where there is nothing to estimate it from, see ``note``.
    * ``standard_error``: over trials; 0 for exact values, None where it is unknown (extremes,
      quantiles).
    * ``trials``: independent trials behind it; None for exact values.
    * ``proportion``: whether it is a probability, which takes the interval of `shares`.
    * ``histogram``, ``level``, ``shift``: of a quantile: its level, and the histogram that it was
      read from; the histogram's values are smaller by ``shift``. A maximum has the histogram
      without a level.
    * ``spread``: whether it is a variance, which takes an interval on the logarithmic scale.
    * ``least``, ``most``, ``noise``: the values that it was estimated from lie between ``least``
      and ``most``, which may be infinite; those above ``least`` by at most ``noise`` count as it.
    * ``ends`` ((float, float)): ends of the 95 % interval of a probability, where it was estimated
      in a way of its own: within bounds that the value, which has no bias, may be beyond; without a
      standard error they are bounds that hold for certain.
    * ``others`` ((Estimate, Estimate)): where nearly all trials have one value that is not
      ``least``: by how much values lie below it and above it, on average; see
      `fastgc.statistics.modes`.
    * ``variance_reduction``: how many times the variance is smaller than that of the plain mean of
      the same trials.
    * ``failure`` ((float, float)): of a probability that was found as 1 less another: the ends of
      the other one's interval, which may be too small to tell 1 less them from 1.
    * ``at_most``: of a worst case: a bound that it cannot exceed, found without a search.
    * ``rounding``: of an exact value: by how much rounding may have changed it, at most; None where
      that is not known.
    * ``method``: how it was found, like "exact" or "monte-carlo", where a result says it.

    >>> Estimate(0.0123, 0.0004, trials=1000)
    0.01230(40)
    """

    value: float | None
    standard_error: float | None
    trials: int | None = None
    proportion: bool = False
    histogram: Histogram | None = None
    level: float | None = None
    note: str | None = None
    shift: float = 0.0
    spread: bool = False
    least: float = -math.inf
    most: float = math.inf
    noise: float = 0.0
    ends: tuple[float, float] | None = None
    others: "tuple[Estimate, Estimate] | None" = None
    variance_reduction: float = 1.0
    failure: tuple[float, float] | None = None
    at_most: float | None = None
    rounding: float | None = field(default=None, compare=False)
    method: str | None = None

    def __repr__(self) -> str:
        """Return the number with its standard error in the last digits, like ``0.0123(4)``.

        Where the interval is not that of a standard error, its ends are written instead. A largest
        value that was only found, by a sample or a search, has ``≥`` before it.
        """
        if self.value is None:
            return f"Estimate(None: {self.note})" if self.note else "Estimate(None)"
        if 0.0 < abs(self.value) <= (self.rounding or 0.0):
            return f"0 to rounding ({self.value:.2g})"
        low, high = self.interval()
        is_largest = self.histogram is not None and self.level is None
        before = "≥ " if is_largest or self.method == "lower-bound" else ""
        if low == high == self.value or not math.isfinite(self.value) or before:
            return before + number_text.number(self.value)
        if low is None and high is None:
            return f"{number_text.number(self.value)} (no interval)"
        if self.standard_error and low is not None and high is not None:
            above, below = high - self.value, self.value - low
            if 1 / 3 < above / max(below, 1e-300) < 3:
                return number_text.number(self.value, self.standard_error)
        ends = ("…" if end is None else f"{end:.3g}" for end in (low, high))
        is_nothing = low is not None and high is not None and abs(self.value) < _UNSEEN * high
        return f"{0.0 if is_nothing else self.value:.3g} [{', '.join(ends)}]"

    def __float__(self) -> float:
        """Return the value, not a number where there is none.

        Without an interval a warning has the note that says why.
        """
        if self.value is None:
            return math.nan
        if self.note is not None and self.low is None:
            warnings.warn(f"{number_text.number(self.value)}: {self.note}", stacklevel=2)
        return self.value

    @property
    def low(self) -> float | None:
        """Lower end of the 95 % interval; the value where it is exact."""
        return self.interval()[0]

    @property
    def high(self) -> float | None:
        """Upper end of the 95 % interval; the value where it is exact."""
        return self.interval()[1]

    def noting(self, said: str) -> "Estimate":
        """Return the same estimate, with another remark in its note."""
        return replace(self, note=said if self.note is None else f"{self.note}; {said}")

    def without_interval(self, why: str) -> "Estimate":
        """Return the same value without an interval, and why in its note."""
        bare = replace(self, standard_error=None, histogram=None, ends=None)
        return bare.noting(f"no interval: {why}")

    def interval(self, confidence: float = 0.95) -> tuple[float | None, float | None]:
        """Return the confidence interval (low, high); an end that is not known is None.

        Probabilities: Wilson, also where the estimate is 0 or 1, and of fewer than 30 outcomes of
        one kind at least as wide as Clopper and Pearson, see `shares`. Quantiles: order statistics,
        never narrower than the histogram's bin; where none is high or low enough, the end is that
        of the values' range, if it has one. Variances: normal for the logarithm, for they are
        positive, and their estimates skew. Means that rest on few events: as if all events had the
        same size, see `_few_interval`; of values that are nearly all alike, `_others_interval`.
        Other means: normal, within the values' range. Exact values: the value. Where ``ends`` are
        given: these, at other confidences in proportion to a normal interval.

        Raises ValueError if the confidence is not between 0 and 1.

        >>> Estimate(0.5, 0.01, 1000).interval(0.99)
        (0.474241706964511, 0.525758293035489)
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence: must be between 0 and 1, like 0.95 (got {confidence})")
        if self.value is None:
            return None, None
        if self.histogram is not None and self.level is not None and self.trials is not None:
            z = normal_quantile(confidence)
            ends = shares.order_interval(self.histogram, self.level, self.trials, z, confidence)
            low, high = (None if end is None else end + self.shift for end in ends)
            low = _finite(self.least) if low is None else low
            return low, _finite(self.most) if high is None else high
        if self.standard_error is None:
            return self.ends or (None, None)
        z = normal_quantile(confidence)
        if self.ends is not None:
            low, high = self.ends
            wider, middle = z / normal_quantile(0.95), min(max(self.value, low), high)
            ends = middle - wider * (middle - low), middle + wider * (high - middle)
            return max(0.0, ends[0]), min(1.0, ends[1])
        if self.trials is None:
            return self.value, self.value
        if self.others is not None:
            return self._others_interval(*self.others, confidence)
        if self.proportion:
            return shares.interval(self.value, self.standard_error, self.trials, z)
        if self.spread:  # the logarithm is taken to be normal
            if self.value <= 0:
                return 0.0, z * self.standard_error
            factor = math.exp(z * self.standard_error / self.value)  # at most exp(z): see `_spread`
            return self.value / factor, self.value * factor
        if rests_on_few(self):
            above, most = _few_interval(_excess(self), confidence)
            return self.least + above, None if most is None else self.least + most
        half = z * self.standard_error
        return (
            min(self.value, max(self.least, self.value - half)),
            max(self.value, min(self.most, self.value + half)),
        )

    def _others_interval(
        self, below: "Estimate", above: "Estimate", confidence: float
    ) -> tuple[float | None, float | None]:
        # that of the most frequent value − below + above; few trials have either, and what no trial
        # has may be as far away as the range of the values allows
        assert self.value is not None and below.value is not None and above.value is not None
        (b_low, b_high), (a_low, a_high) = (
            _few_interval(side, confidence) for side in (below, above)
        )
        low = high = None
        if b_high is not None:
            low = self.value - math.hypot(b_high - below.value, above.value - a_low)
        if a_high is not None:
            high = self.value + math.hypot(a_high - above.value, below.value - b_low)
        return (
            None if low is None else min(self.value, max(self.least, low)),
            None if high is None else max(self.value, min(self.most, high)),
        )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def _excess(estimate: Estimate) -> Estimate:
    assert estimate.value is not None
    above = estimate.value - estimate.least
    if above * (estimate.trials or 0) <= estimate.noise:  # so is every trial's
        above = 0.0
    return replace(estimate, value=above, least=0.0, most=estimate.most - estimate.least)


def rests_on_few(estimate: Estimate) -> bool:
    """Return whether a mean has fewer than 100 events, and in less than half of the trials.

    An event is a trial whose value is above the least that it can be; without such a least value
    there are no events. Where most trials have another value, events are those that have not.
    """
    if estimate.others is not None:
        return True
    if math.isinf(estimate.least) or estimate.value is None or estimate.standard_error is None:
        return False
    if estimate.proportion or estimate.spread or not estimate.trials:
        return False
    return events(_excess(estimate)) < least_many(estimate.trials)


def least_many(trials: int) -> float:
    """Return how many events of so many trials are not few."""
    return min(FEW_EVENTS, trials / 2)


def _few_interval(estimate: Estimate, confidence: float) -> tuple[float, float | None]:
    # Of a mean of values ≥ 0. If all events have one size, it is their probability times that size,
    # and its interval that of Clopper and Pearson for the probability, times the size, which never
    # covers less than it says. Events of several sizes are taken as so many of one size that mean
    # and standard error are the same. Without any, the size is the largest that values can have.
    value, trials = estimate.value, estimate.trials
    assert value is not None and trials is not None
    tail = (1 - confidence) / 2
    if value == 0:
        most = _finite(estimate.most)
        return 0.0, None if most is None else most * shares.clopper_pearson(0, trials, tail)[1]
    count = events(estimate)
    size = value * trials / count
    low, high = (size * end for end in shares.clopper_pearson(count, trials, tail))
    return min(value, low), max(value, min(estimate.most, high))


def _whole(sums: Sequence[Fraction]) -> tuple[int, list[int]]:
    # a common denominator, and the sums times it: whole numbers are faster
    unit = math.lcm(*(each.denominator for each in sums))
    return unit, [each.numerator * (unit // each.denominator) for each in sums]


def covariance(trials: int, a: Fraction, b: Fraction, ab: Fraction) -> float:
    """Return the sample covariance from Σa, Σb and Σab; 0 for a single trial."""
    if trials < 2:
        return 0.0
    unit, (one, other, product) = _whole((a, b, ab))
    return (trials * unit * product - one * other) / (trials * (trials - 1) * unit * unit)


def mean(trials: int, first: Fraction, second: Fraction, *, proportion: bool = False) -> Estimate:
    """Return the estimate of the mean over trials, from Σx and Σx²."""
    if trials == 0:
        return Estimate(None, None, 0, note="no trials")
    error = None
    if trials > 1:
        error = math.sqrt(max(0.0, covariance(trials, first, first, second)) / trials)
    elif proportion:
        error = 0.0
    value = first.numerator / (first.denominator * trials)
    return Estimate(value, error, trials, proportion)


def variance(trials: int, sums: tuple[Fraction, Fraction, Fraction, Fraction]) -> Estimate:
    """Return the estimate of the variance over trials, from the first four power sums."""
    if trials < 2:
        return Estimate(None, None, trials, note="needs two trials")
    unit, (s1, s2, s3, s4) = _whole(sums)
    square = s1 * s1
    # central moments, times (trials · unit)² and (trials · unit)⁴
    second = trials * unit * s2 - square
    fourth = trials * unit * (trials * unit * (trials * unit * s4 - 4 * s1 * s3) + 6 * square * s2)
    fourth -= 3 * square * square
    error = math.sqrt(max(0, fourth - second * second) / (trials * unit) ** 4 / trials)
    return _spread(second / (trials * (trials - 1) * unit * unit), error, trials)


def _spread(value: float, error: float, trials: int) -> Estimate:
    # what rounding of a block's sums may add goes: a variance is at least 0, and its standard error
    # at most the estimate itself, as where all squared deviations but one are 0
    value = max(0.0, value)
    return Estimate(value, min(error, value), trials, spread=True)


def pooled_variance(trials: int, sums: PairSums) -> Estimate:
    """Return the variance of one iteration's value, pooled over the iterations of trials.

    From Σa, Σa², Σb, Σb² and Σab over trials, with a a trial's mean value and b its mean square.
    """
    found = autocovariance(trials, sums)
    if found.value is None or found.standard_error is None:
        return found
    return _spread(found.value, found.standard_error, trials)


def autocovariance(trials: int, sums: PairSums) -> Estimate:
    """Return the estimate of the covariance of two iterations of a trial, pooled over pairs.

    As for `pooled_variance`, with b a trial's mean product of two values.
    """
    if trials < 2:
        return Estimate(None, None, trials, note="needs two trials")
    a, aa, b, bb, ab = sums
    m = a / trials
    value = b / trials - m * m
    # the delta method: b − 2 m a varies like the estimate
    spread = (
        covariance(trials, b, b, bb)
        - 4 * float(m) * covariance(trials, a, b, ab)
        + 4 * float(m) ** 2 * covariance(trials, a, a, aa)
    )
    return Estimate(float(value), math.sqrt(max(0.0, spread) / trials), trials)


def within(estimate: Estimate, most: float = math.inf, noise: float = 0.0) -> Estimate:
    """Return an estimate with the range of its values, and a note if it rests on few events."""
    found = replace(estimate, least=0.0, most=most, noise=noise)
    if not rests_on_few(found):
        return found
    count = round(events(_excess(found)))
    said = f"rests on about {count}" if count else "no"
    trials = f"{found.trials:,}".replace(",", " ")
    return found.noting(f"{said} event{'s' * (count != 1)} in {trials} trials")


def shifted(estimate: Estimate, by: float) -> Estimate:
    """Return the estimate of a mean, extreme or quantile for values that are larger by ``by``."""
    if estimate.value is None or by == 0:
        return estimate
    least, most = estimate.least + by, estimate.most + by
    moved = replace(estimate, value=estimate.value + by, shift=estimate.shift + by)
    return replace(moved, least=least, most=most)


def ratio(trials: int, sums: PairSums) -> Estimate:
    """Return the ratio of the means of a and c from Σa, Σa², Σc, Σc², Σac: delta method."""
    a, aa, c, cc, ac = sums
    if c == 0:
        return Estimate(None, None, 0, note="never happened")
    value = a / c
    worth = float(c * c / cc)  # trials that took part, fewer if their shares differ
    spread = float(aa - 2 * value * ac + value * value * cc)
    error = None
    if worth > 1:
        error = math.sqrt(max(0.0, spread) * worth / (worth - 1)) / float(c)
    return Estimate(float(value), error, min(trials, math.floor(worth)))


def compared(a: Estimate, b: Estimate, covariance: float, how: str) -> Estimate:
    """Return the ratio or difference of two means of known covariance: delta method."""
    if a.value is None or b.value is None:
        return Estimate(None, None, note=a.note if a.value is None else b.note)
    if how == "ratio" and b.value == 0:
        return Estimate(None, None, note="the second mean is 0")
    value = a.value / b.value if how == "ratio" else a.value - b.value
    error = None
    if a.standard_error is not None and b.standard_error is not None:
        slope = value if how == "ratio" else 1.0
        spread = a.standard_error**2 - 2 * slope * covariance + (slope * b.standard_error) ** 2
        error = math.sqrt(max(0.0, spread)) / (b.value if how == "ratio" else 1.0)
    known = [each.trials for each in (a, b) if each.trials is not None]
    lost = None
    if a.rounding is not None and b.rounding is not None:
        lost = a.rounding + b.rounding
        if how == "ratio":
            lost = (a.rounding + abs(value) * b.rounding) / abs(b.value)
    found = Estimate(value, error, min(known, default=None), rounding=lost)
    return within(found) if how == "ratio" else found


def conditional_variance(trials: int, sums: tuple[Fraction, ...]) -> Estimate:
    """Return the variance of values where trials have different numbers of them, perhaps none.

    A trial has c values with sum a and sum of squares b; given are Σa, Σa², Σb, Σb², Σc, Σc², Σab,
    Σac and Σbc over trials. The standard error is that of the delta method.
    """
    a, aa, b, bb, c, cc, ab, ac, bc = sums
    if c == 0:
        return Estimate(None, None, 0, note="never happened")
    worth = float(c * c / cc)
    if worth < 2:
        return Estimate(None, None, math.floor(worth), note="needs two trials")
    m = a / c
    value = b / c - m * m
    # b − 2 m a + (m² − variance) c has mean 0 and varies like the estimate
    shift = m * m - value
    spread = bb + 4 * m * m * aa + shift * shift * cc
    spread += -4 * m * ab + 2 * shift * bc - 4 * m * shift * ac
    error = math.sqrt(max(0.0, float(spread)) * worth / (worth - 1)) / float(c)
    return _spread(float(value), error, min(trials, math.floor(worth)))


def quantile(histogram: Histogram, level: float, trials: int) -> Estimate:
    """Return a quantile of pooled values: the lower edge of the bin that it falls in."""
    if not histogram.counts:
        return Estimate(None, None, trials, note="no values")
    edge = bin_edges(shares.bin_at(histogram, level))[0]
    value = max(edge, histogram.low)
    return Estimate(value, None, trials, histogram=histogram, level=level)


def difference(trials: int, sums: PairSums) -> Estimate:
    """Return the difference of the means of a and b, from Σa, Σa², Σb, Σb² and Σab."""
    a, aa, b, bb, ab = sums
    if trials < 2:
        return Estimate(None, None, trials, note="needs two trials")
    spread = (
        covariance(trials, a, a, aa)
        + covariance(trials, b, b, bb)
        - 2 * covariance(trials, a, b, ab)
    )
    return Estimate(float((a - b) / trials), math.sqrt(max(0.0, spread) / trials), trials)


def events(estimate: Estimate) -> float:
    """Return a lower bound on the number of non-zero values that a mean rests on.

    By Cauchy and Schwarz a mean m over T trials with mean square q has at least T m²/q of them.
    Where nearly all trials have one value, those count that have another.
    """
    if estimate.others is not None:
        return sum(map(events, estimate.others))
    if not estimate.value or estimate.standard_error is None or not estimate.trials:
        return 0.0
    square = estimate.value**2
    count = estimate.trials * square / (square + estimate.trials * estimate.standard_error**2)
    if estimate.proportion:
        count = min(count, estimate.trials * (1 - estimate.value))
    return count


# ---- Bounds of a probability, and means that keep to them


def bounds(low: float, high: float, note: str | None = None) -> Estimate:
    """Return the estimate of a probability that lies between bounds for certain.

    >>> bounds(1e-12, 3e-12).interval(0.999)
    (1e-12, 3e-12)
    """
    high = min(1.0, max(low, high))
    return Estimate(low + 0.5 * (high - low), None, note=note, ends=(low, high))


def not_surely_zero(found: Estimate) -> Estimate:
    """Return a number ≥ 0 with bounds where it is so small that floating point does not hold it.

    >>> not_surely_zero(Estimate(0.0, 0.0)).interval()
    (0.0, 2.2250738585072014e-308)
    """
    _, high = found.interval()
    if high is None or not 0.0 <= high < SMALLEST:
        return found
    note = TOO_SMALL if found.note is None else f"{found.note}; {TOO_SMALL}"
    return bounds(0.0, SMALLEST, note)


def is_narrow(estimate: Estimate, relative: float) -> bool:
    """Return whether half the 95 % interval is at most so much of the value."""
    low, high = estimate.interval()
    assert estimate.value is not None and low is not None and high is not None
    return high - low <= 2 * relative * estimate.value


def between(found: Estimate) -> Estimate:
    """Return an unbiased mean whose interval keeps to bounds, with a note where it does not itself.

    >>> between(Estimate(0.1, 0.05, 100, ends=(0.12, 0.2))).note
    'its mean, which has no bias, is beyond a bound that holds for certain'
    """
    assert found.value is not None and found.ends is not None
    low, high = found.ends
    if low <= found.value <= high:
        return found
    return found.noting("its mean, which has no bias, is beyond a bound that holds for certain")


def holm_rejections(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Which statements Holm's rule rejects; with probability ≤ alpha it rejects a true one."""
    rejects = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for place, i in enumerate(order):
        if p_values[i] > alpha / (len(p_values) - place):
            break
        rejects[i] = True
    return rejects
