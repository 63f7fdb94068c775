"""Terms: the k-th smallest of others, stretched and moved, for 64 trials side by side.

A term is given as gates, inputs before those that need them; the last is the term itself. Each k-th
smallest is found by the network of comparisons that brings it to its place
(`fastgc_kernels.complete.networks`), a first or last one in one pass.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Numbers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.complete.networks import LANES, put_in_order


@inline
def read(times, leaf, move, start, lanes, row):
    """Fill ``row`` (LANES,) with a moved time (worker, task), or with a constant of no worker."""
    stretch = move[0]
    delay = move[1]
    if leaf[0] < 0:
        row[:] = delay
        return
    x = times[leaf[0], leaf[1], start : start + lanes]
    if stretch == 1.0 and delay == 0.0:
        for t in range(lanes):
            row[t] = x[t]
    else:
        for t in range(lanes):
            row[t] = stretch * x[t] + delay


@jit
def evaluate(
    times: Floats,
    leaves: Integers,
    leaf_moves: Floats,
    first: Integers,
    inputs: Integers,
    k: Integers,
    moves: Floats,
    networks: Numbers,
    starts: Integers,
    ends: Integers,
    out: Floats,
) -> None:
    """Value ``out`` (T,) of the last gate, from ``times`` (n, tasks, T) at which tasks are done.

    Gate g takes the ``k[g]``-th smallest x of ``inputs[first[g] : first[g + 1]]``, by the network
    ``networks[starts[g] : ends[g]]``; its value is ``moves[g, 0]`` · x + ``moves[g, 1]``. An input
    is a gate before it; or, where it is −1 − l, the answer ``leaves[l]`` = (worker, task), moved
    by ``leaf_moves[l]``; a negative worker is a constant.
    """
    gates = k.size
    values = np.zeros((gates, LANES))
    widest = 1
    for g in range(gates):
        widest = max(widest, first[g + 1] - first[g])
    rows = np.zeros((widest, LANES))
    for start in range(0, out.size, LANES):
        lanes = min(LANES, out.size - start)
        for g in range(gates):
            own = values[g]
            many = first[g + 1] - first[g]
            extreme = k[g] == 1 or k[g] == many
            for i in range(many):
                source = inputs[first[g] + i]
                row = own if extreme and i == 0 else rows[i if not extreme else 0]
                if source < 0:
                    read(times, leaves[-1 - source], leaf_moves[-1 - source], start, lanes, row)
                else:
                    x = values[source]
                    for t in range(LANES):
                        row[t] = x[t]
                if extreme and i > 0:
                    if k[g] == 1:
                        for t in range(LANES):
                            own[t] = row[t] if row[t] < own[t] else own[t]
                    else:
                        for t in range(LANES):
                            own[t] = row[t] if row[t] > own[t] else own[t]
            if not extreme:
                put_in_order(rows, many, networks[starts[g] : ends[g]])
                x = rows[k[g] - 1]
                for t in range(LANES):
                    own[t] = x[t]
            stretch = moves[g, 0]
            delay = moves[g, 1]
            if stretch != 1.0 or delay != 0.0:
                for t in range(LANES):
                    own[t] = stretch * own[t] + delay
        last = values[gates - 1]
        for t in range(lanes):
            out[start + t] = last[t]
