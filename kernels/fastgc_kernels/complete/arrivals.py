"""Answers that arrive until work is done, whatever it takes for that.

Work has parts, each of which waits for so many answers. Times are (n, m, T): m = 1 where all tasks
of a worker take one time, so that its j-th is done at j times it; else one time a task, and it is
done at their sum. What arrives at the same moment is received in order of worker. One pass counts
what arrives before the end and at it; only where several answers arrive at the end are these gone
through in order.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES


@jit
def count(
    times: Floats, part: Integers, wanted: Integers, enough: int, done: Floats, messages: Floats
) -> None:
    """Answers ``messages`` (T,) that arrive until ``done`` (T,), the one that completes included.

    Task j of worker i answers for ``part[i, j]``, of which no more than ``wanted`` answers count;
    all is done once ``enough`` answers count. All that ever arrive where ``done`` is infinite.
    """
    workers, each, trials = times.shape
    tasks = part.shape[1]
    before = np.zeros(LANES)
    at = np.zeros(LANES)
    arrival = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        ends = done[start : start + lanes]
        before[:] = 0.0
        at[:] = 0.0
        for i in range(workers):
            arrival[:] = 0.0
            for j in range(tasks):
                own = times[i, 0 if each == 1 else j, start : start + lanes]
                if each == 1:
                    for t in range(lanes):
                        moment = (j + 1.0) * own[t]
                        before[t] += 1.0 if moment < ends[t] else 0.0
                        at[t] += 1.0 if moment == ends[t] else 0.0
                else:
                    for t in range(lanes):
                        arrival[t] += own[t]
                        before[t] += 1.0 if arrival[t] < ends[t] else 0.0
                        at[t] += 1.0 if arrival[t] == ends[t] else 0.0
        for t in range(lanes):
            end = ends[t]
            messages[start + t] = before[t]
            if end < np.inf:
                # of several answers at the end not all need be received
                more = 1
                if at[t] > 1.0:
                    more = _tied(times[:, :, start + t], part, wanted, enough, end)
                messages[start + t] += more


@jit
def _tied(times: Floats, part: Integers, wanted: Integers, enough: int, done: float) -> int:
    """Answers received at the very moment ``done`` until ``enough`` count."""
    left = wanted.copy()
    missing = enough
    received = 0
    # first what arrives before that moment, then what does at it
    for now in (False, True):
        for i in range(times.shape[0]):
            arrival = 0.0
            for j in range(part.shape[1]):
                if times.shape[1] == 1:
                    arrival = (j + 1.0) * times[i, 0]
                else:
                    arrival += times[i, j]
                if not (missing > 0 and arrival == done if now else arrival < done):
                    continue
                received += 1 if now else 0
                missing -= 1 if left[part[i, j]] > 0 else 0
                left[part[i, j]] -= 1
    return received
