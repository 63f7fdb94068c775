"""Optimal errors of all patterns with few stragglers, by elimination along the tree of patterns.

Worker j either answers or not at depth j. With M the inner products of the workers' columns and of
the vector of ones (last), eliminating the column of a worker that answers leaves in the last entry
what no answer so far explains: the error. Patterns share the steps of what they begin with
(Furnival and Wilson, Technometrics 16, 1974), so that one costs some ten multiplications.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit

#: A column is explained by others if less than this share of its square is left.
_NOTHING = 1e-10


@inline
def _eliminate(M: Floats, depth: int, limit: float) -> None:
    """Fill M[depth + 1] with what is left of M[depth] when worker ``depth`` answers."""
    old, new = M[depth], M[depth + 1]
    size = old.shape[0]
    pivot = old[depth, depth]
    if pivot <= limit:
        _keep(M, depth)
        return
    for i in range(depth + 1, size):
        share = old[depth, i] / pivot
        for j in range(i, size):
            new[i, j] = old[i, j] - share * old[depth, j]


@inline
def _keep(M: Floats, depth: int) -> None:
    """Fill M[depth + 1] with what is left of M[depth] when worker ``depth`` straggles."""
    old, new = M[depth], M[depth + 1]
    size = old.shape[0]
    for i in range(depth + 1, size):
        for j in range(i, size):
            new[i, j] = old[i, j]


@inline
def _tally(
    error: float, lost: int, exact: float, sums: Floats, worst: Floats, counts: Integers
) -> None:
    """Add the error of a pattern with ``lost`` stragglers."""
    error = max(error, 0.0)
    sums[lost] += error
    worst[lost] = max(worst[lost], error)
    counts[lost] += np.int64(error <= exact)


@jit
def spectrum(
    gram: Floats, most: int, exact: float, sums: Floats, worst: Floats, counts: Integers
) -> None:
    """Add up the errors of all patterns with up to ``most`` stragglers, by their number.

    ``gram`` (n + 1, n + 1): inner products of the workers' columns and, last, the vector of ones;
    ``exact``: the largest error that counts as exact. For s stragglers ``sums`` (n + 1,) gets the
    sum of errors, ``worst`` (n + 1,) the largest and ``counts`` (n + 1,) how many are exact.
    """
    n = gram.shape[0] - 1
    M = np.empty((n + 1, n + 1, n + 1))
    M[0] = gram
    limits = np.empty(n)
    for j in range(n):
        limits[j] = _NOTHING * gram[j, j]
    stage = np.zeros(n + 1, np.int64)  # at each depth: 0 answers, 1 straggles, 2 done
    lost = np.zeros(n + 1, np.int64)
    depth = 0
    while depth >= 0:
        if depth == n - 1:  # the last worker
            last = M[depth]
            pivot = last[depth, depth]
            error = last[n, n]
            if lost[depth] < most:
                _tally(error, lost[depth] + 1, exact, sums, worst, counts)
            if pivot > limits[depth]:
                error -= last[depth, n] * last[depth, n] / pivot
            _tally(error, lost[depth], exact, sums, worst, counts)
            depth -= 1
            continue
        if stage[depth] == 0:
            stage[depth] = 1
            _eliminate(M, depth, limits[depth])
            lost[depth + 1] = lost[depth]
        elif stage[depth] == 1 and lost[depth] < most:
            stage[depth] = 2
            _keep(M, depth)
            lost[depth + 1] = lost[depth] + 1
        else:
            depth -= 1
            continue
        depth += 1
        stage[depth] = 0


@jit
def slopes(columns: Floats, vectors: Floats, weights: Floats, power: int, out: Floats) -> None:
    """Fill ``out`` (n, k) with the derivative of weighted powers of errors by each entry of B.

    ``columns`` (n, k) are B's; ``vectors`` (T, n) minimise ‖Bx − 1‖ over survivors, so that only
    the derivative at fixed x counts: 2 (Bx − 1)_i x_j. It is that of Σ weight · error^power.
    """
    n, k = columns.shape
    rest = np.empty(k)
    out[:] = 0.0
    for t in range(vectors.shape[0]):
        for i in range(k):
            rest[i] = -1.0
        for j in range(n):
            x = vectors[t, j]
            if x != 0.0:
                for i in range(k):
                    rest[i] += x * columns[j, i]
        error = 0.0
        for i in range(k):
            error += rest[i] * rest[i]
        factor = 2.0 * power * weights[t]
        for _ in range(power - 1):
            factor *= error
        for j in range(n):
            x = factor * vectors[t, j]
            if x != 0.0:
                for i in range(k):
                    out[j, i] += x * rest[i]
