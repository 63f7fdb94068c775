"""Singular value decomposition by one-sided Jacobi rotations, with the same bits everywhere.

LAPACK's differs between builds; tables that decide results must not. A column-pivoted QR comes
first and the rotations work on the rows of R, which are graded already, so that few sweeps
are needed and small singular values keep their relative accuracy (Drmač and Veselić, SIAM J.
Matrix Anal. Appl. 29, 2008, Algorithm 4.1 without its second QR). Four rows stay in the cache while
all others come by, which changes no bit and halves the time for 1000 rows.

Decoding vectors, the shortest minimisers of ‖B[:, survivors] x − 1‖, by pivoted QR and, where
columns depend on each other, a second QR of R (Golub and Van Loan, Matrix Computations, 5.5).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels._vectors import store
from fastgc_kernels.decode.orthogonal import (
    FOUR,
    dot,
    dots,
    factor,
    factor_survivors,
    reflect,
    room_for_factors,
)

_EPSILON = 2.0**-52
_MOST_SWEEPS = 60


@jit
def orthogonalise(rows: Floats, y: Floats) -> None:
    """Rotate pairs of rows in place until all are orthogonal; y is rotated with them."""
    count, size = rows.shape
    enough = _EPSILON * np.sqrt(float(size))
    norms = np.empty(count)
    along = np.empty(FOUR)
    for _ in range(_MOST_SWEEPS):
        # a sweep goes through all pairs; squared lengths are anew at first, then kept up to date
        for i in range(count):
            norms[i] = dot(rows[i], rows[i], 0)
        rotated = False
        # pairs of four rows with all after them; rotations of disjoint pairs may change places
        for first in range(0, count - 1, FOUR):
            for j in range(first + 1, count):
                b = rows[j]
                last = min(first + FOUR, j)
                i = first
                while i < last:
                    p0, p1 = i * size, min(i + 1, last - 1) * size
                    p2, p3 = min(i + 2, last - 1) * size, min(i + 3, last - 1) * size
                    store(along, 0, dots(rows, j * size, rows, (p0, p1, p2, p3), 0, size))
                    # products hold until ``b`` is rotated
                    stop = min(last, i + FOUR)
                    start = i
                    inner = along[0]
                    while not abs(inner) > enough * np.sqrt(norms[i]) * np.sqrt(norms[j]):
                        i += 1
                        if i == stop:
                            break
                        inner = along[i - start]
                    if i == stop:
                        continue
                    # the smaller of the two rotations that make the pair orthogonal
                    a = rows[i]
                    rotated = True
                    ratio = (norms[j] - norms[i]) / (2.0 * inner)
                    tangent = 1.0 / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
                    if ratio < 0.0:
                        tangent = -tangent
                    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                    sine = cosine * tangent
                    # Rutishauser's form: as corrections, so that lengths do not drift.
                    half = sine / (1.0 + cosine)
                    for t in range(size):
                        one = a[t]
                        other = b[t]
                        a[t] = one - sine * (other + half * one)
                        b[t] = other + sine * (one - half * other)
                    one = y[i]
                    other = y[j]
                    y[i] = one - sine * (other + half * one)
                    y[j] = other + sine * (one - half * other)
                    # exact for an exact rotation; where rounding leaves no length, it is taken anew
                    norms[i] -= tangent * inner
                    norms[j] += tangent * inner
                    if norms[i] <= 0.0 or norms[j] <= 0.0:
                        norms[i] = dot(a, a, 0)
                        norms[j] = dot(b, b, 0)
                    i += 1
        if not rotated:
            return


@jit
def complete(rows: Floats, count: int) -> None:
    """Fill ``rows[count:]`` so that all rows are orthonormal, given that the first ``count`` are.

    The rows filled are the last columns of the Q of a Householder QR.
    """
    n = rows.shape[1]
    reflectors = rows[:count].copy()
    betas = np.empty(count)
    # the QR of the rows that are given
    for step in range(count):
        v = reflectors[step]
        length = np.sqrt(dot(v, v, step))
        diagonal = -length if v[step] >= 0.0 else length
        v[step] -= diagonal
        betas[step] = -1.0 / (diagonal * v[step])
        for j in range(step + 1, count):
            reflect(v, step, betas[step], reflectors[j])
    # unit vectors, each taken through all reflections from the last to the first
    for j in range(count, n):
        for i in range(n):
            rows[j, i] = 0.0
        rows[j, j] = 1.0
        for back in range(count):
            step = count - 1 - back
            reflect(reflectors[step], step, betas[step], rows[j])


@jit
def svd(B: Floats, y: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Decompose B = U diag(S) V into singular values and vectors, with y in the left ones.

    Returns S (r,) descending, V (n, n) whose first r rows are the right singular vectors and whose
    others span the null space, Uᵀy (r,), and the squared length of what U leaves of y.
    r is the rank of the pivoted QR at machine precision; later singular values may be rounding.
    """
    k, n = B.shape
    columns = np.empty((n, k))
    for i in range(k):
        for j in range(n):
            columns[j, i] = B[i, j]
    # B = QR with columns in order of length; Qᵀy, of which what is beyond the rank is left by U
    coefficients = y.copy()
    order = np.empty(n, np.int64)
    norms = np.empty(n)
    rank = factor(columns, coefficients, order, norms, _EPSILON)
    remainder = dot(coefficients, coefficients, rank)
    # R with columns in B's order; its rows, rotated, become multiples of the right vectors
    R = np.zeros((rank, n))
    for j in range(n):
        for i in range(min(j, rank)):
            R[i, order[j]] = columns[j, i]
        if j < rank:
            R[j, order[j]] = norms[j]
    coefficients = coefficients[:rank].copy()
    orthogonalise(R, coefficients)
    # their lengths are the singular values; a stable sort, so that equal ones have one order
    for i in range(rank):
        norms[i] = np.sqrt(dot(R[i], R[i], 0))
    descending = _descending(norms, rank)
    S = np.empty(rank)
    V = np.empty((n, n))
    c = np.empty(rank)
    for i in range(rank):
        source = descending[i]
        S[i] = norms[source]
        c[i] = coefficients[source]
        for j in range(n):
            V[i, j] = R[source, j] / S[i]
    complete(V, rank)
    return S, V, c, remainder


@jit
def _descending(norms: Floats, rank: int) -> Integers:
    # by insertion: the norms come nearly sorted, and numpy's sort takes seconds to compile
    places = np.empty(rank, np.int64)
    for i in range(rank):
        j = i
        while j > 0 and norms[places[j - 1]] < norms[i]:
            places[j] = places[j - 1]
            j -= 1
        places[j] = i
    return places


@jit
def shortest(rows: Floats, y: Floats) -> Floats:
    """Shortest x with rows·x = y, for independent rows.

    Accurate also where the columns of ``rows`` differ by many orders of magnitude, if they are
    sorted by falling size (Cox and Higham, Numerical Analysis 1998, on Householder QR with column
    pivoting and sorted rows).
    """
    count, n = rows.shape
    columns = rows.copy()
    order = np.empty(count, np.int64)
    diagonal = np.empty(count)
    x = np.zeros(n)
    rank = factor(columns, x, order, diagonal, 0.0)
    # rowsᵀ = QR up to order: solve Rᵀz = y forwards, then x = Qz
    for i in range(rank):
        x[i] = (y[order[i]] - dot(columns[i, :i], x[:i], 0)) / diagonal[i]
    for back in range(rank):
        i = rank - 1 - back
        reflect(columns[i], i, -1.0 / (diagonal[i] * columns[i, i]), x)
    return x


@jit
def gram(rows: Floats) -> Floats:
    """Multiply out rowsᵀ·rows, summing in the rows' order."""
    count, n = rows.shape
    product = np.zeros((n, n))
    for i in range(count):
        for a in range(n):
            factor_a = rows[i, a]
            for b in range(a, n):
                product[a, b] += factor_a * rows[i, b]
    for a in range(n):
        for b in range(a):
            product[a, b] = product[b, a]
    return product


@jit
def combine(weights: Floats, rows: Floats) -> Floats:
    """Multiply out weights·rows, summing in the rows' order."""
    total = np.zeros(rows.shape[1])
    for i in range(weights.size):
        for j in range(total.size):
            total[j] += weights[i] * rows[i, j]
    return total


@jit
def decoding_vectors(packed: Words, columns: Floats, out: Floats) -> None:
    """Fill ``out`` (T, n) with one weight a worker, 0 for stragglers.

    ``columns`` (n, k) are B's columns. By pivoted QR, and where the surviving columns depend on
    each other by a second QR of the rows that are left.
    """
    n, k = columns.shape
    work, y, workers, order, norms = room_for_factors(n, k)
    for t in range(packed.shape[0]):
        for j in range(n):
            out[t, j] = 0.0
        survivors, rank = factor_survivors(packed[t], columns, work, y, workers, order, norms)
        if rank == survivors:
            for back in range(rank):
                i = rank - 1 - back
                value = y[i]
                for j in range(i + 1, rank):
                    value -= work[j, i] * out[t, workers[order[j]]]
                out[t, workers[order[i]]] = value / norms[i]
            continue
        rows = np.zeros((rank, survivors))
        for j in range(survivors):
            for i in range(min(j, rank)):
                rows[i, j] = work[j, i]
            if j < rank:
                rows[j, j] = norms[j]
        x = shortest(rows, y[:rank])
        for j in range(survivors):
            out[t, workers[order[j]]] = x[j]
