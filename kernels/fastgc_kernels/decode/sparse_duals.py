"""Decoding errors from a dense table of a sparse code, one pattern at a time.

With K = (BᵀB + NNᵀ)⁻¹, N an orthonormal basis of B's null space, x = B⁺1 and stragglers T, forcing
x to vanish on T costs min over w of ‖x_T + N_T w‖² in the norm of K_TT⁻¹: along N nothing costs.
Without a null space this is xᵀ_T K_TT⁻¹ x_T. Adding NNᵀ makes BᵀB regular and keeps what is sought
(Golub and Greif, SIAM J. Sci. Comput. 24, 2003); systems are solved by elimination.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ONE, Bytes, Floats, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.decode.sparse_elimination import eliminate
from fastgc_kernels.draw.bits import popcount, trailing_zeros

DECIDED = np.uint8(0)
UNDECIDED = np.uint8(1)

# What must be left of a diagonal entry of 1 lest too many digits cancel; see `straggler_costs`.
_CLEAR_PART = 1e-4
_LEAST_PART = 1e-6
# Squared lengths of directions of the null space as stragglers see them: rounding, and clear.
_ZERO = 1e-20
_CLEAR = 1e-14


@jit
def _stragglers(pattern: Words, n: int, index: NDArray[np.uint32]) -> int:
    """List the stragglers of a packed pattern; return their number."""
    s = 0
    for w in range(pattern.size):
        workers = min(64, n - 64 * w)
        bits = pattern[w] ^ (~np.uint64(0) >> np.uint64(64 - workers))
        while bits != np.uint64(0):
            index[s] = np.uint64(64 * w) + trailing_zeros(bits)
            bits &= bits - ONE
            s += 1
    return s


@jit
def count_stragglers(packed: Words, n: int, out: Integers) -> None:
    """Fill ``out`` with the number of stragglers of each packed pattern."""
    for t in range(packed.shape[0]):
        survivors = np.uint64(0)
        for w in range(packed.shape[1]):
            survivors += popcount(packed[t, w])
        out[t] = n - np.int64(survivors)


@jit
def _least_cost(M: Floats, s: int, nullity: int, inverse: Floats) -> float:
    """What is left of column s after the later ones are projected out; −1 if that is undecided.

    Inner products weight row a by ``inverse[a]``.
    """
    for step in range(nullity + 1):
        # the longest column that is left
        longest, pivot = -1.0, s + 1
        for c in range(s + 1 + step, s + 1 + nullity):
            length = 0.0
            for a in range(s):
                length += M[a, c] * M[a, c] * inverse[a]
            if length > longest:
                longest, pivot = length, c
        if not longest > _ZERO:
            break
        if longest < _CLEAR:
            return -1.0
        place = s + 1 + step
        for a in range(s):
            M[a, place], M[a, pivot] = M[a, pivot], M[a, place]
        for c in range(s, s + 1 + nullity):
            if s < c <= place:
                continue
            along = 0.0
            for a in range(s):
                along += M[a, place] * M[a, c] * inverse[a]
            along /= longest
            for a in range(s):
                M[a, c] -= along * M[a, place]
    cost = 0.0
    for a in range(s):
        cost += M[a, s] * M[a, s] * inverse[a]
    return cost


@jit
def errors(
    packed: Words,
    K: Floats,
    N: Floats,
    x: Floats,
    e0: float,
    k: float,
    most: int,
    out: Floats,
    standing: Bytes,
) -> None:
    """Fill ``out`` with the errors of patterns, ``standing`` with whether they are decided.

    K (n, n) has a unit diagonal, and N (n, nullity) and x (n,) are scaled alike. Patterns with
    more than ``most`` stragglers are left undecided.
    """
    n, nullity = N.shape
    index = np.empty(n, np.uint32)
    room = np.empty(most * (most + 1 + nullity))
    inverse = np.empty(most)
    for t in range(packed.shape[0]):
        s = _stragglers(packed[t], n, index)
        standing[t] = UNDECIDED
        if s == n:
            out[t] = k
            standing[t] = DECIDED
            continue
        if s > most:
            continue
        M = room[: s * (s + 1 + nullity)].reshape(s, s + 1 + nullity)
        for a in range(s):
            i, own = index[a], np.uint64(a)
            for c in range(own, np.uint64(s)):
                M[own, c] = K[i, index[c]]
            M[a, s] = x[i]
            for c in range(nullity):
                M[a, s + 1 + c] = N[i, c]
        eliminate(M, s, 0.0, inverse)
        part = 1.0
        for a in range(s):
            # "not" so that what is no number is undecided too
            if not M[a, a] >= part:
                part = M[a, a]
        cost = _least_cost(M, s, nullity, inverse)
        out[t] = min(e0 + cost, k)
        clear = part > _LEAST_PART and part * part * k > _CLEAR_PART * _CLEAR_PART * cost
        if clear and cost >= 0.0:
            standing[t] = DECIDED
