"""Decoding errors from a dense table of a sparse code, one pattern at a time.

With K = (BᵀB + NNᵀ)⁻¹, N an orthonormal basis of B's null space, x = B⁺1 and stragglers T, forcing
x to vanish on T costs min over w of ‖x_T + N_T w‖² in the norm of K_TT⁻¹: along N nothing costs.
Without a null space this is xᵀ_T K_TT⁻¹ x_T. Adding NNᵀ makes BᵀB regular and keeps what is sought
(Golub and Greif, SIAM J. Sci. Comput. 24, 2003).

Elimination takes eight pivots at a time (right-looking, in blocks: Golub and Van Loan, Matrix
Computations, section 4.2): a row is read and written once for them, so that arithmetic and not
memory bounds the speed. Loops that start within a row count from 0 without a sign: others never
become vectors, for their index might be negative.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ONE, Bytes, Floats, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.orthogonal import dot
from fastgc_kernels.draw.bits import trailing_zeros

PIVOTS = 8
DECIDED = np.uint8(0)
UNDECIDED = np.uint8(1)

# What must be left of a diagonal entry of 1 lest too many digits cancel; see `straggler_costs`.
_CLEAR_PART = 1e-4
_LEAST_PART = 1e-6
# Squared lengths of directions of the null space as stragglers see them: rounding, and clear.
_ZERO = 1e-20
_CLEAR = 1e-14


@inline
def _copy(M: Floats, a: int, first: int, width: int, rows: Floats) -> None:
    # what is read apart from what is written becomes vectors
    start = np.uint64(first)
    for b in range(PIVOTS):
        i = np.uint64(a + b)
        for t in range(np.uint64(width - first)):
            rows[b, start + t] = M[i, start + t]


@inline
def _subtract(M: Floats, c: int, rows: Floats, f: Floats, first: int, width: int) -> None:
    # multiples f (8,) of eight rows, from row c of M, in one fixed order of sums
    i, start = np.uint64(c), np.uint64(first)
    f0, f1, f2, f3, f4, f5, f6, f7 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
    for t in range(np.uint64(width - first)):
        j = start + t
        low = (f0 * rows[0, j] + f1 * rows[1, j]) + (f2 * rows[2, j] + f3 * rows[3, j])
        high = (f4 * rows[4, j] + f5 * rows[5, j]) + (f6 * rows[6, j] + f7 * rows[7, j])
        M[i, j] -= low + high


@inline
def _subtract_one(M: Floats, c: int, b: int, multiple: float, first: int, width: int) -> None:
    i, other, start = np.uint64(c), np.uint64(b), np.uint64(first)
    for t in range(np.uint64(width - first)):
        M[i, start + t] -= multiple * M[other, start + t]


@jit
def eliminate(M: Floats, size: int, least: float, inverse: Floats) -> None:
    """Eliminate the first ``size`` columns of M (≥ size, width), of which the upper part is read.

    Afterwards ``M[a, a:]`` is pivot a times row a of a unit upper triangle, and ``inverse[a]`` one
    over that pivot. A pivot of at most ``least`` is dropped: its inverse is 0.
    """
    width = M.shape[1]
    f = np.empty(PIVOTS)
    rows = np.empty((PIVOTS, width))
    for a in range(0, size, PIVOTS):
        after = min(a + PIVOTS, size)
        # the pivots among themselves
        for i in range(a, after):
            for b in range(a, i):
                _subtract_one(M, i, b, M[b, i] * inverse[b], i, width)
            inverse[i] = 1.0 / M[i, i] if M[i, i] > least else 0.0
        # then all of them from every row below; where fewer than eight are left, there is none
        if after < size:
            _copy(M, a, after, width, rows)
        for c in range(after, size):
            for b in range(PIVOTS):
                f[b] = M[a + b, c] * inverse[a + b]
            _subtract(M, c, rows, f, c, width)


@jit
def invert(G: Floats, least: float, inverse: Floats) -> Floats:
    """Invert a symmetric positive definite G (n, n); rows and columns of dropped pivots are 0.

    G is overwritten and ``inverse`` (n,) filled as by `eliminate`.
    """
    n = len(G)
    eliminate(G, n, least, inverse)
    f = np.empty(PIVOTS)
    rows = np.empty((PIVOTS, n))
    # W, whose product with the transposed unit upper triangle is 1, row by row as it is eliminated
    W = np.zeros((n, n))
    for c in range(n):
        W[c, c] = 1.0 if inverse[c] > 0.0 else 0.0
    for a in range(0, n, PIVOTS):
        after = min(a + PIVOTS, n)
        for i in range(a, after):
            for b in range(a, i):
                multiple = G[b, i] * inverse[b] if inverse[i] > 0.0 else 0.0
                _subtract_one(W, i, b, multiple, 0, b + 1)
        if after < n:
            _copy(W, a, 0, after, rows)
        for c in range(after, n):
            for b in range(PIVOTS):
                f[b] = G[a + b, c] * inverse[a + b] if inverse[c] > 0.0 else 0.0
            _subtract(W, c, rows, f, 0, after)
    # the inverse is Σ W[a]ᵀ W[a] / pivot a; the last rows come with some of zeros
    K = np.zeros((n, n))
    for a in range(0, n, PIVOTS):
        after = min(a + PIVOTS, n)
        rows[:] = 0.0
        for b in range(a, after):
            for j in range(after):
                rows[b - a, j] = W[b, j]
        for i in range(after):
            for b in range(PIVOTS):
                f[b] = -(rows[b, i] * inverse[a + b]) if a + b < after else 0.0
            _subtract(K, i, rows, f, i, after)
    for i in range(n):
        for j in range(i):
            K[i, j] = K[j, i]
    return K


@jit
def gram(starts: Integers, workers: NDArray[np.uint32], weights: Floats, n: int) -> Floats:
    """Multiply out BᵀB (n, n) of a sparse B by rows: partition i's holders and their weights.

    Where there are no weights, all are 1.
    """
    G = np.zeros((n, n))
    weighted = weights.size > 0
    for i in range(starts.size - 1):
        for a in range(starts[i], starts[i + 1]):
            for b in range(starts[i], starts[i + 1]):
                product = weights[a] * weights[b] if weighted else 1.0
                G[workers[a], workers[b]] += product
    return G


@jit
def orthonormalise(rows: Floats) -> None:
    """Make rows orthonormal in place, by Gram and Schmidt twice; they are to be independent."""
    for _ in range(2):
        for i in range(len(rows)):
            for b in range(i):
                along = dot(rows[b], rows[i], 0)
                for j in range(rows.shape[1]):
                    rows[i, j] -= along * rows[b, j]
            length = np.sqrt(dot(rows[i], rows[i], 0))
            for j in range(rows.shape[1]):
                rows[i, j] /= length


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
        s = 0
        for w in range(packed.shape[1]):
            workers = min(64, n - 64 * w)
            bits = packed[t, w] ^ (~np.uint64(0) >> np.uint64(64 - workers))
            while bits != np.uint64(0):
                index[s] = np.uint64(64 * w) + trailing_zeros(bits)
                bits &= bits - ONE
                s += 1
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
