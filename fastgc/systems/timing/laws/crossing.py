"""The chance that enough of many independent arrivals have come, threshold by threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.latency.time import Values
from fastgc_kernels.complete import subsets
from fastgc_kernels.complete.crossing import count, cross

#: What an incomplete Beta function costs, in additions.
_BETA = 1e3
#: So many unlike arrivals are counted subset by subset.
_MOST_UNLIKE = 20


@dataclass(frozen=True, eq=False)
class Arrivals:
    """``size`` arrivals of one law, at m rising thresholds for each of T times t.

    Attributes
    ----------
    size : int
    cdf, late : float array (m, T)
        Chance of an arrival up to the threshold, and of one after it.
    total : float
        Chance of an arrival at all.
    """

    size: int
    cdf: Values
    late: Values
    total: float


def crossing(arrivals: Sequence[Arrivals], required: Sequence[int]) -> tuple[Values, Values]:
    """Return the chance that at least ``required[i]`` have arrived by threshold i for all i.

    Returns
    -------
    done, late : float array (T,)
        Chance that all requirements are met, and that they are not although max(required) arrive
        in the end. Both are sums of positive terms.

    Raises
    ------
    FastgcError
        If the classes of unlike arrivals are too many to be counted together.
    """
    if len(required) > 1:
        unlike = all(a.size == 1 and a.total == 1.0 for a in arrivals)
        if unlike and 1 < len(arrivals) <= _MOST_UNLIKE:
            return _subsets(arrivals, required)
        return _programme(arrivals, required)
    if len(arrivals) > 1:
        return _count(arrivals, required[0])
    (alike,) = arrivals
    if alike.total < 1.0:
        return _programme(arrivals, required)
    return _beta(alike, required[0])


def work(sizes: Sequence[int], totals: Sequence[float], need: int, steps: int) -> float:
    """Return about how many additions `crossing` makes for one t."""
    missing = any(total < 1.0 for total in totals)
    if steps > 1 or (len(sizes) == 1 and missing):
        states = math.prod(float(size + 1) for size in sizes)
        return steps * states * sum(sizes) * (1.5 if missing else 0.5)
    if len(sizes) == 1:
        return _BETA
    return float(sum(sizes)) * need * (need if missing else 1)


def completing(arrivals: Sequence[tuple[int, float]], need: int) -> float:
    """Return the chance that ``need`` or more arrive; classes are (size, chance to arrive)."""
    if all(total == 1.0 for _, total in arrivals):
        return 1.0
    classes = [
        Arrivals(size, np.full((1, 1), total), np.full((1, 1), 1.0 - total), 1.0)
        for size, total in arrivals
    ]
    return float(crossing(classes, [need])[0][0])


def _beta(alike: Arrivals, need: int) -> tuple[Values, Values]:
    """One class at one threshold: the ``need``-th of ``size`` uniform numbers has a Beta law."""
    from scipy import special

    rest = alike.size - need + 1
    return (
        np.asarray(special.betainc(need, rest, alike.cdf[0])),
        np.asarray(special.betainc(rest, need, alike.late[0])),
    )


def _count(arrivals: Sequence[Arrivals], need: int) -> tuple[Values, Values]:
    """Any number of classes at one threshold, counted worker by worker."""
    cdf = np.stack([a.cdf[0] for a in arrivals], 1)
    late = np.stack([a.late[0] for a in arrivals], 1)
    done, after = np.empty(len(cdf)), np.empty(len(cdf))
    count(cdf, late, _never(arrivals), _sizes(arrivals), need, done, after)
    return done, after


def _programme(arrivals: Sequence[Arrivals], required: Sequence[int]) -> tuple[Values, Values]:
    """Any number of classes and thresholds, counted class by class."""
    masses = np.stack([_between(a) for a in arrivals], 1)
    late = np.stack([a.late.T for a in arrivals], 1)
    done, after = np.empty(len(masses)), np.empty(len(masses))
    cross(
        np.ascontiguousarray(masses),
        np.ascontiguousarray(late),
        _never(arrivals),
        _sizes(arrivals),
        np.asarray(required, np.int64),
        max(required),
        done,
        after,
    )
    return done, after


def _between(alike: Arrivals) -> Values:
    """Return the chance of an arrival between neighbouring thresholds, (T, m)."""
    # differences of the smaller tail lose fewer digits
    rising = np.diff(alike.cdf, axis=0, prepend=0.0)
    falling = -np.diff(alike.late, axis=0, prepend=alike.total)
    return np.maximum(np.where(alike.cdf < 0.5 * alike.total, rising, falling), 0.0).T


def _subsets(arrivals: Sequence[Arrivals], required: Sequence[int]) -> tuple[Values, Values]:
    """Few arrivals, each unlike all others, and any number of thresholds."""
    masses = np.ascontiguousarray(np.stack([_between(a) for a in arrivals], 1))
    late = np.ascontiguousarray(np.stack([a.late.T for a in arrivals], 1))
    done, after = np.empty(len(masses)), np.empty(len(masses))
    subsets.cross(masses, late, np.asarray(required, np.int64), done, after)
    return done, after


def _never(arrivals: Sequence[Arrivals]) -> Values:
    return np.array([1.0 - a.total for a in arrivals])


def _sizes(arrivals: Sequence[Arrivals]) -> NDArray[np.int64]:
    return np.array([a.size for a in arrivals], np.int64)
