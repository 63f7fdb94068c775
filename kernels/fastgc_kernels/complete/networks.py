"""Sorting networks: the same comparisons for every trial, so that trials lie side by side.

Batcher's merge exchange (Knuth, The Art of Computer Programming 3, Algorithm 5.2.2M), without the
comparisons that the wanted places do not depend on; or bubble sort's first passes, from either
end, where they are fewer.
"""

import numpy as np

from fastgc_kernels._arrays import Booleans, Numbers
from fastgc_kernels._jit import inline, jit

LANES = 64  # trials side by side
LARGEST = 4096  # beyond so many values a network does more than sorting each trial


@jit
def selection(wanted: Booleans) -> Numbers:
    """Comparisons (c, 2) after which place i of n = wanted.size holds the i-th smallest value.

    Only for the ``wanted`` places; none where n > LARGEST.
    """
    n = wanted.size
    if n < 2 or n > LARGEST:
        return np.empty((0, 2), np.int32)
    half = 1
    while 2 * half < n:
        half *= 2
    digits = 1
    while (1 << digits) <= half:
        digits += 1
    found = np.empty((n * digits * (digits + 1) // 4 + n, 2), np.int32)
    count = 0
    p = half
    while p > 0:
        q = half
        r = 0
        d = p
        while d > 0:
            for i in range(n - d):
                if (i & p) == r:
                    found[count, 0] = i
                    found[count, 1] = i + d
                    count += 1
            d = q - p
            q //= 2
            r = p
        p //= 2
    live = wanted.copy()
    left = count
    for e in range(count - 1, -1, -1):
        i = found[e, 0]
        j = found[e, 1]
        if live[i] or live[j]:
            live[i] = True
            live[j] = True
            left -= 1
            found[left, 0] = i
            found[left, 1] = j
    low = 0
    while low < n and not wanted[low]:
        low += 1
    high = n - 1
    while high > low and not wanted[high]:
        high -= 1
    passes = min(n - low, high + 1)
    if passes * (2 * n - 1 - passes) // 2 >= count - left:
        return found[left:count].copy()
    # bubble sort moves one value a pass: the largest up, or the smallest down
    found = np.empty((passes * (2 * n - 1 - passes) // 2, 2), np.int32)
    count = 0
    for done in range(passes):
        for step in range(n - 1 - done):
            i = step if n - low < high + 1 else n - 2 - step
            found[count, 0] = i
            found[count, 1] = i + 1
            count += 1
    return found


@inline
def exchange(rows, lanes, network):
    """Carry a network's comparisons out on ``rows``, side by side in so many lanes."""
    for e in range(network.shape[0]):
        x = rows[network[e, 0]]
        y = rows[network[e, 1]]
        for t in range(lanes):
            u = x[t]
            v = y[t]
            x[t] = u if u < v else v
            y[t] = v if u < v else u


@inline
def put_in_order(rows, n, network):
    """Move the wanted ones of the n smallest values of ``rows`` (≥ n, LANES) to their places."""
    if n <= LARGEST:
        exchange(rows, LANES, network)
    else:
        column = np.empty(n)
        for t in range(LANES):
            for i in range(n):
                column[i] = rows[i, t]
            column.sort()
            for i in range(n):
                rows[i, t] = column[i]
