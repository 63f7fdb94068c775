"""Intervals and standard errors of what is sampled, as statistics has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

from fastgc.errors import FastgcError
from fastgc.theory.cases.tables import built
from fastgc.theory.common.arguments import check_count
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

WILSON = "Wilson, Probable Inference, the Law of Succession, and Statistical Inference (1927)"
CLOPPER = "Clopper, Pearson, The Use of Confidence or Fiducial Limits (1934)"
COCHRAN = "Cochran, Sampling Techniques (1977)"
CRAMER = "Cramer, Mathematical Methods of Statistics (1946)"

Numbers = Sequence[float]

_Z95 = NormalDist().inv_cdf(0.975)


@paper.formula
def wilson_interval(successes: int, trials: int, z: float = _Z95) -> tuple[float, float]:
    """Wilson's interval: the p for which (p̂ − p)² ≤ z² p (1−p)/T.

    >>> [round(end, 4) for end in wilson_interval(5, 10)]
    [0.2366, 0.7634]
    """
    check_count("trials", trials, 1)
    check_count("successes", successes, 0, trials)
    # (1 + z²/T) p² − (2 p̂ + z²/T) p + p̂² = 0
    share, extra = successes / trials, z * z / trials
    half, first = share + extra / 2.0, 1.0 + extra
    root = math.sqrt(half * half - first * share * share)
    return (half - root) / first, (half + root) / first


@paper.claim("wilson.printed", WILSON)
def _() -> Cases:
    """A 95 % interval of a probability seen x times in T trials has the two roots p of
    (x/T - p)^2 = z^2 p (1-p)/T as its ends: .4038 and .5962 for 50 in 100."""
    for successes, trials in ((50, 100), (0, 100), (30, 500), (250, 1000), (970, 1000)):
        for end, theory in zip(("low", "high"), wilson_interval(successes, trials), strict=True):
            yield built(f"proportion_{end}", theory, successes=successes, trials=trials)


@paper.formula
def clopper_pearson_interval(
    successes: int, trials: int, tail: float = 0.025
) -> tuple[float, float]:
    """Clopper and Pearson's interval: P(X ≥ x) is ``tail`` at one end, P(X ≤ x) at the other.

    >>> [round(end, 4) for end in clopper_pearson_interval(5, 10)]
    [0.1871, 0.8129]
    """
    check_count("trials", trials, 1)
    check_count("successes", successes, 0, trials)
    high = _falls_to(tail, successes, trials)
    return 1.0 - _falls_to(tail, trials - successes, trials), high


def _falls_to(tail: float, most: int, trials: int) -> float:
    """Return the probability p at which P(X ≤ most) has fallen to ``tail``; 1 if it never does."""
    low, high = 0.0, 1.0
    while most < trials and low < (middle := (low + high) / 2.0) < high:
        chance = math.fsum(
            math.comb(trials, x) * middle**x * (1.0 - middle) ** (trials - x)
            for x in range(most + 1)
        )
        low, high = (middle, high) if chance > tail else (low, middle)
    return high


@paper.claim("clopper-pearson.printed", CLOPPER)
def _() -> Cases:
    """A 95 % interval of a probability seen x times in T trials, few of them, has as its ends p
    with P(X >= x) = .025 and with P(X <= x) = .025: .1871 and .8129 for 5 in 10."""
    for successes, trials in ((5, 10), (0, 10), (1, 30), (28, 30), (30, 30)):
        ends = clopper_pearson_interval(successes, trials)
        for end, theory in zip(("low", "high"), ends, strict=True):
            yield built(f"proportion_{end}", theory, successes=successes, trials=trials)


@paper.formula
def sample_variance(values: Numbers) -> float:
    """Variance Σ (x − mean)²/(T − 1), which is unbiased.

    >>> sample_variance([2.0, 4.0, 9.0])
    13.0
    """
    mean = math.fsum(values) / len(values)
    return math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)


#: Trials' values: small whole numbers, so that every sum is exact.
_VALUES: tuple[Numbers, ...] = ((2.0, 4.0, 9.0), (1.0, 1.0, 1.0, 8.0, 4.0), (0.0, 3.0, 7.0, 2.0))
_OTHERS: tuple[Numbers, ...] = ((1.0, 2.0, 3.0), (2.0, 1.0, 5.0, 6.0, 3.0), (4.0, 4.0, 1.0, 2.0))


@paper.claim("standard-error.mean.printed", f"{COCHRAN}, Chapter 2")
def _() -> Cases:
    """The mean of T trials has standard error s/sqrt(T), s^2 = sum (x - mean)^2/(T - 1)."""
    for values in _VALUES:
        theory = math.sqrt(sample_variance(values) / len(values))
        yield built("error_of_mean", theory, values=list(values))


@paper.claim("variance.unbiased.printed", f"{COCHRAN}, Chapter 2")
def _() -> Cases:
    """The variance of T trials is estimated by sum (x - mean)^2/(T - 1), which is unbiased."""
    for values in _VALUES:
        yield built("estimated_variance", sample_variance(values), values=list(values))


def _central(values: Numbers, power: int) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((x - mean) ** power for x in values) / len(values)


@paper.claim("standard-error.variance.printed", f"{CRAMER}, Section 27.4")
def _() -> Cases:
    """The estimate of a variance has, for large T, variance (m4 - m2^2)/T, with the central moments
    of the trials."""
    for values in ((2.0, 4.0, 9.0, 3.0, 4.0, 4.0), *_VALUES[1:]):
        spread = _central(values, 4) - _central(values, 2) ** 2
        yield built("error_of_variance", math.sqrt(spread / len(values)), values=list(values))


@paper.claim("standard-error.difference.derived", "Derived: a difference is a mean of differences")
def _() -> Cases:
    """On common draws the difference of two means has the standard error of the mean of the
    trials' differences."""
    for one, other in zip(_VALUES, _OTHERS, strict=True):
        off = [a - b for a, b in zip(one, other, strict=True)]
        theory = math.sqrt(sample_variance(off) / len(off))
        yield built("error_of_difference", theory, first=list(one), second=list(other))


@paper.formula
def ratio_error(numerators: Numbers, denominators: Numbers) -> float:
    """Standard error of a ratio of two means R: that of the mean of a − R c, over the mean of c.

    Trials are counted as (Σ c)²/Σ c², which is their number where all c are alike.

    >>> ratio_error([1.0, 2.0], [2.0, 4.0])
    0.0
    """
    if len(numerators) != len(denominators) or len(numerators) < 2:
        raise FastgcError("numerators: must be as many as denominators, at least two")
    total = math.fsum(denominators)
    share, worth = math.fsum(numerators) / total, total**2 / math.fsum(c * c for c in denominators)
    square = math.fsum((a - share * c) ** 2 for a, c in zip(numerators, denominators, strict=True))
    return math.sqrt(square * worth / (worth - 1.0)) / total


@paper.claim(
    "standard-error.ratio.derived", f"Derived, for large T that of {COCHRAN}, Section 2.11"
)
def _() -> Cases:
    """The ratio R of the means of a and c has the standard error of the mean of a - R c, divided by
    the mean of c, with (sum c)^2/sum c^2 trials."""
    for one, other in zip(_VALUES, _OTHERS, strict=True):
        for c in (other, [2.0] * len(one)):
            theory = ratio_error(one, c)
            yield built("error_of_ratio", theory, numerators=list(one), denominators=list(c))


@paper.claim("standard-error.unlike.derived", "Derived by Cauchy and Schwarz")
def _() -> Cases:
    """The difference of two variances on common draws, whose dependence is not known, is given the
    sum of both standard errors (over that sum)."""
    for first, second in ((0.3, 0.2), (0.3, 0.3), (0.1, 0.5)):
        yield built("summed_error", 1.0, first=first, second=second)


@paper.claim("standard-error.iterations.derived", f"Derived from {COCHRAN}, Chapter 3")
def _() -> Cases:
    """A probability p over L independent iterations of each of T trials has the standard error
    sqrt(p (1-p)/(L T)): that at most s of n workers straggle."""
    for iterations, trials in ((1, 65_536), (4, 65_536), (16, 20_000)):
        p = math.fsum(binomial_probabilities(6, 0.8).tolist()[5:])
        theory = math.sqrt(p * (1.0 - p) / (iterations * trials))
        case = built("error_of_share", theory, iterations=iterations, trials=trials)
        yield replace(case, tolerance=0.02)


#: Values of the iterations that count, trial by trial; some trials have none.
_CONDITIONAL: tuple[tuple[Numbers, ...], ...] = (
    ((1.0, 3.0), (2.0,), (), (5.0, 5.0, 2.0), (4.0,)),
    ((2.0, 2.0, 4.0), (1.0, 7.0), (3.0,), (6.0, 2.0)),
    ((1.0,), (2.0, 5.0), (), (), (3.0, 3.0, 3.0, 9.0), (1.0, 2.0)),
)


@paper.formula
def conditional_variance_error(trials: Sequence[Numbers]) -> float:
    """Standard error of the variance of values of which trials have different numbers.

    The variance is a function of three sums: of squares, of values, of their number. To first order
    a trial changes it by (Σ (x − m)² − v · count) over all trials' count, with m and v the mean and
    the variance of all values.

    >>> round(conditional_variance_error([[0.0, 2.0], [1.0], [3.0]]), 6)
    0.447214
    """
    values = [x for trial in trials for x in trial]
    mean = math.fsum(values) / len(values)
    spread = math.fsum((x - mean) ** 2 for x in values) / len(values)
    moved = [math.fsum((x - mean) ** 2 - spread for x in trial) for trial in trials]
    worth = len(values) ** 2 / sum(len(trial) ** 2 for trial in trials)
    return math.sqrt(math.fsum(x * x for x in moved) * worth / (worth - 1.0)) / len(values)


@paper.claim("standard-error.conditional.derived", f"Derived by the delta method of {CRAMER}, 28.4")
def _() -> Cases:
    """Where trials have different numbers of values, the variance v of all values around their mean
    m has the standard error of a ratio: that of sum over a trial of (x - m)^2 - v."""
    for trials in _CONDITIONAL:
        theory = conditional_variance_error(trials)
        yield built("error_of_conditional_variance", theory, trials=[list(x) for x in trials])


@paper.claim("autocovariance.error.derived", f"Derived by the delta method of {CRAMER}, 28.4")
def _() -> Cases:
    """The covariance of two iterations of a trial, pooled over trials as mean(b) - mean(a)^2 with a
    a trial's mean and b its mean product, has the standard error of the mean of b - 2 mean(a) a."""
    for one, other in zip(_VALUES, _OTHERS, strict=True):
        mean = math.fsum(one) / len(one)
        moved = [b - 2.0 * mean * a for a, b in zip(one, other, strict=True)]
        theory = math.sqrt(sample_variance(moved) / len(moved))
        yield built("error_of_autocovariance", theory, means=list(one), products=list(other))


@paper.claim("report.brackets.derived", "Derived: the usual notation of a standard error")
def _() -> Cases:
    """A number is shown with the two first digits of its standard error in brackets, in units of
    its last place: .488072 with .000303 as 0.48807(30)."""
    for value, error, shown, last in (
        (0.488072, 0.000303, 0.48807, 30),
        (1.5149, 0.0123, 1.515, 12),
        (123.456, 1.04, 123.5, 10),
    ):
        yield built("shown_value", shown, value=value, error=error)
        yield built("shown_error", last, value=value, error=error)
