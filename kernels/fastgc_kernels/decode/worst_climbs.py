"""Sets of stragglers that cost much: chosen greedily, then exchanged one by one while it pays.

A symmetric matrix holds all that is needed: H of `straggler_costs` with x as its last row and
column. Sweeping it on a straggler, and back, keeps in it what every worker outside the set would
add and what every one inside has added. Greedy exchange (Fedorov, 1972) with the sweep operator
(Beaton, 1964; Goodnight, 1979).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit

_TINY = 1e-9  # so that the weights decide between workers that add nothing
_GAIN = 1e-9  # less is rounding


@jit
def _sweep(A: Floats, k: int, sign: float) -> None:
    """Sweep on worker k, or back with sign −1."""
    size = len(A)
    pivot = A[k, k]
    own = A[k].copy()
    for i in range(size):
        if i == k:
            continue
        f = own[i] / pivot
        row = A[i]
        for c in range(size):
            row[c] -= f * own[c]
    for i in range(size):
        A[i, k] = A[k, i] = sign * own[i] / pivot
    A[k, k] = -1.0 / pivot


@jit
def climb(H: Floats, x: Floats, weights: Floats, sets: Integers) -> None:
    """Complete each set greedily, and exchange its members for others as long as that costs more.

    ``sets`` (starts, s) has the first members of each, −1 where one is to be found; it is filled.
    ``weights`` (starts, n) are factors on what workers add, by which starts differ.
    """
    starts, s = sets.shape
    n = x.size
    A = np.empty((n + 1, n + 1))
    inside = np.empty(n, np.bool_)
    for t in range(starts):
        A[:n, :n] = H
        A[n, :n] = x
        A[:n, n] = x
        A[n, n] = 0.0
        inside[:] = False
        for a in range(s):
            pick = sets[t, a]
            if pick < 0:
                most = -1.0
                for i in range(n):
                    if not inside[i]:
                        gain = (A[n, i] * A[n, i] / A[i, i] + _TINY) * weights[t, i]
                        if gain > most:
                            most = gain
                            pick = i
                sets[t, a] = pick
            inside[pick] = True
            _sweep(A, pick, 1.0)
        for _ in range(20 * s):
            most, out, pick = _GAIN * (1.0 - A[n, n]), -1, -1
            for a in range(s):
                j = sets[t, a]
                own = A[j]
                inverse = 1.0 / own[j]
                loss = own[n] * own[n] * inverse  # below 0
                for i in range(n):
                    if not inside[i]:
                        y = A[n, i] - own[i] * own[n] * inverse
                        gain = loss + y * y / (A[i, i] - own[i] * own[i] * inverse)
                        if gain > most:
                            most, out, pick = gain, a, i
            if out < 0:
                break
            inside[sets[t, out]] = False
            _sweep(A, sets[t, out], -1.0)
            sets[t, out] = pick
            inside[pick] = True
            _sweep(A, pick, 1.0)
