"""Stand-ins for the pivoted QR of survivors' columns, of many patterns at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.orthogonal import _EPSILON, _product, _sum
from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.tally.sums import in_order

MOST = 1 << 26

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def dots(a: Floats, b: Floats, start: int) -> Floats:
    """Inner products along the last axis in the kernel's eight partial sums."""
    terms = np.moveaxis(a[..., start:] * b[..., start:], -1, 0)
    runs = terms.shape[0] // 8
    parts = in_order(terms[: 8 * runs].reshape(runs, 8, *terms.shape[1:]))
    s0 = in_order(np.concatenate([parts[:1], terms[8 * runs :]]))
    _, s1, s2, s3, s4, s5, s6, s7 = parts
    found: Floats = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    return found


def reflect_each(v: Floats, start: int, beta: Floats, x: Floats) -> None:
    """Apply reflections along the last axis, in place."""
    weight = beta * dots(v, x, start)
    x[..., start:] -= weight[..., None] * v[..., start:]


def factor_each(columns: Floats, y: Floats, order: Integers, norms: Floats, cut: float) -> Integers:
    """Factor matrices (P, r, k) in place, each until its rank is reached; ``y`` is (P, k).

    Returns the ranks (P,).
    """
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
        if done.all():
            break
        each, pivot, length = each[~done], pivot[~done], length[~done]
        if step == 0:
            limit[each] = cut * length
        held = columns[each, pivot].copy()
        columns[each, pivot] = columns[each, step]
        whose = order[each, pivot].copy()
        order[each, pivot] = order[each, step]
        order[each, step] = whose
        norms[each, pivot] = norms[each, step]
        diagonal = np.where(held[:, step] >= 0.0, -length, length)
        held[:, step] -= diagonal
        columns[each, step] = held
        beta = -1.0 / (diagonal * held[:, step])
        turned = y[each]
        reflect_each(held, step, beta, turned)
        y[each] = turned
        rest = columns[each, step + 1 :]
        reflect_each(held[:, None], step, beta[:, None], rest)
        columns[each, step + 1 :] = rest
        norms[each, step + 1 :] = dots(rest, rest, step + 1)
        norms[each, step] = diagonal
    return rank


def _distance(columns: Floats, chosen: Integers, x: Floats) -> Floats:
    """Squared length of 1 − Σ x_j columns[chosen[j]] for each pattern, in doubled precision."""
    high = np.ones((chosen.shape[0], columns.shape[1]))
    low = np.zeros_like(high)
    for j in range(chosen.shape[1]):
        product, rest = _product(-x[:, j, None], columns[chosen[:, j]])
        high, lost = _sum(high, product)
        low += lost + rest
    left = high + low
    found: Floats = in_order((left * left).T)
    return found


def errors(packed: NDArray[np.uint64], columns: Floats, out: Floats) -> object:
    """Patterns with equally many survivors and the same rank side by side."""
    n, k = columns.shape
    patterns = packed.shape[0]
    if patterns * n * n * k > MOST:
        return NotImplemented
    alive = workers_of(packed, n)
    number = alive.sum(axis=1)
    for survivors in np.unique(number):
        own = np.flatnonzero(number == survivors)
        workers = np.nonzero(alive[own])[1].reshape(own.size, survivors)
        work = columns[workers]
        y = np.ones((own.size, k))
        order = np.empty((own.size, survivors), np.int64)
        norms = np.empty((own.size, survivors))
        cut = 2.0 * _EPSILON * (max(k, survivors) + 8)
        ranks = factor_each(work, y, order, norms, cut)
        for rank in np.unique(ranks):
            some = np.flatnonzero(ranks == rank)
            x = _solved(work[some], y[some], norms[some], int(rank))
            chosen = np.take_along_axis(workers[some], order[some, :rank], axis=1)
            out[own[some]] = np.minimum(_distance(columns, chosen, x), float(k))
    return None


def _solved(work: Floats, y: Floats, norms: Floats, rank: int) -> Floats:
    """Back substitution in R, whose column i is work[:, i, :i] and norms[:, i]."""
    x = y[:, :rank].copy()
    for i in range(rank - 1, -1, -1):
        for j in range(i + 1, rank):
            x[:, i] -= work[:, j, i] * x[:, j]
        x[:, i] /= norms[:, i]
    return x
