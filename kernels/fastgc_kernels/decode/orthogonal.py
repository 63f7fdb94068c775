"""Decoding errors of any matrix by pivoted Householder QR of each pattern's surviving columns.

Backward stable whatever the conditioning of B, and slow: the kernel for what ``least_squares``
cannot decide. Matrices are held as rows that are columns of B, so that a column is contiguous.
Businger and Golub (Numer. Math. 7, 1965), norms computed anew; sums in doubled precision are
Dekker's (1971) and Knuth's (1969). Columns are reflected four at a time and their entries eight
side by side, with the bits of loops: 20 columns take half the time, 200 and 1000 a fifth. Squared
lengths are summed up while a column is changed, which is thus read twice and not three times.
Matrices of eight columns take a tenth longer than by instructions written out one by one.
"""

import numpy as np

from fastgc_kernels._arrays import ONE, Floats, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels._vectors import added, entry, lane, load, spread, store, sums, with_lane
from fastgc_kernels.decode.elimination import exact_product, exact_sum
from fastgc_kernels.draw.bits import trailing_zeros

_EPSILON = 2.0**-52
TOGETHER = 8  # entries side by side, in as many partial sums
FOUR = 4  # columns


@inline
def aligned(count: int) -> Floats:
    """Zeros that begin where a line of the cache does."""
    wide = np.zeros(count + TOGETHER)
    begin = -(wide.ctypes.data // 8) % TOGETHER
    return wide[begin : begin + count]


@inline
def _first(array, place):
    # an entry in the first of eight lanes
    return with_lane(spread(0.0, TOGETHER), 0, entry(array, place))


@inline
def dot(a: Floats, b: Floats, start: int) -> float:
    """Inner product from ``start`` on: eight partial sums, the last few terms in the first."""
    whole = start + ((a.size - start) & -TOGETHER)
    total = spread(0.0, TOGETHER)
    i = start
    while i < whole:
        total += load(a, i, TOGETHER) * load(b, i, TOGETHER)
        i += TOGETHER
    while i < a.size:
        total += _first(a, i) * _first(b, i)
        i += 1
    return added(total)


@inline
def dots(x, own, rows, places, start, size):
    """`dot` of x, from place ``own`` on, with rows from each of four places on."""
    p0, p1, p2, p3 = places
    whole = start + ((size - start) & -TOGETHER)
    s0 = s1 = s2 = s3 = spread(0.0, TOGETHER)
    i = start
    while i < whole:
        entries = load(x, own + i, TOGETHER)
        s0 += entries * load(rows, p0 + i, TOGETHER)
        s1 += entries * load(rows, p1 + i, TOGETHER)
        s2 += entries * load(rows, p2 + i, TOGETHER)
        s3 += entries * load(rows, p3 + i, TOGETHER)
        i += TOGETHER
    while i < size:
        entries = _first(x, own + i)
        s0 += entries * _first(rows, p0 + i)
        s1 += entries * _first(rows, p1 + i)
        s2 += entries * _first(rows, p2 + i)
        s3 += entries * _first(rows, p3 + i)
        i += 1
    return sums(s0, s1, s2, s3)


@jit
def reflect(v: Floats, start: int, beta: float, x: Floats) -> None:
    """Apply the reflection I − beta v vᵀ, v = 0 before ``start``, to a vector."""
    weight = beta * dot(v, x, start)
    for i in range(start, x.size):
        x[i] -= weight * v[i]


@inline
def _less(columns, own, place, f):
    # subtracts f times the entries at ``own`` from those at a place; gives the squares of the rest
    left = load(columns, place, TOGETHER) - f * load(columns, own, TOGETHER)
    store(columns, place, left)
    return left * left


@inline
def _less_one(columns, own, place, f):
    left = entry(columns, place) - f * entry(columns, own)
    store(columns, place, left)
    return with_lane(spread(0.0, TOGETHER), 0, left * left)


@inline
def _reflect_others(columns, step, beta, norms):
    """Apply the reflection I − beta·v·vᵀ to the columns after v, that in place ``step``.

    ``norms`` takes the squared length of what is below row ``step`` of each.
    """
    count, size = columns.shape
    v, below = step * size, step + 1
    whole = below + ((size - below) & -TOGETHER)
    fours = below + ((count - below) & -FOUR)
    for j in range(below, fours, FOUR):
        p0 = j * size
        p1, p2, p3 = p0 + size, p0 + 2 * size, p0 + 3 * size
        f = beta * dots(columns, v, columns, (p0, p1, p2, p3), step, size)
        f0, f1, f2, f3 = lane(f, 0), lane(f, 1), lane(f, 2), lane(f, 3)
        _less_one(columns, v + step, p0 + step, f0)
        _less_one(columns, v + step, p1 + step, f1)
        _less_one(columns, v + step, p2 + step, f2)
        _less_one(columns, v + step, p3 + step, f3)
        s0 = s1 = s2 = s3 = spread(0.0, TOGETHER)
        i = below
        while i < whole:
            s0 += _less(columns, v + i, p0 + i, f0)
            s1 += _less(columns, v + i, p1 + i, f1)
            s2 += _less(columns, v + i, p2 + i, f2)
            s3 += _less(columns, v + i, p3 + i, f3)
            i += TOGETHER
        while i < size:
            s0 += _less_one(columns, v + i, p0 + i, f0)
            s1 += _less_one(columns, v + i, p1 + i, f1)
            s2 += _less_one(columns, v + i, p2 + i, f2)
            s3 += _less_one(columns, v + i, p3 + i, f3)
            i += 1
        store(norms, j, sums(s0, s1, s2, s3))
    for j in range(fours, count):
        p = j * size
        f0 = beta * dot(columns[step], columns[j], step)
        _less_one(columns, v + step, p + step, f0)
        total = spread(0.0, TOGETHER)
        i = below
        while i < whole:
            total += _less(columns, v + i, p + i, f0)
            i += TOGETHER
        while i < size:
            total += _less_one(columns, v + i, p + i, f0)
            i += 1
        norms[j] = added(total)


@jit
def factor(columns: Floats, y: Floats, order: Integers, norms: Floats, cut: float) -> int:
    """Factor columns into QR in place, the longest remaining column first, and turn y into Qᵀy.

    ``columns`` (r, k) holds one column a row. Afterwards ``columns[j, :j]`` is column j of R above
    its diagonal, ``columns[j, j:]`` the vector of the reflection of step j, ``norms[j]`` the
    diagonal of R and ``order[j]`` which column it was. Returns the rank: the number of steps
    before no remaining column was longer than ``cut`` times the first. Norms are computed anew in
    each step, because downdated ones lose the small columns that decide the rank.
    """
    count, size = columns.shape
    for j in range(count):
        order[j] = j
        norms[j] = dot(columns[j], columns[j], 0)
    limit = 0.0
    for step in range(min(count, size)):
        # the longest column that is left; none is long enough once the rank is reached
        pivot = step
        for j in range(step + 1, count):
            if norms[j] > norms[pivot]:
                pivot = j
        length = np.sqrt(norms[pivot])
        if length <= limit:
            return step
        if step == 0:
            limit = cut * length
        if pivot != step:
            for i in range(size):
                columns[step, i], columns[pivot, i] = columns[pivot, i], columns[step, i]
            order[step], order[pivot] = order[pivot], order[step]
            norms[pivot] = norms[step]
        # the reflection that leaves an entry on the diagonal only, of the sign that cancels nothing
        v = columns[step]
        diagonal = -length if v[step] >= 0.0 else length
        v[step] -= diagonal
        beta = -1.0 / (diagonal * v[step])
        reflect(v, step, beta, y)
        # the columns that are left, and how long each is below row ``step``
        _reflect_others(columns, step, beta, norms)
        norms[step] = diagonal
    return min(count, size)


@jit
def distance(columns: Floats, chosen: Integers, x: Floats) -> float:
    """Squared length of 1 − Σ x_j columns[chosen[j]], the sums in doubled precision.

    Near the least-squares x it depends on x to second order only, so that it is far more accurate
    than x; but not if rounding of the sums, magnified where survivors nearly cancel, came first.
    """
    total = 0.0
    for i in range(columns.shape[1]):
        # ``low`` gathers what rounding takes from the products and from their sum ``high``
        high = 1.0
        low = 0.0
        for j in range(chosen.size):
            product, rest = exact_product(-x[j], columns[chosen[j], i])
            high, lost = exact_sum(high, product)
            low += lost + rest
        left = high + low
        total += left * left
    return total


@jit
def gather(pattern: Words, columns: Floats, work: Floats, workers: Integers) -> int:
    """Copy the survivors' columns (rows of ``columns``) to ``work``, and return their number.

    ``pattern`` (words,) is packed; ``workers`` says which worker each row of ``work`` is.
    """
    survivors = 0
    for w in range(pattern.size):
        word = pattern[w]
        while word != np.uint64(0):
            worker = 64 * w + np.int64(trailing_zeros(word))
            word &= word - ONE
            for i in range(columns.shape[1]):
                work[survivors, i] = columns[worker, i]
            workers[survivors] = worker
            survivors += 1
    return survivors


@inline
def room_for_factors(n, k):
    """Columns, y, workers, order and norms of up to n survivors."""
    places = np.empty(n, np.int64), np.empty(n, np.int64)
    return np.empty((n, k)), np.empty(k), places[0], places[1], np.empty(n)


@inline
def factor_survivors(pattern, columns, work, y, workers, order, norms):
    """QR of the survivors' columns, with y = 1 turned into Qᵀy; their number, and the rank.

    A remaining column counts as zero at a few eps·max(k, r) of the longest, as in LAPACK's least
    squares.
    """
    survivors = gather(pattern, columns, work, workers)
    for i in range(y.size):
        y[i] = 1.0
    cut = 2.0 * _EPSILON * (max(y.size, survivors) + 8)
    return survivors, factor(work[:survivors], y, order, norms, cut)


@jit
def errors(packed: Words, columns: Floats, out: Floats) -> None:
    """Fill ``out`` with the decoding error of each packed pattern.

    ``columns`` (n, k) are B's columns, each scaled to a length near 1.
    """
    n, k = columns.shape
    work, y, workers, order, norms = room_for_factors(n, k)
    x, chosen = np.empty(n), np.empty(n, np.int64)
    for t in range(packed.shape[0]):
        _, rank = factor_survivors(packed[t], columns, work, y, workers, order, norms)
        # back substitution in R, whose column i is work[i, :i] and norms[i]
        for back in range(rank):
            i = rank - 1 - back
            x[i] = y[i]
            for j in range(i + 1, rank):
                x[i] -= work[j, i] * x[j]
            x[i] /= norms[i]
            chosen[i] = workers[order[i]]
        # not what is left of y, whose rounding errors are of first order
        out[t] = min(distance(columns, chosen[:rank], x), float(k))


@jit
def ranks(packed: Words, columns: Floats, out: Floats) -> None:
    """Fill ``out`` (T, 3) with the rank of each packed set of columns, and how clear it is.

    After the rank stand the last length that counts and the first one that does not, over the
    first length; 1 and 0 where there is none.
    """
    n, k = columns.shape
    work, y, workers, order, norms = room_for_factors(n, k)
    for t in range(packed.shape[0]):
        count, rank = factor_survivors(packed[t], columns, work, y, workers, order, norms)
        out[t, 0] = rank
        out[t, 1] = 1.0
        out[t, 2] = 0.0
        if rank > 0:
            first = abs(norms[0])
            out[t, 1] = abs(norms[rank - 1]) / first
            if rank < min(count, k):
                out[t, 2] = np.sqrt(norms[rank:count].max()) / first
