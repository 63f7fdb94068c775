"""Decoding errors of any matrix from its stragglers: the cost falls with their number.

With H = B⁺B⁺ᵀ, x = B⁺1, e₀ = ‖1 − Bx‖² and stragglers T, forcing x to vanish on T costs
xᵀ_T H_TT⁻¹ x_T more than e₀ if B's columns are independent. If they are not, directions of the
null space are free: an orthogonal transformation of the stragglers parts them from the others, for
which H_TT is positive definite.

Patterns are sorted by their number of stragglers, and those with equally many handled together.
Elimination without roots (LDLᵀ) and Householder's reflections (1958): see `straggler_costs`.
"""

from typing import Any

import numpy as np

from fastgc_kernels._arrays import Booleans, Bytes, Floats, Words
from fastgc_kernels._jit import compiles, fallbacks_of, inline, jit
from fastgc_kernels.decode import straggler_lines
from fastgc_kernels.decode.straggler_costs import (
    CLEAR,
    DECIDED,
    LEAST_PART,
    UNDECIDED,
    Cost,
    Found,
    Limits,
    Shared,
    Sorted,
    free,
    reflected,
    room_for,
)
from fastgc_kernels.decode.straggler_costs import independent as independent_costs
from fastgc_kernels.decode.straggler_lists import sort
from fastgc_kernels.decode.straggler_vectors import LANES

_SHARED = 4
_MOST_WORKERS = 64


@jit
def normalise(H: Floats, x: Floats) -> None:
    """Scale workers in place so that H has a unit diagonal; the errors do not change by that."""
    n = x.size
    scale = np.empty(n)
    for j in range(n):
        scale[j] = 1.0 / np.sqrt(H[j, j])
        x[j] *= scale[j]
    for i in range(n):
        for j in range(n):
            H[i, j] *= scale[i] * scale[j]


def errors(
    packed: Words,
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: Bytes,
) -> None:
    """Fill ``out`` with the decoding error of each packed pattern, ``doubtful`` with its standing.

    H and x are as ``normalise`` leaves them if B's columns are independent, else as above. N
    (nullity, n) is an orthonormal basis of B's null space, P = NᵀN. The error of a pattern that is
    ``UNDECIDED`` is not to be used. Raises ValueError where shapes do not fit: vector code reads
    addresses that nothing else checks.
    """
    n = x.size
    count, nullity = len(packed), len(N)
    shapes: list[tuple[Any, tuple[int, ...]]] = [
        (packed, (count, -(-n // 64))),
        (H, (n, n)),
        (N, (nullity, n)),
        (x, (n,)),
    ]
    shapes += [(out, (count,)), (doubtful, (count,)), *([(P, (n, n))] if nullity else [])]
    if any(given.shape != shape or not given.flags.c_contiguous for given, shape in shapes):
        found = ", ".join(str(given.shape) for given, _ in shapes)
        raise ValueError(f"shapes of patterns, H, N, x, out do not fit (got {found})")
    if not compiles():
        fallbacks_of("least_squares").fill(packed, H, N, P, x, e0, k, out, doubtful)
        return
    if nullity:
        dependent(packed, H, N, P, x, e0, k, out, doubtful)
        return
    first = shared_workers(n, count)
    sets, groups = 1 << first, n - first + 1
    left, rest = H[np.newaxis], np.ones((sets, 2, n + 1))
    if first:
        left = np.empty((sets, n, n))
        left[0] = H
    rest[0, 0, :n], rest[:, 0, n] = x, 0.0
    shared = Shared(left, rest, np.zeros(sets), np.ones(sets), np.uint64(2**64 - sets))
    patterns = _unsorted(packed, groups * sets)
    lines = straggler_lines.chosen(groups - 1)
    limits, found = Limits(e0, k, LEAST_PART, CLEAR), Found(out, doubtful)
    independent(patterns, lines, shared, limits, found)
    straggler_lines.fill(patterns, lines, shared, limits, found)


def shared_workers(n: int, count: int) -> int:
    """How many workers' elimination patterns share: none where there are few patterns."""
    return _SHARED if 2 * _SHARED < n <= _MOST_WORKERS and count >= n * n else 0


@jit
def independent(
    patterns: Sorted, elsewhere: Booleans, shared: Shared, limits: Limits, found: Found
) -> None:
    """`errors` if B's columns are independent.

    What sets of the first workers leave is found once for all patterns: in ``shared`` there is what
    the empty one does. ``elsewhere``: numbers of stragglers whose patterns are only sorted.
    """
    packed, order, start, end = patterns
    left, rest, cost, part, _ = shared
    n, sets, groups = left.shape[1], cost.size, elsewhere.size
    sort(packed, n, n + 1 - groups, start, end, order)
    found.doubtful[:] = DECIDED
    d = 0
    for c in range(1, sets):
        d += c == 2 << d  # the last of those that straggle
        h = c - (1 << d)
        y, pivot = rest[h, 0, d], rest[h, 1, d]
        inverse = 1.0 / pivot
        part[c] = pivot if pivot < part[h] else part[h]
        cost[c] = cost[h] + y * y * inverse
        for i in range(d + 1, n):
            f = left[h, d, i] * inverse
            rest[c, 0, i] = rest[h, 0, i] - f * y
            rest[c, 1, i] = rest[h, 1, i] - f * left[h, d, i]
            for j in range(i + 1, n):
                left[c, i, j] = left[h, i, j] - f * left[h, d, j]
    e0, k, _, _ = limits
    for c in range(sets):
        good = part[c] > LEAST_PART and part[c] * part[c] * k > CLEAR * cost[c]
        standing = DECIDED if good else UNDECIDED
        error = min(e0 + cost[c], k) if c else e0
        _fill(patterns, c * groups, error, standing, found)
    room = room_for(_most(patterns, groups), n)
    for s in range(1, groups):
        if not elsewhere[s]:
            independent_costs(patterns, s, shared, limits, room, found)
    _fill(patterns, start.size - 1, k, DECIDED, found)


@jit
def dependent(
    packed: Words,
    H: Floats,
    N: Floats,
    P: Floats,
    x: Floats,
    e0: float,
    k: float,
    out: Floats,
    doubtful: Bytes,
) -> None:
    """`errors` if B has a null space."""
    n = x.size
    nullity = N.shape[0]
    patterns = _unsorted(packed, n + 1)
    _, order, start, end = patterns
    sort(packed, n, 0, start, end, order)
    doubtful[:] = DECIDED
    found = Found(out, doubtful)
    _fill(patterns, 0, e0, DECIDED, found)
    _fill(patterns, n, k, DECIDED, found)
    room = room_for(_most(patterns, n + 1), n)
    terms = Cost(H, x, e0, k)
    for s in range(1, n):
        if start[s] == end[s]:
            continue
        if s <= nullity:
            free(patterns, s, P, e0, room, found)
        else:
            reflected(patterns, s, terms, N, found)


@inline
def _unsorted(packed: Words, groups: int) -> Sorted:
    """Patterns, and room for their order in so many groups."""
    order = np.empty(packed.shape[0] + LANES * groups, np.int32)
    return Sorted(packed, order, np.zeros(groups, np.int64), np.zeros(groups, np.int64))


@inline
def _most(patterns: Sorted, groups: int) -> int:
    """The largest number of stragglers, those that are begun with aside."""
    _, _, start, end = patterns
    most = 0
    for i in range(start.size):
        if start[i] < end[i]:
            most = max(most, i % groups)
    return most


@inline
def _fill(patterns: Sorted, group: int, error: float, standing: np.uint8, found: Found) -> None:
    """Patterns that have one error."""
    _, order, start, end = patterns
    for i in range(start[group], end[group]):
        found.error[order[i]] = error
        found.doubtful[order[i]] = standing
