"""Fallbacks for singular values and decoding vectors, by pivoted QR and rotations, row by row."""

import math
from typing import Any

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Words
from fastgc_kernels.decode.jacobi import _EPSILON, _MOST_SWEEPS
from fastgc_kernels.fallbacks.patterns import workers_of
from fastgc_kernels.fallbacks.sums import in_order

MOST = 40  # rows: pairs of them are rotated one by one
MOST_ENTRIES = 1 << 22


def dots(a: Floats, b: Floats, start: int) -> Floats:
    """Inner products along the last axis in the kernel's eight partial sums."""
    terms = np.moveaxis(a[..., start:] * b[..., start:], -1, 0)
    runs = terms.shape[0] // 8
    parts = in_order(terms[: 8 * runs].reshape(runs, 8, *terms.shape[1:]))
    s0 = in_order(np.concatenate([parts[:1], terms[8 * runs :]]))
    _, s1, s2, s3, s4, s5, s6, s7 = parts
    found: Floats = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    return found


def _reflect(v: Floats, start: int, beta: Any, x: Floats) -> None:
    """Apply reflections along the last axis, in place."""
    weight = beta * dots(v, x, start)
    x[..., start:] -= weight[..., None] * v[..., start:]


def factor(columns: Floats, y: Floats, order: Integers, norms: Floats, cut: float) -> Any:
    """One matrix, as many."""
    count, size = columns.shape
    if count * count * size > MOST_ENTRIES:
        return NotImplemented
    order, norms = order[:count], norms[:count]  # there may be room for more columns
    return int(_factor_each(columns[None], y[None], order[None], norms[None], cut)[0])


def _factor_each(
    columns: Floats, y: Floats, order: Integers, norms: Floats, cut: float
) -> Integers:
    """Factor matrices (P, r, k) in place, all columns that are left side by side; their ranks."""
    patterns, count, size = columns.shape
    each = np.arange(patterns)
    order[:] = np.arange(count)
    norms[:] = dots(columns, columns, 0)
    rank = np.full(patterns, min(count, size))
    limit = np.zeros(patterns)
    for step in range(min(count, size)):
        pivot = step + np.argmax(norms[each, step:], axis=1)
        length = np.sqrt(norms[each, pivot])
        done = length <= limit[each]
        rank[each[done]] = step
        each, pivot, length = each[~done], pivot[~done], length[~done]
        if not each.size:
            break
        if step == 0:
            limit[each] = cut * length
        v = columns[each, pivot]
        columns[each, pivot] = columns[each, step]
        order[each, pivot], order[each, step] = order[each, step], order[each, pivot]
        norms[each, pivot] = norms[each, step]
        diagonal = np.where(v[:, step] >= 0.0, -length, length)
        v[:, step] -= diagonal
        columns[each, step] = v
        beta = -1.0 / (diagonal * v[:, step])
        rest = np.concatenate([y[each, None], columns[each, step + 1 :]], axis=1)
        _reflect(v[:, None], step, beta[:, None], rest)
        y[each], columns[each, step + 1 :] = rest[:, 0], rest[:, 1:]
        norms[each, step + 1 :] = dots(rest[:, 1:], rest[:, 1:], step + 1)
        norms[each, step] = diagonal
    return rank


def ranks(packed: Words, columns: Floats, out: Floats) -> object:
    """Sets of equally many columns side by side."""
    n, k = columns.shape
    if len(packed) * n * n * k > MOST_ENTRIES << 5:
        return NotImplemented
    alive = workers_of(packed, n)
    number = alive.sum(axis=1)
    out[:] = 0.0, 1.0, 0.0
    for count in np.unique(number[number > 0]).tolist():
        own = np.flatnonzero(number == count)
        work = columns[np.nonzero(alive[own])[1].reshape(own.size, count)]
        order, norms = np.empty((own.size, count), np.int64), np.empty((own.size, count))
        cut = 2.0 * _EPSILON * (max(count, k) + 8)
        found = _factor_each(work, np.zeros((own.size, k)), order, norms, cut)
        for t, rank, length in zip(own, found, norms, strict=True):
            if rank > 0:
                left = np.sqrt(length[rank:].max()) if rank < min(count, k) else 0.0
                out[t] = rank, abs(length[rank - 1]) / abs(length[0]), left / abs(length[0])
    return None


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


def _complete(rows: Floats, count: int) -> None:
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
        _reflect(v, step, betas[step], reflectors[step + 1 :])
    rows[count:] = np.eye(n)[count:]
    for step in range(count - 1, -1, -1):
        _reflect(reflectors[step], step, betas[step], rows[count:])


def svd(B: Floats, y: Floats) -> object:
    """The kernel's steps."""
    k, n = B.shape
    if min(k, n) > MOST or k * n * n > MOST_ENTRIES:
        return NotImplemented
    columns = B.T.copy()
    coefficients = y.astype(np.float64)
    order, norms = np.empty(n, np.int64), np.empty(n)
    rank = factor(columns, coefficients, order, norms, _EPSILON)
    remainder = float(dots(coefficients, coefficients, rank))
    R = np.zeros((rank, n))
    for j in range(n):
        above = min(j, rank)
        R[:above, order[j]] = columns[j, :above]
        if j < rank:
            R[j, order[j]] = norms[j]
    coefficients = coefficients[:rank].copy()
    orthogonalise(R, coefficients)
    lengths = np.sqrt(dots(R, R, 0))
    descending = np.argsort(-lengths, kind="stable")
    S = lengths[descending]
    V = np.empty((n, n))
    V[:rank] = R[descending] / S[:, None]
    _complete(V, rank)
    return S, V, coefficients[descending], remainder


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
