"""The most that stragglers can cost, over all sets that fit a budget, depth first.

Items are sets of workers that straggle together, in ascending order of their price, the number of
workers. With the terms of `straggler_costs`, eliminating an item from H and x leaves of the rows
after it what their elimination would find; so a set's cost is that of all but its last item, and
one division more. Where B's columns depend on each other, P, the projector on its null space, goes
along: an item that is in a direction of the null space costs nothing, and takes it away.
Elimination along a tree of subsets is that of Furnival and Wilson (Technometrics 16, 1974).
"""

from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit

# What must be left of a diagonal entry of H lest it has lost too many digits.
_CLEAR = 1e-7
# Pivots of P are rounding below the first, and have lost too many digits below the last.
_NO_PIVOT = 1e-11
_PIVOT = 1e-10
_CLEAR_PIVOT = 1e-7
_TINY = 1e-9  # so that the weights decide between workers that add nothing
_GAIN = 1e-9  # less is rounding


class Terms(NamedTuple):
    """H (m, m) and x (m,) of the items, and P (m, m), not used where columns are independent."""

    H: Floats
    x: Floats
    P: Floats


class PricedItems(NamedTuple):
    """Prices (m,), ascending, what all items from i on cost together (m + 1,), and the budget."""

    price: Integers
    rest: Integers
    budget: int


class Path(NamedTuple):
    """The items taken at each depth, and what is left at it of H, x and P: (·, m, m), (·, m).

    ``diagonal`` (·, 2, m) has the diagonals of H and P once more, side by side for vectors.
    """

    taken: Integers
    H: Floats
    x: Floats
    P: Floats
    diagonal: Floats


class Best(NamedTuple):
    """The largest cost so far, (1,), its items (·,), and how many these are: first of ``counts``.

    ``unclear`` (·, ·) takes sets whose cost lost too many digits, −1 after their last item; the
    second of ``counts`` (2,) is how many there were, also of those that found no place.
    """

    cost: Floats
    items: Integers
    unclear: Integers
    counts: Integers


@inline
def _keep(best: Best, cost: float, path: Path, depth: int, last: int) -> None:
    best.cost[0] = cost
    for a in range(depth):
        best.items[a] = path.taken[a]
    best.items[depth] = last
    best.counts[0] = depth + 1


@inline
def _last_ones(path, clear, depth, j, end, cost, value, lost):
    """Fill the costs of taking item j and one after it up to ``end``, and which lost digits.

    ``clear`` (m,) is what must be left of each diagonal entry.
    """
    own, x, diagonal = path.H[depth, j], path.x[depth], path.diagonal[depth, 0]
    inverse = 1.0 / own[j]
    multiple = x[j] * inverse
    base = cost + x[j] * multiple
    for i in range(j + 1, end):
        left = diagonal[i] - own[i] * own[i] * inverse
        y = x[i] - own[i] * multiple
        value[i] = base + y * y / left
        lost[i] = not left > clear[i]


@inline
def _last_dependent_ones(path, clear, depth, j, end, cost, value, lost):
    own, null, x = path.H[depth, j], path.P[depth, j], path.x[depth]
    diagonal, pivots = path.diagonal[depth]
    is_free = null[j] > _PIVOT
    inverse = 1.0 / (null[j] if is_free else own[j])
    base = cost if is_free else cost + x[j] * x[j] * inverse
    for i in range(j + 1, end):
        if is_free:
            f = null[i] * inverse
            left = diagonal[i] - f * (2.0 * own[i] - f * own[j])
            pivot = pivots[i] - f * null[i]
        else:
            f = own[i] * inverse
            left = diagonal[i] - f * own[i]
            pivot = pivots[i]
        y = x[i] - f * x[j]
        value[i] = base if pivot > _PIVOT else base + y * y / left
        lost[i] = _NO_PIVOT < pivot < _CLEAR_PIVOT or not (pivot > _PIVOT or left > clear[i])


@inline
def _eliminate(path: Path, depth: int, j: int, m: int) -> float:
    # fills what item j leaves at the next depth; returns what it costs
    H, x, below, y = path.H[depth], path.x[depth], path.H[depth + 1], path.x[depth + 1]
    own = H[j]
    inverse = 1.0 / own[j]
    for i in range(j + 1, m):
        f = own[i] * inverse
        source, target = H[i], below[i]
        for c in range(i, m):
            target[c] = source[c] - f * own[c]
        y[i] = x[i] - f * x[j]
        path.diagonal[depth + 1, 0, i] = target[i]
    return x[j] * x[j] * inverse


@inline
def _eliminate_dependent(path: Path, depth: int, j: int, m: int) -> float:
    H, x, P = path.H[depth], path.x[depth], path.P[depth]
    below, y, rest = path.H[depth + 1], path.x[depth + 1], path.P[depth + 1]
    own, null = H[j], P[j]
    if not null[j] > _PIVOT:
        for i in range(j + 1, m):
            for c in range(i, m):
                rest[i, c] = P[i, c]
            path.diagonal[depth + 1, 1, i] = P[i, i]
        return _eliminate(path, depth, j, m)
    inverse = 1.0 / null[j]
    for i in range(j + 1, m):
        f = null[i] * inverse
        g = own[i] - 0.5 * f * own[j]
        for c in range(i, m):
            e = null[c] * inverse
            below[i, c] = H[i, c] - f * (own[c] - 0.5 * e * own[j]) - e * g
            rest[i, c] = P[i, c] - f * null[c]
        y[i] = x[i] - f * x[j]
        path.diagonal[depth + 1, 0, i] = below[i, i]
        path.diagonal[depth + 1, 1, i] = rest[i, i]
    return 0.0


@inline
def _fits(items: PricedItems, first: int, left: int) -> int:
    """The first item from ``first`` on that costs more than is left."""
    end = first
    while end < items.price.size and items.price[end] <= left:
        end += 1
    return end


@inline
def _leads_on(items: PricedItems, first: int, left: int) -> int:
    """The first item from ``first`` on after which no other fits."""
    end = first
    while end + 1 < items.price.size and items.price[end] + items.price[end + 1] <= left:
        end += 1
    return end


@inline
def _descend(items, first, last, terms, room, best, dependent):
    """Look at all sets; ``dependent`` is a constant where this is inlined, for speed."""
    m = items.price.size
    clear, value, lost = np.empty(m), np.empty(m), np.zeros(m, np.uint8)
    murky = np.zeros(room.taken.size, np.bool_)  # where an item has lost digits already
    at = np.zeros(room.taken.size, np.int64)  # the item that a depth comes to next
    begin = np.zeros(room.taken.size, np.int64)
    lead = np.zeros(room.taken.size, np.int64)
    left = np.zeros(room.taken.size, np.int64)
    spared = np.zeros(room.taken.size, np.int64)  # the least price that was passed over
    cost = np.zeros(room.taken.size)
    room.H[0] = terms.H
    room.x[0] = terms.x
    if dependent:
        room.P[0] = terms.P
    for i in range(m):
        clear[i] = _CLEAR * terms.H[i, i]
        room.diagonal[0, 0, i] = terms.H[i, i]
        if dependent:
            room.diagonal[0, 1, i] = terms.P[i, i]
    # single items, after which perhaps no other fits
    for i in range(first, min(last, _fits(items, 0, items.budget))):
        alone = terms.x[i] * terms.x[i] / terms.H[i, i]
        if dependent and terms.P[i, i] > _PIVOT:
            alone = 0.0
        if alone > best.cost[0]:
            _keep(best, alone, room, 0, i)
    depth = 0
    at[0], left[0], spared[0] = first, items.budget, items.budget + 1
    lead[0] = min(_leads_on(items, 0, items.budget), last)
    while depth >= 0:
        j = at[depth]
        least = spared[depth]
        if j > begin[depth]:
            least = min(least, items.price[begin[depth]])
        # where even all that follow leave room for one that was passed over, that one is missing
        if j >= lead[depth] or left[depth] - items.rest[j] >= least:
            depth -= 1
            continue
        at[depth] += 1
        room.taken[depth] = j
        rest = left[depth] - items.price[j]
        end = _fits(items, j + 1, rest)
        if dependent:
            _last_dependent_ones(room, clear, depth, j, end, cost[depth], value, lost)
        else:
            _last_ones(room, clear, depth, j, end, cost[depth], value, lost)
        # counted, for that is done in vectors: values that lost digits, and those above the most
        unclear = 0
        for i in range(j + 1, end):
            unclear += lost[i]
        if murky[depth] or unclear > 0:
            for i in range(j + 1, end):
                if murky[depth] or lost[i]:
                    value[i] = -1.0
                    place = best.counts[1]
                    best.counts[1] += 1
                    if place < len(best.unclear):
                        for a in range(depth + 1):
                            best.unclear[place, a] = room.taken[a]
                        best.unclear[place, depth + 1] = i
                        best.unclear[place, depth + 2] = -1
        most = best.cost[0]
        above = 0
        for i in range(j + 1, end):
            above += value[i] > most
        if above > 0:
            for i in range(j + 1, end):
                if value[i] > best.cost[0]:
                    _keep(best, value[i], room, depth + 1, i)
        more = _leads_on(items, j + 1, rest)
        if more > j + 1:
            if dependent:
                own = _eliminate_dependent(room, depth, j, m)
            else:
                own = _eliminate(room, depth, j, m)
            cost[depth + 1] = cost[depth] + own
            pivot = room.diagonal[depth, 1, j] if dependent else 0.0
            unclear_pivot = _NO_PIVOT < pivot < _CLEAR_PIVOT
            enough = pivot > _PIVOT or room.diagonal[depth, 0, j] > clear[j]
            murky[depth + 1] = murky[depth] or unclear_pivot or not enough
            depth += 1
            at[depth], begin[depth], lead[depth] = j + 1, j + 1, more
            left[depth], spared[depth] = rest, least


@jit
def search(items: PricedItems, first: int, last: int, terms: Terms, room: Path, best: Best) -> None:
    """Look at all sets within the budget whose first item is one from ``first`` to ``last`` − 1.

    B's columns are independent. ``room`` has a place for each depth that there can be, and two
    more.
    """
    _descend(items, first, last, terms, room, best, False)


@jit
def search_dependent(
    items: PricedItems, first: int, last: int, terms: Terms, room: Path, best: Best
) -> None:
    """As `search`, of a B whose null space is not empty."""
    _descend(items, first, last, terms, room, best, True)


# ---- Sets that cost much: chosen greedily, then exchanged one by one while it pays
#
# A symmetric matrix holds all that is needed: H of `straggler_costs` with x as its last row and
# column. Sweeping it on a straggler, and back, keeps in it what every worker outside the set would
# add and what every one inside has added. Greedy exchange (Fedorov, 1972) with the sweep operator
# (Beaton, 1964; Goodnight, 1979).


@jit
def _sweep(A: Floats, k: int, sign: float) -> None:
    # on worker k, or back with sign −1
    size = len(A)
    pivot = A[k, k]
    own = A[k].copy()
    for i in range(size):
        if i == k:
            continue
        f = own[i] / pivot
        row = A[i]
        for c in range(size):
            row[c] -= f * own[c]
    for i in range(size):
        A[i, k] = A[k, i] = sign * own[i] / pivot
    A[k, k] = -1.0 / pivot


@jit
def climb(H: Floats, x: Floats, weights: Floats, sets: Integers) -> None:
    """Complete each set greedily, and exchange its members for others as long as that costs more.

    ``sets`` (starts, s) has the first members of each, −1 where one is to be found; it is filled.
    ``weights`` (starts, n) are factors on what workers add, by which starts differ.
    """
    starts, s = sets.shape
    n = x.size
    A = np.empty((n + 1, n + 1))
    inside = np.empty(n, np.bool_)
    for t in range(starts):
        A[:n, :n] = H
        A[n, :n] = x
        A[:n, n] = x
        A[n, n] = 0.0
        inside[:] = False
        for a in range(s):
            pick = sets[t, a]
            if pick < 0:
                most = -1.0
                for i in range(n):
                    if not inside[i]:
                        gain = (A[n, i] * A[n, i] / A[i, i] + _TINY) * weights[t, i]
                        if gain > most:
                            most = gain
                            pick = i
                sets[t, a] = pick
            inside[pick] = True
            _sweep(A, pick, 1.0)
        for _ in range(20 * s):
            most, out, pick = _GAIN * (1.0 - A[n, n]), -1, -1
            for a in range(s):
                j = sets[t, a]
                own = A[j]
                inverse = 1.0 / own[j]
                loss = own[n] * own[n] * inverse  # below 0
                for i in range(n):
                    if not inside[i]:
                        y = A[n, i] - own[i] * own[n] * inverse
                        gain = loss + y * y / (A[i, i] - own[i] * own[i] * inverse)
                        if gain > most:
                            most, out, pick = gain, a, i
            if out < 0:
                break
            inside[sets[t, out]] = False
            _sweep(A, sets[t, out], -1.0)
            sets[t, out] = pick
            inside[pick] = True
            _sweep(A, pick, 1.0)
