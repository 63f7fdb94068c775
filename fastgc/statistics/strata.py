"""Probabilities put together from strata: bounds, and means of independent islands.

An event of probability f_s in a stratum of probability w_s has the probability Σ w_s f_s in all.
Sums over islands skew, and some strata are empty: an interval is Student's over islands, to which
an empty stratum adds what Clopper and Pearson leave it (MOVER: Zou and Donner, Stat. Med. 27,
2008).
"""

import math
import sys
from collections.abc import Sequence

from fastgc.statistics.estimates import FEW_EVENTS, Estimate

TAIL = 0.025
#: The smallest normal number.
SMALLEST = sys.float_info.min
TOO_SMALL = f"less than {SMALLEST:.2g}, the smallest number that has all digits"


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


def of_islands(
    values: Sequence[float],
    trials: int,
    least: float = 0.0,
    missing: float = 0.0,
    most: float = 1.0,
) -> Estimate:
    """Return the mean of independent unbiased estimates of a probability.

    ``values``: one of each island, at least two; ``trials``: independent draws of all islands
    together; ``least``, ``most``: bounds that hold for certain; ``missing``: by how much strata
    that no island has reached may raise the probability, at most.

    >>> of_islands([1e-9, 2e-9, 3e-9], 300)
    2.00(58)e-09
    """
    count = len(values)
    mean = math.fsum(values) / count
    spread = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    error = math.sqrt(spread / count)
    half = student_quantile(count - 1) * error
    if error == 0.0:  # what has differed in no island may differ in few
        half = unseen(count) * mean
    value = min(max(mean, least), most)
    low = max(least, value - half)
    high = min(most, value + math.hypot(half, missing))
    found = between(Estimate(mean, error, trials, ends=(low, high)))
    worth = math.inf if error == 0 else (mean / error) ** 2
    if worth < FEW_EVENTS:
        number = max(1, round(worth))
        return found.noting(f"rests on about {number} event{'s' * (number != 1)}")
    return found


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


def unseen(islands: int) -> float:
    """Return the upper 97.5 % bound of the probability of what none of so many islands has seen.

    >>> round(unseen(32), 4)
    0.1089
    """
    return float(1.0 - TAIL ** (1.0 / islands))


def below_at_most(share: float, s: int) -> float:
    """Return what f_(s−1) is at most, f_s being the share of sets of s with a monotone event.

    All sets of s of n things are alike: of a decreasing family, by Kruskal and Katona (Lovász's
    form), 1 − f_(s−1) ≥ (1 − f_s)^((s−1)/s).

    >>> below_at_most(0.75, 2)
    0.5
    """
    if s <= 1 or share >= 1.0:
        return 1.0 if share >= 1.0 else 0.0
    return -math.expm1((s - 1) / s * math.log1p(-share))


def student_quantile(freedom: int) -> float:
    """Return the half-width of Student's 95 % interval in standard errors.

    >>> round(student_quantile(31), 4)
    2.0395
    """
    from scipy import special  # its import takes longer than many a command

    return float(special.stdtrit(freedom, 1.0 - TAIL))
