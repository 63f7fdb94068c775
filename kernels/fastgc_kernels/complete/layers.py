"""Completion of layered tasks: layer j is done when k_j workers have done their j-th task.

Times are (n, m, T): m = 1 where a worker's time says when all of its tasks are done, the j-th at
``ends[j]`` times it; else one time a task, and it is done at their sum. The code is that of
Ferdinand and Draper (ISIT 2018); places in order come from `networks`.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, put_in_order


@jit
def completion(
    times: Floats, k: Integers, ends: Floats, starts: Integers, networks: Numbers, done: Floats
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
            factor = ends[j] if speed else 1.0
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
