"""Decoding errors of any matrix from its stragglers: the cost falls with their number.

With H = B⁺B⁺ᵀ, x = B⁺1, e₀ = ‖1 − Bx‖² and stragglers T, forcing x to vanish on T costs
xᵀ_T H_TT⁻¹ x_T more than e₀ if B's columns are independent. If they are not, directions of the
null space are free: an orthogonal transformation of the stragglers parts them from the others, for
which H_TT is positive definite.

Patterns are sorted by their number of stragglers, and those with equally many handled together.
Elimination without roots (LDLᵀ) and Householder's reflections (1958): see `straggler_costs`.
"""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.decode.straggler_costs import (
    DECIDED,
    LANES,
    Cost,
    Dependences,
    Found,
    Sorted,
    free,
    independent,
    reflected,
)
from fastgc_kernels.decode.straggler_lists import sort
from fastgc_kernels.draw.bits import trailing_zeros


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
    packed: Words,
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: Bytes,
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern, ``doubtful`` with its standing.

    H and x are as ``normalise`` leaves them if B's columns are independent, else as above. N
    (nullity, n) is an orthonormal basis of B's null space, P = NᵀN. The error of a pattern that is
    ``UNDECIDED`` is not to be used.
    """
    count, words = packed.shape
    n = x.size
    nullity = N.shape[0]
    start = np.zeros(n + 3, np.int64)
    patterns = Sorted(np.empty((words, count), np.uint64), np.empty(count, np.int32))
    sort(packed, n, patterns.absent, start, patterns.order)
    terms = Cost(H, x, e0, k)
    null = Dependences(N, P)
    found = Found(out, doubtful)
    # room for the largest number of stragglers that there is, all n of them aside
    most = n - 1
    while most > 1 and start[most] == start[most + 1]:
        most -= 1
    index = np.empty((n, LANES), np.uint64)
    store_M = np.empty(most * (most + 1) * LANES)
    store_A = np.empty(most * min(most, nullity) * LANES)
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
            A = store_A[: s * min(s, nullity) * LANES].reshape(min(s, nullity), s, LANES)
            if nullity == 0:
                independent(patterns, first, last, s, terms, M, index, found)
            elif s <= nullity:
                free(patterns, first, last, s, null.P, e0, A, index, found)
            else:
                reflected(patterns, first, last, s, terms, null.N, M, A, index, found)


@jit
def _take_singles(patterns: Sorted, first: int, last: int, single: Floats, out: Floats) -> None:
    """Patterns with one straggler: its error from the list."""
    for i in range(first, last):
        w = 0
        while patterns.absent[w, i] == np.uint64(0):
            w += 1
        straggler = 64 * w + np.int64(trailing_zeros(patterns.absent[w, i]))
        out[patterns.order[i]] = single[straggler]
