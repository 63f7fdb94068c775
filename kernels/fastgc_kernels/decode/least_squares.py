"""Decoding errors of any matrix from its stragglers: the cost falls with their number.

With H = B⁺B⁺ᵀ, x = B⁺1, e₀ = ‖1 − Bx‖² and stragglers T, forcing x to vanish on T costs
xᵀ_T H_TT⁻¹ x_T more than e₀ if B's columns are independent. If they are not, directions of the
null space are free: a pivoted elimination of P_TT, P the projector on the null space, removes
them, and the same steps applied to H_TT and x_T leave a positive definite rest that is not free.

Patterns are sorted by their number of stragglers, and those with equally many handled together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.decode.orthogonal import dot
from fastgc_kernels.decode.straggler_costs import (
    DECIDED,
    LANES,
    RESTS_ON_ZERO,
    UNDECIDED,
    Cost,
    Dependences,
    Floats,
    Found,
    Sorted,
    dependent,
    independent,
)
from fastgc_kernels.decode.straggler_lists import sort
from fastgc_kernels.draw.bits import trailing_zeros

_ONE = np.uint64(1)
# Just above the root of what is a clear pivot of P: what is clear here was clear there.
_CLEAR_LENGTH = 1.001e-3
_EPSILON = 2.0**-52


@jit
def normalise(H: Floats, x: Floats) -> None:
    """Scale workers in place so that H has a unit diagonal; the errors do not change by that."""
    n = x.size
    scale = np.empty(n)
    for j in range(n):
        scale[j] = 1.0 / np.sqrt(H[j, j])
        x[j] *= scale[j]
    for i in range(n):
        for j in range(n):
            H[i, j] *= scale[i] * scale[j]


@jit
def errors(
    packed: NDArray[np.uint64],
    H: NDArray[np.float64],
    P: NDArray[np.float64],
    component: NDArray[np.int64],
    ranks: NDArray[np.int64],
    x: NDArray[np.float64],
    e0: float,
    k: float,
    out: NDArray[np.float64],
    doubtful: NDArray[np.uint8],
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern, ``doubtful`` with its standing.

    H and x are as ``normalise`` leaves them if B's columns are independent, else as above.
    ``component`` (n,) gives the block of P that a worker belongs to, −1 if it is in no dependence;
    ``ranks`` the rank of each block; their sum is the nullity. A pattern is ``RESTS_ON_ZERO`` if
    its error is right provided that pivots of P found to be small are zero, which ``confirm``
    checks; ``UNDECIDED`` if its error is not to be used.
    """
    count, words = packed.shape
    n = x.size
    nullity = np.sum(ranks)
    start = np.zeros(n + 3, np.int64)
    patterns = Sorted(np.empty((words, count), np.uint64), np.empty(count, np.int32))
    sort(packed, n, patterns.absent, start, patterns.order)
    terms = Cost(H, x, e0, k)
    null = Dependences(P, component, ranks, nullity)
    found = Found(out, doubtful)
    # room for the largest number of stragglers that there is, all n of them aside
    most = n - 1
    while most > 1 and start[most] == start[most + 1]:
        most -= 1
    index = np.empty((n, LANES), np.uint64)
    store_M = np.empty(most * (most + 1) * LANES)
    store_A = np.empty(most * most * LANES if nullity > 0 else 0)
    single = np.empty(n)
    doubtful[:] = DECIDED
    for s in range(n + 1):
        first, last = start[s], start[s + 1]
        if first == last:
            continue
        if s == 0 or s == n:
            for i in range(first, last):
                out[patterns.order[i]] = e0 if s == 0 else k
        elif s == 1 and nullity == 0:
            for j in range(n):
                single[j] = min(e0 + x[j] * x[j], k)
            _take_singles(patterns, first, last, single, out)
        else:
            M = store_M[: s * (s + 1) * LANES].reshape(s, s + 1, LANES)
            if nullity == 0:
                independent(patterns, first, last, s, terms, M, index, found)
            else:
                A = store_A[: s * s * LANES].reshape(s, s, LANES)
                dependent(patterns, first, last, s, terms, null, M, A, index, found)


@jit
def _take_singles(patterns: Sorted, first: int, last: int, single: Floats, out: Floats) -> None:
    """Patterns with one straggler: its error from the list."""
    for i in range(first, last):
        w = 0
        while patterns.absent[w, i] == np.uint64(0):
            w += 1
        straggler = 64 * w + np.int64(trailing_zeros(patterns.absent[w, i]))
        out[patterns.order[i]] = single[straggler]


@jit
def confirm(
    packed: NDArray[np.uint64], null_rows: NDArray[np.float64], doubtful: NDArray[np.uint8]
) -> None:
    """Decide the patterns whose error rests on zero pivots of P, where that can be decided.

    ``null_rows`` (n, nullity) are the workers' rows of an orthonormal basis of B's null space.
    Orthogonalising the stragglers' rows shows a length of 1e-8 that its square in P hides.
    """
    n, nullity = null_rows.shape
    rows = np.empty((n, nullity))
    zero = 2.0 * _EPSILON * (n + 8)
    for t in range(packed.shape[0]):
        if doubtful[t] != RESTS_ON_ZERO:
            continue
        # gather the stragglers' rows
        s = 0
        for j in range(n):
            if (packed[t, j >> 6] >> np.uint64(j & 63)) & _ONE == np.uint64(0):
                for i in range(nullity):
                    rows[s, i] = null_rows[j, i]
                s += 1
        # Gram and Schmidt, the longest row first: decided if what is left is rounding, or nothing
        # is; undecided if a length is between that and a clear one
        doubtful[t] = UNDECIDED
        for step in range(s):
            pivot = step
            longest = -1.0
            for a in range(step, s):
                length = dot(rows[a], rows[a], 0)
                if length > longest:
                    longest = length
                    pivot = a
            longest = np.sqrt(longest)
            if longest <= zero:
                doubtful[t] = DECIDED
                break
            if longest < _CLEAR_LENGTH:
                break
            for i in range(nullity):
                first = rows[pivot, i] / longest
                rows[pivot, i] = rows[step, i]
                rows[step, i] = first
            for a in range(step + 1, s):
                along = dot(rows[step], rows[a], 0)
                for i in range(nullity):
                    rows[a, i] -= along * rows[step, i]
        else:
            doubtful[t] = DECIDED
