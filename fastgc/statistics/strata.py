"""Bounds of a probability, and means of samples that keep to them."""

import sys

from fastgc.statistics.estimates import Estimate

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
