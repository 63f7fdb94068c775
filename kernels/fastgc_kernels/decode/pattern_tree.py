"""Optimal errors of all patterns, by elimination along the tree of patterns.

Worker j either answers or not at depth j. Patterns share the steps of what they begin with
(Furnival and Wilson, Technometrics 16, 1974), so that one costs some ten multiplications.

`errors` goes by stragglers, in the order of `straggler_costs.independent`, whose bits it gives. The
first workers' patterns are lanes of NumPy's loops: some four times as fast as pattern by pattern in
vectors, and nothing is compiled.

`spectrum` goes by survivors, for any rank. With M the inner products of the workers' columns and of
the vector of ones (last), eliminating the column of a worker that answers leaves in the last entry
what no answer so far explains: the error.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.straggler_costs import CLEAR, LEAST_PART, Cost

_LANES = 12  # workers whose patterns lie side by side: some of their rows fit into a cache
#: A column is explained by others if less than this share of its square is left.
_NOTHING = 1e-10


@np.errstate(all="ignore")
def errors(terms: Cost, out: Floats) -> None:
    """Fill ``out`` (2ⁿ,) with the error of each pattern, its bits read as a number.

    H has a unit diagonal, as `least_squares.normalise` leaves it: B's columns are independent.
    NaN: an error that is not accurate enough, `straggler_costs.UNDECIDED`.
    """
    H, x, e0, k = terms
    n = x.size
    rows = np.empty((n, n + 1, 1))
    rows[:, :n, 0], rows[:, n, 0] = H, x
    rows[np.arange(n), np.arange(n)] = 1.0
    cost, part = np.zeros(1), np.ones(1)
    for m in range(n - 1, max(n - _LANES, 0) - 1, -1):
        both = np.empty((m, m + 1, 2 * cost.size))
        both[:, :, cost.size :] = rows[1:, 1:]
        own = _straggle(rows, cost, part, both[:, :, : cost.size])
        cost, part = np.concatenate([own[0], cost]), np.concatenate([own[1], part])
        rows = both
    room = [np.empty((m, m + 1, cost.size)) for m in range(len(rows))]

    def visit(rows: Floats, cost: Floats, part: Floats, out: Floats) -> None:
        if len(rows):
            left = room[len(rows) - 1]
            visit(left, *_straggle(rows, cost, part, left), out[::2])
            visit(rows[1:, 1:], cost, part, out[1::2])
            return
        np.minimum(np.add(cost, e0, out=out[0]), k, out=out[0])
        least = part.min()
        if not (least > LEAST_PART and least * least * k > CLEAR * cost.max()):
            good = (part > LEAST_PART) & (part * part * k > CLEAR * cost)
            out[0, ~good] = np.nan

    visit(rows, cost, part, out.reshape(-1, cost.size))
    out[0], out[-1] = k, e0


def _straggle(rows: Floats, cost: Floats, part: Floats, left: Floats) -> tuple[Floats, Floats]:
    """Fill ``left`` with what is left of rows of H and x when the first worker straggles."""
    first = rows[0]
    inverse = 1.0 / first[0]
    f = first[1:-1] * inverse
    for i, row in enumerate(left):
        np.multiply(f[i], first[i + 1 :], out=row[i:])
        np.subtract(rows[i + 1, i + 1 :], row[i:], out=row[i:])
    return cost + first[-1] * first[-1] * inverse, np.minimum(first[0], part)


@inline
def _eliminate(M: Floats, depth: int, limit: float) -> None:
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
    old, new = M[depth], M[depth + 1]
    size = old.shape[0]
    for i in range(depth + 1, size):
        for j in range(i, size):
            new[i, j] = old[i, j]


@inline
def _tally(error, lost, exact, sums, worst, counts):
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
