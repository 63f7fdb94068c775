"""Completion of layered tasks: layer j is done when k_j workers have done their j-th task.

Times are (n, m, T): m = 1 where all tasks of a worker take one time, so that its j-th is done at j
times it; else one time a task, and it is done at their sum. What arrives at the same moment is
received in order of worker. The code is that of Ferdinand and Draper (ISIT 2018); places in order
come from `networks`.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.arrivals import count
from fastgc_kernels.complete.networks import LANES, put_in_order


@jit
def completion(
    times: Floats, k: Integers, starts: Integers, networks: Numbers, done: Floats
) -> None:
    """Moment ``done`` (T,) at which every layer j has its k[j] answers.

    ``networks[starts[j]:starts[j + 1]]`` puts place k[j] − 1 in order; where m = 1 the first
    network does so for all layers.
    """
    workers, each, trials = times.shape
    speed = each == 1
    rows = np.zeros((workers, LANES))
    sums = np.zeros((1 if speed else workers, LANES))
    latest = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        latest[:] = 0.0
        sums[:] = 0.0
        if speed:
            for i in range(workers):
                own = times[i, 0, start : start + lanes]
                row = rows[i]
                for t in range(lanes):
                    row[t] = own[t]
            put_in_order(rows, workers, networks[starts[0] : starts[1]])
        for j in range(k.size):
            factor = j + 1.0 if speed else 1.0
            if not speed:
                for i in range(workers):
                    own = times[i, j, start : start + lanes]
                    total = sums[i]
                    row = rows[i]
                    for t in range(lanes):
                        total[t] += own[t]
                        row[t] = total[t]
                put_in_order(rows, workers, networks[starts[j] : starts[j + 1]])
            if k[j] > 0:
                row = rows[k[j] - 1]
                for t in range(LANES):
                    a = factor * row[t]
                    b = latest[t]
                    latest[t] = a if a > b else b
        for t in range(lanes):
            done[start + t] = latest[t]


@jit
def received(times: Floats, k: Integers, done: Floats, messages: Floats) -> None:
    """Answers ``messages`` (T,) that arrive until ``done`` (T,), the one that completes included.

    All that ever arrive where ``done`` is infinite.
    """
    part = np.empty((times.shape[0], k.size), np.int64)
    enough = 0
    for j in range(k.size):
        enough += k[j]
        for i in range(times.shape[0]):
            part[i, j] = j
    count(times, part, k, enough, done, messages)
