"""Quantiles of raw samples: every value is known, and no bin makes an interval wider."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.errors import FastgcError


@dataclass(frozen=True)
class SampleQuantile:
    """A quantile with its confidence interval.

    ``value``: the smallest value that so large a share of all values does not exceed; ``low``,
    ``high``: ends of the interval, values themselves; None where none is low or high enough.
    """

    value: float
    low: float | None
    high: float | None


def quantile(samples: ArrayLike, level: float, confidence: float = 0.95) -> SampleQuantile:
    """Return a quantile of raw samples with its interval, as ``--keep samples`` makes possible.

    The interval is Woodruff's (1952): the share of values below the quantile has a standard error
    over trials, and the ends are the values at which that share is so much smaller and larger.

    Parameters
    ----------
    samples : array_like (T,) or (T, L)
        Of T independent trials, with L iterations each, in whatever unit; infinite ones count as
        larger than all others.
    level : float
        0 < level < 1.
    confidence : float
        Of the interval.

    Returns
    -------
    SampleQuantile

    Raises
    ------
    FastgcError
        If there are no samples, one is not a number, or the level or confidence is out of range.

    Examples
    --------
    >>> import fastgc
    >>> fastgc.quantile(range(1, 1001), 0.9)
    SampleQuantile(value=900.0, low=881.0, high=920.0)
    """
    values = np.asarray(samples, np.float64)
    if values.ndim not in (1, 2) or not values.size:
        raise FastgcError(f"samples: must be (T,) or (T, L), not empty (got {values.shape})")
    if np.isnan(values).any():
        raise FastgcError("samples: one of them is not a number; leave its trial out")
    for name, share in (("level", level), ("confidence", confidence)):
        if not 0 < share < 1:
            raise FastgcError(f"{name}: must be between 0 and 1 (got {share})")
    trials, size = len(values), values.size
    ordered = np.sort(values, axis=None)
    place = min(size, max(1, math.ceil(level * size * (1 - 1e-15))))
    value = float(ordered[place - 1])
    tail = (1 - confidence) / 2
    half = -NormalDist().inv_cdf(tail) * _standard_error(values, value, level) * size
    # ranks from 1; half a rank more, for a count is a whole number
    first = math.floor(level * size - half + 0.5)
    last = math.ceil(level * size + half + 0.5)
    low: float | None = float(ordered[max(first, 1) - 1])
    high: float | None = float(ordered[min(last, size) - 1])
    if first < 1 and (1 - level) ** trials > tail:
        low = None
    if last > size and level**trials > tail:
        high = None
    return SampleQuantile(value, low, high)


def _standard_error(values: Values, value: float, level: float) -> float:
    """Return that of the share of values below the quantile ``level``, which ``value`` estimates.

    Of one value a trial it is known; of several, shares differ from trial to trial by as much as
    the values of a trial depend on each other.
    """
    trials = len(values)
    if values.size == trials or trials < 2:
        return math.sqrt(level * (1 - level) / trials)
    shares = (values <= value).mean(axis=1)
    return float(shares.std(ddof=1)) / math.sqrt(trials)
