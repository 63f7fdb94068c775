"""Stand-ins for the singular value decomposition, row by row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.jacobi import _EPSILON, _MOST_SWEEPS
from fastgc_kernels.stand_ins.decode.orthogonal import dots, factor_each, reflect_each
from fastgc_kernels.stand_ins.tally.sums import in_order

MOST = 40  # rows: pairs of them are rotated one by one
MOST_ENTRIES = 1 << 22

Floats = NDArray[np.float64]


def orthogonalise(rows: Floats, y: Floats) -> object:
    """Rotate pairs of rows one after the other, each as a whole."""
    count, size = rows.shape
    if count > MOST:
        return NotImplemented
    enough = _EPSILON * math.sqrt(float(size))
    for _ in range(_MOST_SWEEPS):
        norms = dots(rows, rows, 0).tolist()
        rotated = False
        for i in range(count - 1):
            j = i
            while j + 1 < count:
                # rows that need no rotation with this one are passed by together
                inners = dots(rows[i], rows[j + 1 :], 0)
                roots = np.sqrt(norms[j + 1 :])
                needed = np.flatnonzero(np.abs(inners) > enough * math.sqrt(norms[i]) * roots)
                if not needed.size:
                    break
                inner = float(inners[needed[0]])
                j += 1 + int(needed[0])
                rotated = True
                tangent = _rotate(rows, y, i, j, inner, norms)
                norms[i] -= tangent * inner
                norms[j] += tangent * inner
                if norms[i] <= 0.0 or norms[j] <= 0.0:
                    norms[i] = float(dots(rows[i], rows[i], 0))
                    norms[j] = float(dots(rows[j], rows[j], 0))
        if not rotated:
            break
    return None


def _rotate(rows: Floats, y: Floats, i: int, j: int, inner: float, norms: list[float]) -> float:
    """Make two rows orthogonal, and return the tangent of the rotation."""
    ratio = (norms[j] - norms[i]) / (2.0 * inner)
    tangent = 1.0 / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
    if ratio < 0.0:
        tangent = -tangent
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    half = sine / (1.0 + cosine)
    for table in (rows, y):
        first, second = table[i].copy(), table[j].copy()
        table[i] = first - sine * (second + half * first)
        table[j] = second + sine * (first - half * second)
    return tangent


def complete(rows: Floats, count: int) -> None:
    """All unit vectors through a reflection at a time."""
    n = rows.shape[1]
    reflectors = rows[:count].copy()
    betas = np.empty(count)
    for step in range(count):
        v = reflectors[step]
        length = np.sqrt(dots(v, v, step))
        diagonal = -length if v[step] >= 0.0 else length
        v[step] -= diagonal
        betas[step] = -1.0 / (diagonal * v[step])
        reflect_each(v, step, betas[step], reflectors[step + 1 :])
    rows[count:] = np.eye(n)[count:]
    for step in range(count - 1, -1, -1):
        reflect_each(reflectors[step], step, betas[step], rows[count:])


def svd(B: Floats, y: Floats) -> object:
    """The kernel's steps, each of which has a stand-in."""
    k, n = B.shape
    if min(k, n) > MOST or k * n * n > MOST_ENTRIES:
        return NotImplemented
    columns = np.ascontiguousarray(B.T)[None].copy()
    turned = y[None].astype(np.float64)
    order = np.empty((1, n), np.int64)
    norms = np.empty((1, n))
    rank = int(factor_each(columns, turned, order, norms, _EPSILON)[0])
    coefficients = turned[0]
    remainder = float(dots(coefficients, coefficients, rank))
    R = np.zeros((rank, n))
    for j in range(n):
        above = min(j, rank)
        R[:above, order[0, j]] = columns[0, j, :above]
        if j < rank:
            R[j, order[0, j]] = norms[0, j]
    coefficients = coefficients[:rank].copy()
    orthogonalise(R, coefficients)
    lengths = np.sqrt(dots(R, R, 0))
    descending = np.argsort(-lengths, kind="stable")
    S = lengths[descending]
    V = np.empty((n, n))
    V[:rank] = R[descending] / S[:, None]
    complete(V, rank)
    return S, V, coefficients[descending], remainder


def shortest(rows: Floats, y: Floats) -> object:
    """Shortest solution, by the same factors."""
    count, n = rows.shape
    if count * count * n > MOST_ENTRIES:
        return NotImplemented
    columns = rows.copy()[None]
    x = np.zeros(n)
    order = np.empty((1, count), np.int64)
    diagonal = np.empty((1, count))
    rank = int(factor_each(columns, np.zeros((1, n)), order, diagonal, 0.0)[0])
    own = columns[0]
    for i in range(rank):
        x[i] = (y[order[0, i]] - dots(own[i, :i], x[:i], 0)) / diagonal[0, i]
    for i in range(rank - 1, -1, -1):
        reflect_each(own[i], i, -1.0 / (diagonal[0, i] * own[i, i]), x)
    return x


def gram(rows: Floats) -> object:
    """Add one row's products after the other."""
    count, n = rows.shape
    if count * n * n > MOST_ENTRIES:
        return NotImplemented
    product = np.zeros((n, n))
    for row in rows:
        product += row[:, None] * row
    return product


def combine(weights: Floats, rows: Floats) -> object:
    """Add one row after the other."""
    return in_order(weights[:, None] * rows) if rows.size <= MOST_ENTRIES else NotImplemented
