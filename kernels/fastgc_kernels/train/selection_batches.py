"""Which samples a worker takes for its next gradient, and how long an iteration waits.

In order around the data, or at random by Floyd's algorithm (Bentley and Floyd, 1987).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, U64, Booleans, Floats, Integers
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.patterns import bounded
from fastgc_kernels.draw.philox import MASK32, SHIFT32, apart, halves, words_at


@jit
def in_order(low: int, size: int, place: int, turn: int, out: Integers) -> None:
    """Samples ``out`` (b,) of a worker's batch number ``turn``, in order around its data.

    Its data are ``size`` samples from ``low`` on, where the worker begins at ``place``.
    """
    at = (place + turn * out.size) % size
    for i in range(out.size):
        out[i] = low + at
        at += 1
        if at == size:
            at = 0


@jit
def at_random(
    low: int,
    size: int,
    group: int,
    iteration: int,
    trial: np.uint64,
    key: np.uint64,
    seen: Booleans,
    out: Integers,
) -> None:
    """Samples ``out`` (b,) of the first worker of a group, all sets of b in its data alike (Floyd).

    A draw's address is (key, group, trial, iteration, step): whichever worker is the first, its
    batch is drawn alike. ``seen`` has room for all its data, and is all false before and after.
    """
    k0, k1 = halves(apart(key, group))
    trial_low = trial & MASK32
    trial_high = trial >> SHIFT32
    batch = out.size
    words = np.empty(4, np.uint64)
    for step in range(batch):
        if step % 4 == 0:
            a, b, c, d = words_at(trial, iteration, step // 4, k0, k1)
            words[0] = a
            words[1] = b
            words[2] = c
            words[3] = d
        top = size - batch + step
        pick = np.int64(
            bounded(
                words[step % 4], U64(top) + ONE, trial_low, U64(iteration), U64(step), trial_high,
                k0, k1,
            )
        )  # fmt: skip
        if seen[pick]:
            pick = top
        seen[pick] = True
        out[step] = low + pick
    for i in range(batch):
        seen[out[i] - low] = False


# ---- Who is first in its group, and how long an iteration waits for the selected groups
#
# A minimum in each group, and a maximum over the selected ones.


@jit
def fastest(times: Floats, size: int, least: Floats, winners: Integers) -> None:
    """Smallest time ``least`` (L, G, T) in each group, and the place in it of its worker.

    Worker m of times (L, M, T) is in group m // size, at place m % size of it; of those that are
    equally fast the first wins.
    """
    iterations, groups, trials = least.shape
    for l in range(iterations):  # noqa: E741
        for g in range(groups):
            best = least[l, g]
            place = winners[l, g]
            own = times[l, g * size]
            for t in range(trials):
                best[t] = own[t]
                place[t] = 0
            for i in range(1, size):
                own = times[l, g * size + i]
                for t in range(trials):
                    sooner = own[t] < best[t]
                    best[t] = own[t] if sooner else best[t]
                    place[t] = i if sooner else place[t]


@jit
def elapsed(least: Floats, selected: Booleans, out: Floats) -> None:
    """Time ``out`` (L + 1, T) from the start until the slowest selected group has answered.

    ``selected`` is (L, G, T), or (L, G, 1) where all trials select alike. An iteration that selects
    none takes no time.
    """
    iterations, groups, trials = least.shape
    alike = selected.shape[2] == 1
    for t in range(trials):
        out[0, t] = 0.0
    for l in range(iterations):  # noqa: E741
        now = out[l + 1]
        for t in range(trials):
            now[t] = 0.0
        for g in range(groups):
            own = least[l, g]
            for t in range(trials):
                if selected[l, g, 0 if alike else t]:
                    now[t] = max(now[t], own[t])
        for t in range(trials):
            now[t] += out[l, t]
