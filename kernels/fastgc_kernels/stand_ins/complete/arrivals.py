"""Stand-in of answers that arrive until work is done."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.complete.arrivals import _tied

MOST = 1 << 22

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def arrivals(times: Floats, tasks: int) -> Iterator[Floats]:
    """When each worker's tasks are answered (T,), one after the other, of times (n, m, T)."""
    for own in times:
        arrival = np.zeros(own.shape[1])
        for j in range(tasks):
            arrival = (j + 1.0) * own[0] if len(own) == 1 else arrival + own[j]
            yield arrival


def count(
    times: Floats,
    part: Integers,
    wanted: Integers,
    enough: int,
    done: Floats,
    messages: Floats,
) -> object:
    """All trials side by side, but for those with several answers at the end."""
    tasks = part.shape[1]
    if times.shape[0] * tasks * times.shape[2] > MOST:
        return NotImplemented
    before = np.zeros(done.size)
    at = np.zeros(done.size)
    for arrival in arrivals(times, tasks):
        before += arrival < done
        at += arrival == done
    messages[:] = before
    ends = done < np.inf
    messages[ends] += 1
    for t in np.flatnonzero(ends & (at > 1.0)):
        messages[t] = before[t] + _tied(times[:, :, t], part, wanted, enough, done[t])
    return None
