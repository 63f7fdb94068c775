"""Straggler sets of codes whose workers fall into groups: what a set may swap or lose.

The error is the weight of the lost groups; the event, an error above a limit. Swaps are Metropolis
steps (1953) on a level of multilevel splitting (Kahn and Harris, 1951).
"""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Integers, Numbers
from fastgc_kernels._jit import jit


@jit
def steps(
    members: Numbers,
    s: int,
    odds: Floats,
    numbers: Floats,
    labels: Integers,
    weights: Floats,
    sizes: Integers,
    uncovered: float,
    limit: float,
    removable: Bytes,
) -> None:
    """Swap stragglers for survivors, then fill ``removable`` (sets, n): who may return.

    ``members`` (sets, n) are sets with the event, which they keep; they are changed in place.
    Each swap takes three of ``numbers`` (sets, 3 · swaps) and is taken with the odds that the new
    straggler has over the old one, so that sets stay distributed as they were. ``labels`` (n,):
    group of each worker, −1 for none; ``weights`` and ``sizes`` (g,) of the groups.
    """
    sets, n = members.shape
    late = np.zeros(sizes.size, np.int64)
    for i in range(sets):
        own = members[i]
        late[:] = 0
        error = uncovered
        for a in range(s):
            g = labels[own[a]]
            if g >= 0:
                late[g] += 1
                if late[g] == sizes[g]:
                    error += weights[g]
        if s < n:
            for step in range(numbers.shape[1] // 3):
                a = np.int64(numbers[i, 3 * step] * s)
                b = s + np.int64(numbers[i, 3 * step + 1] * (n - s))
                old, new = own[a], own[b]
                if not numbers[i, 3 * step + 2] * odds[old] < odds[new]:
                    continue
                g, h = labels[old], labels[new]
                after = error
                if g != h:
                    if g >= 0 and late[g] == sizes[g]:
                        after -= weights[g]
                    if h >= 0 and late[h] == sizes[h] - 1:
                        after += weights[h]
                if not after > limit:
                    continue
                if g >= 0:
                    late[g] -= 1
                if h >= 0:
                    late[h] += 1
                error = after
                own[a], own[b] = new, old
        for a in range(s):
            g = labels[own[a]]
            lost = weights[g] if g >= 0 and late[g] == sizes[g] else 0.0
            removable[i, a] = error - lost > limit
