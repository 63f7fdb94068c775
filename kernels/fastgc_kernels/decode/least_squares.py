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

from fastgc_kernels._arrays import Booleans, Bytes, Floats, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.decode.reflection_vectors import LANES
from fastgc_kernels.decode.straggler_costs import (
    DECIDED,
    Cost,
    Output,
    Queue,
    chosen,
    fill,
    free,
    reflected,
    room_for,
    sort,
)
from fastgc_kernels.decode.straggler_costs import independent as independent_costs
from fastgc_kernels.draw.bits import trailing_zeros


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
    shapes: list[tuple[Any, tuple[int, ...]]] = [(packed, (count, -(-n // 64))), (H, (n, n))]
    shapes += [
        (N, (nullity, n)),
        (x, (n,)),
        (out, (count,)),
        (doubtful, (count,)),
        *([(P, (n, n))] if nullity else []),
    ]
    if any(given.shape != shape or not given.flags.c_contiguous for given, shape in shapes):
        found = ", ".join(str(given.shape) for given, _ in shapes)
        raise ValueError(f"shapes of patterns, H, N, x, out do not fit (got {found})")
    patterns = Queue(packed, np.empty(count + LANES, np.int32))
    start = np.zeros(n + 2, np.int64)
    terms, filled = Cost(H, x, e0, k), Output(out, doubtful)
    if nullity:
        dependent(patterns, start, terms, N, P, filled)
        return
    lines = chosen(n)
    independent(patterns, start, terms, lines, filled)
    fill(patterns, lines, start, terms, filled)


@inline
def _begin(patterns: Queue, start: Integers, terms: Cost, found: Output) -> int:
    # sorts; without stragglers, and without survivors, an error is known; returns the largest
    # number of stragglers that there is, all n of them aside
    n = terms.x.size
    sort(patterns.packed, n, start, patterns.order)
    found.doubtful[:] = DECIDED
    for i in range(start[0], start[1]):
        found.error[patterns.order[i]] = terms.e0
    for i in range(start[n], start[n + 1]):
        found.error[patterns.order[i]] = terms.k
    most = n - 1
    while most > 1 and start[most] == start[most + 1]:
        most -= 1
    return most


@jit
def independent(
    patterns: Queue, start: Integers, terms: Cost, elsewhere: Booleans, found: Output
) -> None:
    """`errors` if B's columns are independent; ``start`` and ``order`` are those of `sort`.

    ``elsewhere``: numbers of stragglers whose patterns are only sorted.
    """
    packed, order = patterns
    H, x, e0, k = terms
    n = x.size
    room = room_for(_begin(patterns, start, terms, found), n)
    single = np.empty(n)
    followed = np.zeros(n + 1)
    for j in range(n):
        single[j] = min(e0 + x[j] * x[j], k)
        followed[j] = x[j]
    if n > 1:  # the error of one straggler is looked up
        for i in range(start[1], start[2]):
            t = order[i]
            w = 0
            bits = ~packed[t, 0]
            while bits == np.uint64(0):
                w += 1
                bits = ~packed[t, w]
            found.error[t] = single[64 * w + np.int64(trailing_zeros(bits))]
    own = Cost(H, followed, e0, k)
    for s in range(2, n):
        if start[s] < start[s + 1] and not elsewhere[s]:
            independent_costs(patterns, start[s], start[s + 1], s, own, room, found)


@jit
def dependent(
    patterns: Queue, start: Integers, terms: Cost, N: Floats, P: Floats, found: Output
) -> None:
    """`errors` if B has a null space."""
    nullity, n = N.shape
    room = room_for(_begin(patterns, start, terms, found), n)
    for s in range(1, n):
        first, last = start[s], start[s + 1]
        if first == last:
            continue
        if s <= nullity:
            free(patterns, first, last, s, P, terms.e0, room, found)
        else:
            reflected(patterns, first, last, s, terms, N, found)
