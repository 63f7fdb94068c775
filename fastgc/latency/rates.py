"""What a unit of load costs in seconds: fitted to recordings at several loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.time import Values
from fastgc.statistics.resampling import error_of_mean


@dataclass(frozen=True)
class Rate:
    """Seconds for a unit of load, and how well they are known.

    Attributes
    ----------
    value : float
    error : float
        Standard error.
    own : float
        By how much the rate grows with the mean of the recording that it extends; 0 where the rate
        was given.
    rest : float
        Standard error that is left where that mean is known.
    """

    value: float
    error: float
    own: float = 0.0
    rest: float = 0.0


def fitted(recordings: Sequence[tuple[float, Values]]) -> Rate:
    """Fit a straight line to the mean times of recordings, by least squares.

    Parameters
    ----------
    recordings : sequence of (float, float64 array (rows, n))
        Load and times of each; the first is the one that is extended.

    Returns
    -------
    Rate
        Its standard error is that of the means, whose rows may depend on each other; with three or
        more recordings it is widened where they lie further off the line than that (by the root of
        χ² a degree of freedom, where that is above 1).

    Raises
    ------
    FastgcError
        If fewer than two loads differ, or a recording has a single row.

    Examples
    --------
    >>> slow = np.array([[3.0], [3.2], [2.8], [3.0]])
    >>> rate = fitted([(1.0, slow), (0.0, slow - 2.0)])
    >>> round(rate.value, 12), round(rate.own, 12), 0 < rate.rest < rate.error
    (2.0, 1.0, True)
    """
    loads = np.array([load for load, _ in recordings])
    if np.unique(loads).size < 2:
        raise FastgcError(f"a rate needs recordings at two loads or more (got {loads[0]:g} only)")
    if min(len(rows) for _, rows in recordings) < 2:
        raise FastgcError("a rate needs recordings of two rows or more, for its standard error")
    rounds = [rows.mean(axis=1) for _, rows in recordings]
    means = np.array([each.mean() for each in rounds])
    errors = np.array([error_of_mean(each) for each in rounds])
    off = loads - loads.mean()
    weights = off / (off @ off)
    rate = float(weights @ means)
    wide = _widening(means - means.mean() - rate * off, errors)
    moved = weights * errors * wide
    return Rate(
        value=rate,
        error=math.sqrt(float(moved @ moved)),
        own=float(weights[0]),
        rest=math.sqrt(float(moved[1:] @ moved[1:]) + float(moved[0]) ** 2 * (1 - wide**-2)),
    )


def _widening(misfits: Values, errors: Values) -> float:
    """Root of χ² a degree of freedom of the misfits, at least 1."""
    freedom = misfits.size - 2
    if freedom < 1 or not (errors > 0).all():
        return 1.0
    return max(1.0, math.sqrt(float(((misfits / errors) ** 2).sum()) / freedom))
