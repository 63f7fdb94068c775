"""Who is first in its group, and how long an iteration waits for the selected groups.

A minimum in each group, and a maximum over the selected ones.
"""

from fastgc_kernels._arrays import Booleans, Floats, Integers
from fastgc_kernels._jit import jit


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
