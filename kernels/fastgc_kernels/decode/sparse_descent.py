"""Decoding errors of sparse codes by conjugate gradients, many patterns side by side.

Each pattern's least ‖A x − 1‖² is found by conjugate gradients on AᵀA x = Aᵀ1, A the surviving
columns of B, all in one sparse pass over B: a lane a pattern. Steps are taken in the precision of
the work arrays; residual, gradient and error are then taken anew in double precision, and what is
not at the minimum yet goes on from there.

In exact arithmetic each step takes α‖s‖² off the error, s the gradient. What the last steps took
off, and its ratio to what those before took off (the larger of two such ratios), estimate how much
is left. The iteration and its decrease of the error are those of Hestenes and Stiefel (1952).
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ONE, Bytes, Floats, Integers, Words
from fastgc_kernels._jit import inline, jit

#: Rows' numbers without a sign, so that no row is counted from the end.
Places = NDArray[np.uint32]
#: float32 or float64, (rows, lanes).
Work = NDArray[np.floating]

_WINDOW = 8  # steps between looks at what is left
_RATIO = 0.9  # of what two windows took off: above it nothing is predicted
_SHORT = 256  # addends of one sum in the precision of the work arrays


@inline
def _add_up(X, place, weights, first, last, T, i, lanes):
    """Sum some rows of X into row i of T, ten at a time; no weights: all are 1."""
    for v in range(lanes):
        T[i, v] = 0
    e = first
    if weights.size > 0:
        while e < last:
            a, weight = place[e], weights[e]
            for v in range(lanes):
                T[i, v] += weight * X[a, v]
            e += 1
        return
    while e + 10 <= last:
        a0, a1, a2, a3, a4 = place[e], place[e + 1], place[e + 2], place[e + 3], place[e + 4]
        b0, b1, b2, b3, b4 = place[e + 5], place[e + 6], place[e + 7], place[e + 8], place[e + 9]
        for v in range(lanes):
            low = (X[a0, v] + X[a1, v]) + (X[a2, v] + X[a3, v]) + X[a4, v]
            high = (X[b0, v] + X[b1, v]) + (X[b2, v] + X[b3, v]) + X[b4, v]
            T[i, v] += low + high
        e += 10
    while e + 3 <= last:
        a0, a1, a2 = place[e], place[e + 1], place[e + 2]
        for v in range(lanes):
            T[i, v] += (X[a0, v] + X[a1, v]) + X[a2, v]
        e += 3
    while e < last:
        a = place[e]
        for v in range(lanes):
            T[i, v] += X[a, v]
        e += 1


@inline
def _flush(short: Work, total: Floats, lanes: int) -> None:
    for v in range(lanes):
        total[v] += short[v]
        short[v] = 0


@jit
def alive_lanes(packed: Words, alive: Bytes) -> None:
    """Fill ``alive`` (n, lanes): 1 where the worker survives in the lane's pattern, else 0."""
    n, lanes = alive.shape
    for v in range(lanes):
        for j in range(n):
            alive[j, v] = (packed[v, j >> 6] >> np.uint64(j & 63)) & ONE


@jit
def equal_weights(R: Floats, squares: Floats, X: Floats) -> None:
    """Scale X so that what R (k, lanes) is a multiple of comes nearest to 1 in each lane.

    ``squares`` are the squared lengths of R's columns.
    """
    lanes = R.shape[1]
    scale = np.zeros(lanes)
    for i in range(R.shape[0]):
        for v in range(lanes):
            scale[v] += R[i, v]
    for v in range(lanes):
        scale[v] = scale[v] / squares[v] if squares[v] > 0.0 else 0.0
    for j in range(X.shape[0]):
        for v in range(lanes):
            X[j, v] *= scale[v]


@jit
def residuals(R: Floats, errors: Floats) -> None:
    """Turn R = A·X (k, lanes) into 1 − A·X, and fill ``errors`` with its squared lengths."""
    lanes = R.shape[1]
    for v in range(lanes):
        errors[v] = 0.0
    for i in range(R.shape[0]):
        for v in range(lanes):
            R[i, v] = 1.0 - R[i, v]
            errors[v] += R[i, v] * R[i, v]


@jit
def products(
    starts: Integers, workers: Places, weights: Work, X: Work, Q: Work, squares: Floats
) -> None:
    """Fill Q (k, lanes) with B·X, and ``squares`` (lanes,) with the squared lengths of it."""
    lanes = Q.shape[1]
    short = np.zeros(lanes, Q.dtype)
    squares[:] = 0.0
    for i in range(starts.size - 1):
        _add_up(X, workers, weights, starts[i], starts[i + 1], Q, i, lanes)
        for v in range(lanes):
            short[v] += Q[i, v] * Q[i, v]
        if i % _SHORT == _SHORT - 1:
            _flush(short, squares, lanes)
    _flush(short, squares, lanes)


@jit
def gradients(
    starts: Integers,
    partitions: Places,
    weights: Work,
    R: Work,
    alive: Bytes,
    S: Work,
    squares: Floats,
) -> None:
    """Fill S (n, lanes) with Bᵀ·R, 0 for stragglers, and ``squares`` with its squared lengths."""
    lanes = S.shape[1]
    short = np.zeros(lanes, S.dtype)
    squares[:] = 0.0
    for j in range(starts.size - 1):
        _add_up(R, partitions, weights, starts[j], starts[j + 1], S, j, lanes)
        for v in range(lanes):
            if alive[j, v] == 0:
                S[j, v] = 0
            short[v] += S[j, v] * S[j, v]
        if j % _SHORT == _SHORT - 1:
            _flush(short, squares, lanes)
    _flush(short, squares, lanes)


@jit
def descend(
    rows: tuple[Integers, Places, Work],
    columns: tuple[Integers, Places, Work],
    alive: Bytes,
    S: Work,
    X: Work,
    enough: float,
    most: int,
    squares: Floats,
    left: Floats,
) -> None:
    """Go from X = 0, where the gradient is S, until at most ``enough`` is left in each lane.

    ``squares`` (lanes,) are the gradients' squared lengths on entry and on return, ``left``
    (lanes,) what is left on return, infinite where ``most`` steps were not enough; a lane with
    ``left`` 0 on entry stands still. S and X are overwritten.
    """
    n, lanes = S.shape
    row_starts, workers, row_weights = rows
    column_starts, partitions, column_weights = columns
    k = row_starts.size - 1
    P = S.copy()
    Q = np.empty((k, lanes), S.dtype)
    along = np.empty(lanes, S.dtype)
    change = np.empty(lanes, S.dtype)
    update = np.empty((1, lanes), S.dtype)
    short = np.zeros(lanes, S.dtype)
    lengths = np.empty(lanes)
    fresh = np.empty(lanes)
    taken = np.zeros(lanes)
    before = np.zeros(lanes)
    ratios = np.ones(lanes)
    going = 0
    for v in range(lanes):
        going += left[v] > 0.0
    X[:] = 0
    step = 0
    while going > 0 and step < most:
        products(row_starts, workers, row_weights, P, Q, lengths)
        for v in range(lanes):
            moves = left[v] > 0.0 and lengths[v] > 0.0
            along[v] = squares[v] / lengths[v] if moves else 0.0
            taken[v] += along[v] * squares[v]
            fresh[v] = 0.0
        for j in range(n):
            first, last = column_starts[j], column_starts[j + 1]
            _add_up(Q, partitions, column_weights, first, last, update, 0, lanes)
            for v in range(lanes):
                if alive[j, v] != 0:
                    S[j, v] -= along[v] * update[0, v]
                short[v] += S[j, v] * S[j, v]
            if j % _SHORT == _SHORT - 1:
                _flush(short, fresh, lanes)
        _flush(short, fresh, lanes)
        for v in range(lanes):
            change[v] = fresh[v] / squares[v] if along[v] > 0.0 else 0.0
            squares[v] = fresh[v]
        for j in range(n):
            for v in range(lanes):
                X[j, v] += along[v] * P[j, v]
                P[j, v] = S[j, v] + change[v] * P[j, v]
        step += 1
        if step % _WINDOW > 0:
            continue
        going = 0
        for v in range(lanes):
            if left[v] > 0.0:
                estimate = np.inf
                ratio = taken[v] / before[v] if before[v] > 0.0 else 1.0
                slower = max(ratio, ratios[v])
                if taken[v] == 0.0:
                    estimate = 0.0
                elif slower < _RATIO:
                    estimate = taken[v] * slower / (1.0 - slower)
                ratios[v] = ratio
                before[v] = taken[v]
                taken[v] = 0.0
                if estimate <= enough:
                    left[v] = -estimate
                else:
                    going += 1
    for v in range(lanes):
        left[v] = np.inf if left[v] > 0.0 else -left[v]
