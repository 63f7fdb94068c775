"""Stand-in of a tree of workers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.complete.networks import in_order

MOST = 1 << 22  # values moved
MOST_STEPS = 1 << 14  # of networks, each some calls of NumPy even for a single trial

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def completion(
    times: Floats,
    offsets: Integers,
    nodes: Integers,
    need: Integers,
    kind: Integers,
    starts: Integers,
    networks: NDArray[np.int32],
    receive: float,
    after_own: bool,
    done: Floats,
    messages: Floats,
) -> object:
    """All trials side by side, from the last node up to the master."""
    trials = times.shape[1]
    counting = messages.shape[0] > 0
    parents = np.flatnonzero(need > 0)[::-1]
    steps = sum(_steps(starts, kind[v]) for v in parents)
    if steps > MOST_STEPS or trials * (times.shape[0] + steps) > MOST:
        return NotImplemented
    sent: dict[int, Floats] = {}
    finished: list[Floats] = []
    clock = np.zeros(trials)
    for v in parents.tolist():
        children = nodes[offsets[v] : offsets[v + 1]].tolist()
        rows = np.array([sent[c] if need[c] > 0 else times[c - 1] for c in children])
        in_order(rows, networks[starts[kind[v]] : starts[kind[v] + 1]])
        clock = times[v - 1] if after_own and v > 0 else np.zeros(trials)
        for row in rows[0 if counting or receive > 0.0 else need[v] - 1 : need[v]]:
            clock = np.maximum(clock, row) + receive
            finished.append(clock)
        if v > 0:
            sent[v] = np.maximum(clock, times[v - 1])
    done[:] = clock
    if counting:
        heard = [(end <= clock) & (end < np.inf) for end in finished]
        messages[0] = np.sum(heard, axis=0)
        messages[1] = np.sum(heard[-int(need[0]) :], axis=0)
    return None


def _steps(starts: Integers, kind: int) -> int:
    return int(starts[kind + 1] - starts[kind])
