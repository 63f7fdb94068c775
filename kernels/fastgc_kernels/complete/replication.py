"""Completion of work that groups of workers do several times over.

Worker j is in group j // size. The least time of each group, then one place in order by `networks`.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, put_in_order


@jit
def completion(times: Floats, size: int, need: int, network: Numbers, done: Floats) -> None:
    """Moment ``done`` (T,) at which ``need`` groups have answered, of times (n, 1, T).

    ``network`` puts place need − 1 of all groups in order.
    """
    workers, _, trials = times.shape
    groups = workers // size
    rows = np.zeros((groups, LANES))
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        for g in range(groups):
            row = rows[g]
            row[:] = np.inf
            for j in range(g * size, (g + 1) * size):
                own = times[j, 0, start : start + lanes]
                for t in range(lanes):
                    a = own[t]
                    b = row[t]
                    row[t] = a if a < b else b
        put_in_order(rows, groups, network)
        for t in range(lanes):
            done[start + t] = rows[need - 1, t]
