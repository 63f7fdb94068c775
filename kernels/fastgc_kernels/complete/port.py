"""Messages through a port that receives one at a time, in order of arrival.

One server with constant service times: Lindley's recursion (1952).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, LARGEST, put_in_order


@jit
def serve(
    times: Floats, tasks: int, network: Numbers, messages: Floats, receive: float, done: Floats
) -> None:
    """Replace finite ``done`` (T,) by the moment at which ``messages`` answers are received.

    Times (n, m, T) and what they mean are as in `arrivals`: n · ``tasks`` answers arrive, which
    ``network`` puts in order. The port is open from the start.
    """
    workers, each, trials = times.shape
    answers = workers * tasks
    if answers > LARGEST:
        _serve_each(times, tasks, messages, receive, done)
        return
    rows = np.zeros((answers, LANES))
    arrival = np.zeros(LANES)
    clock = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        for i in range(workers):
            arrival[:] = 0.0
            for j in range(tasks):
                row = rows[i * tasks + j]
                if each == 1:
                    own = times[i, 0, start : start + lanes]
                    for t in range(lanes):
                        row[t] = (j + 1.0) * own[t]
                else:
                    own = times[i, j, start : start + lanes]
                    for t in range(lanes):
                        arrival[t] += own[t]
                        row[t] = arrival[t]
        put_in_order(rows, answers, network)
        left = messages[start : start + lanes]
        clock[:] = 0.0
        for i in range(int(left.max())):
            row = rows[i]
            for t in range(lanes):
                a = row[t]
                c = clock[t]
                late = (a if a > c else c) + receive
                clock[t] = late if i < left[t] else c
        for t in range(lanes):
            if done[start + t] < np.inf:
                done[start + t] = clock[t]


@jit
def _serve_each(times: Floats, tasks: int, messages: Floats, receive: float, done: Floats) -> None:
    """One trial after the other, of which only what arrives until ``done`` is sorted."""
    workers, each, trials = times.shape
    arrivals = np.empty(workers * tasks)
    for t in range(trials):
        if done[t] == np.inf:
            continue
        count = 0
        for i in range(workers):
            arrival = 0.0
            for j in range(tasks):
                if each == 1:
                    arrival = (j + 1.0) * times[i, 0, t]
                else:
                    arrival += times[i, j, t]
                if arrival <= done[t]:
                    arrivals[count] = arrival
                    count += 1
        until = arrivals[:count]
        until.sort()
        clock = 0.0
        for i in range(int(messages[t])):
            clock = max(clock, until[i]) + receive
        done[t] = clock
