"""What stragglers add to the decoding error, for patterns with equally many of them.

Patterns are sorted by their number of stragglers, by distribution counting (Knuth, The Art of
Computer Programming 3, Algorithm 5.2D). Only the order is written, and four quarters of the
patterns have counters of their own, so that no count waits for the one before it: 2.4 to 2.8 times
as fast as moving patterns.

Where B's columns depend on each other, N holds an orthonormal basis of its null space, and P = NNᵀ
is the projector on it: stragglers whose rows of N are independent cost nothing.

Patterns are handled side by side, one in each lane: elimination without roots (LDLᵀ) of all lanes
at once; where N has rows, after Householder's reflections (1958) from both sides. All is written
vector by vector (`straggler_vectors`, `reflection_vectors`), with the bits of the loops over 64
lanes, the shortest that the compiler makes vectors of, that it replaces.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import ONE, Booleans, Bytes, Floats, Integers, Numbers, Words
from fastgc_kernels._jit import FALLBACKS, Kernel, inline, jit
from fastgc_kernels._sources import is_kept
from fastgc_kernels._vectors import (  # noqa: F401 (in text, too)
    gather,
    gather_rows,
    if_wide,
    keep,
    pointer,
    spread,
    store,
    where,
)
from fastgc_kernels.decode.orthogonal import aligned
from fastgc_kernels.decode.reflection_vectors import LANES as SIXTEEN
from fastgc_kernels.decode.reflection_vectors import reflect
from fastgc_kernels.decode.straggler_vectors import (
    LANES,
    ROWS,
    list_stragglers,
    panels,
    pointers,
    store_errors,
    used_bits,
)
from fastgc_kernels.draw.bits import popcount

DECIDED = np.uint8(0)
UNDECIDED = np.uint8(1)

# A pivot of P is the square of a distance: between this and rounding it says too little.
_CLEAR_PIVOT = 1e-6
# What elimination must leave of a diagonal entry of H lest too many digits cancel: measured to
# keep errors below 1e-11·k. Less will do where stragglers cost little.
_CLEAR_PART = 1e-4
LEAST_PART = 1e-6
CLEAR = _CLEAR_PART * _CLEAR_PART
_EPSILON = 2.0**-52
_QUARTERS = 4


class Cost(NamedTuple):
    """What forcing x to vanish costs: H (n, n), x (n,), the error without stragglers, and k."""

    H: Floats
    x: Floats
    e0: float
    k: float


class Queue(NamedTuple):
    """Packed patterns, and their order by number of stragglers; see `sort`."""

    packed: Words
    order: Numbers


class Output(NamedTuple):
    """What is filled: errors, and how much they are worth."""

    error: Floats
    doubtful: Bytes


class Room(NamedTuple):
    """Room for vector code, and the row of a worker that does not exist."""

    columns: Words
    rows: Words
    U: Floats
    F: Floats
    diagonal: Floats
    Y: Floats
    cost: Floats
    part: Floats
    identity: Floats


@inline
def sort(packed: Words, n: int, start: Integers, order: Numbers) -> None:
    """Sort patterns by number of stragglers: those with s are ``order[start[s] : start[s + 1]]``.

    ``order`` is longer than the patterns are many by the lanes that are listed together; what is
    beyond them repeats the last one.
    """
    patterns, words = packed.shape
    every = used_bits(n, words)
    number = np.empty(patterns, np.uint16)
    if words == 1:
        for t in range(patterns):
            number[t] = popcount(~packed[t, 0] & every)
    else:
        for t in range(patterns):
            stragglers = popcount(~packed[t, words - 1] & every)
            for w in range(words - 1):
                stragglers += popcount(~packed[t, w])
            number[t] = stragglers
    place = np.zeros((_QUARTERS, n + 1), np.int64)
    quarter = patterns // _QUARTERS
    for t in range(quarter):
        for q in range(_QUARTERS):
            place[q, number[t + q * quarter]] += 1
    for t in range(_QUARTERS * quarter, patterns):
        place[3, number[t]] += 1
    total = 0
    for s in range(n + 1):
        start[s] = total
        for q in range(_QUARTERS):
            count = place[q, s]
            place[q, s] = total
            total += count
    start[n + 1] = total
    for t in range(quarter):
        for q in range(_QUARTERS):
            own = t + q * quarter
            order[place[q, number[own]]] = own
            place[q, number[own]] += 1
    for t in range(_QUARTERS * quarter, patterns):
        order[place[3, number[t]]] = t
        place[3, number[t]] += 1
    for i in range(patterns, order.size):
        order[i] = order[patterns - 1]


@jit
def combinations(current: Integers, n: int, odds: Floats, packed: Words, products: Floats) -> int:
    """List the sets of stragglers from ``current`` (s,) on, in lexicographic order.

    Fills ``packed`` (m, words) with their survivors and ``products`` (m,) with the product of
    their odds, and returns how many there were: fewer than m at the end. ``current`` is advanced.
    """
    s = current.size
    for i in range(packed.shape[0]):
        if s and current[0] > n - s:
            return i
        for w in range(packed.shape[1]):
            held = min(64, n - 64 * w)
            packed[i, w] = ~np.uint64(0) if held == 64 else (ONE << np.uint64(held)) - ONE
        product = 1.0
        for a in range(s):
            j = current[a]
            packed[i, j // 64] &= ~(ONE << np.uint64(j % 64))
            product *= odds[j]
        products[i] = product
        if s == 0:
            return i + 1
        place = s - 1
        while place > 0 and current[place] == n - s + place:
            place -= 1
        current[place] += 1
        for a in range(place + 1, s):
            current[a] = current[a - 1] + 1
    return packed.shape[0]


@inline
def room_for(most: int, n: int) -> Room:
    """Room for up to ``most`` stragglers of n workers."""
    size = most + ROWS - 1
    identity = np.zeros(n + 1)
    identity[n] = 1.0
    return Room(
        np.empty((size, LANES), np.uint64),
        np.empty((size, LANES), np.uint64),
        np.empty(size * size * LANES),
        np.empty(size * ROWS * LANES),
        np.empty(size * LANES),
        np.empty(size * LANES),
        np.empty(LANES),
        np.empty(LANES),
        identity,
    )


@inline
def _fill_up(s: int, n: int, room: Room) -> int:
    """List workers that do not exist until there is a multiple of four; say how many."""
    before = -s % ROWS
    identity = room.identity
    for i in range(before):
        for v in range(LANES):
            # where more than one is missing, they are only loaded beside what is used
            room.columns[i, v] = np.uint64(n if before == 1 else 0)
            room.rows[i, v] = np.uint64(identity.ctypes.data)
    return before


@inline
def _by_panels(unit, patterns, span, table, x, limits, room, found):
    first, last, s = span
    sizes = table.shape[0], patterns.packed.shape[1]
    before = _fill_up(s, sizes[0], room)
    given, lists = pointers(patterns, table, room.columns, room.rows)
    own = pointer(room.U), pointer(room.F), pointer(room.diagonal), pointer(room.Y)
    results = pointer(room.cost), pointer(room.part)
    place, target = pointer(x), (pointer(found.error), pointer(found.doubtful))
    for at in range(first, last, LANES):
        list_stragglers(given, at, sizes, s, before, lists, LANES)
        panels(unit, lists, own, (before + s, before), place, results)
        store_errors(unit, results, given[1], at, last, limits, target, LANES)


@jit
def independent(
    patterns: Queue, first: int, last: int, s: int, terms: Cost, room: Room, found: Output
) -> None:
    """Patterns with s stragglers, B's columns independent: Cholesky of H_TT bordered by x_T.

    H has a unit diagonal after `normalise`; x is followed by a 0, of a worker that does not exist.
    Each eliminated straggler adds y²/pivot to xᵀ_T H_TT⁻¹ x_T; pivots are the parts that
    are left of diagonal entries of 1.
    """
    H, x, e0, k = terms
    _by_panels(1, patterns, (first, last, s), H, x, (e0, k, LEAST_PART, CLEAR), room, found)


@jit
def free(
    patterns: Queue, first: int, last: int, s: int, P: Floats, e0: float, room: Room, found: Output
) -> None:
    """Patterns with s ≤ nullity stragglers: they cost nothing if their rows of N are independent.

    That they are is shown by Cholesky of P_TT.
    """
    limits = e0, e0, _CLEAR_PIVOT, e0
    _by_panels(0, patterns, (first, last, s), P, room.cost, limits, room, found)


@jit
def reflected(
    patterns: Queue, first: int, last: int, s: int, terms: Cost, N: Floats, found: Output
) -> None:
    """Patterns with s stragglers, more than the nullity: Householder's QR of their rows of N.

    Reflections that leave N_T as a triangle on its first rows, applied to H_TT on both sides and to
    x_T, make the first stragglers free; the Cholesky of `independent` is that of the others. M
    (s, s + 1, lanes) is H_TT and x_T; A (nullity, s, lanes) has the columns of N_T. A column of
    which nothing is left takes no row: ``used`` is how many are taken.
    """
    H, x, e0, k = terms
    limits = e0, k, LEAST_PART, CLEAR
    n, nullity = H.shape[0], N.shape[0]
    sizes = n, patterns.packed.shape[1]
    zero = 2.0 * _EPSILON * (n + 8)
    columns, rows = np.empty((s, SIXTEEN), np.uint64), np.empty((s, SIXTEEN), np.uint64)
    M, A = aligned(s * (s + 1) * SIXTEEN), aligned(nullity * s * SIXTEEN)
    p, cost, part = aligned(s * SIXTEEN), np.empty(SIXTEEN), np.empty(SIXTEEN)
    used, places = np.empty(SIXTEEN, np.int64), np.empty(SIXTEEN, np.int64)
    given, lists = pointers(patterns, H, columns, rows)
    own = pointer(M), pointer(A), pointer(p), pointer(used), pointer(places)
    tables, results = (pointer(x), pointer(N)), (pointer(cost), pointer(part))
    target = pointer(found.error), pointer(found.doubtful)
    for at in range(first, last, SIXTEEN):
        list_stragglers(given, at, sizes, s, 0, lists, SIXTEEN)
        reflect(lists, tables, (s, nullity, n), zero, own, results)
        store_errors(1, results, given[1], at, last, limits, target, SIXTEEN)
    keep((columns, rows, M, A, p, cost, part))
    keep((used, places))


# ---- Patterns with few stragglers: code without loops, a kernel for each number of them
#
# H_TT is in registers. Two to six stragglers take a quarter to a third less than by panels, eight a
# tenth, more nothing with registers of eight lanes. Each kernel takes 1.4 to 2.6 seconds to
# compile, and one for all far longer: so each is compiled once it would have saved about as much.

FEWEST, MOST = 2, 8
#: Seconds saved that are worth compiling, and loading what is compiled already.
_COMPILING, _LOADING = 2.0, 0.1
_SAVED = 0.07e-9  # seconds a pattern, times the square of its number of stragglers: measured
#: The number has to be a constant of the kernel.
_TEXT = """
def line_{s}(patterns, first, last, terms, found):
    _without_loops({s}, eliminate_{s}, patterns, first, last, terms, found)


def eliminate_{s}(lists, x, results):
    lanes = {lanes}
    place = 0
    while place < LANES:
        one = spread(1.0, lanes)
        part, cost = one, spread(0.0, lanes)
        {elimination}
        store(results[0], place, cost)
        store(results[1], place, part)
        place += lanes
"""


def _elimination(s: int) -> Iterator[str]:
    # statements with names of their own for each u[c, k], k = s being x, and f[a, c] = u[a, c]/d[a]
    for c in range(s):
        if c % 2 == 0:  # two rows at once: their columns are looked up once
            for row in range(c, min(c + 2, s)):
                yield f"y{row} = gather(x, 0, lists[0], {LANES * row} + place, 1, lanes)"
                for k in range(row + 1, s):
                    places = f"{LANES * row} + place, lists[0], {LANES * k} + place"
                    yield f"u{row}{k} = gather_rows(lists[1], {places}, lanes, 1, 0)"
        yield f"d{c} = one"
        for a in range(c):
            yield f"d{c} -= f{a}{c} * u{a}{c}"
            yield f"y{c} -= f{a}{c} * y{a}"
            yield from (f"u{c}{k} -= f{a}{c} * u{a}{k}" for k in range(c + 1, s))
        yield f"part = where(d{c} < part, d{c}, part)"
        yield f"inverse = one / d{c}"
        yield from (f"f{c}{k} = u{c}{k} * inverse" for k in range(c + 1, s))
        yield f"cost += y{c} * y{c} * inverse"


@inline
def _without_loops(s, eliminate, patterns, first, last, terms, found):
    H, x, e0, k = terms
    limits = e0, k, LEAST_PART, CLEAR
    sizes = H.shape[0], patterns.packed.shape[1]
    columns, rows = np.empty((s, LANES), np.uint64), np.empty((s, LANES), np.uint64)
    cost, part = np.empty(LANES), np.empty(LANES)
    given, lists = pointers(patterns, H, columns, rows)
    place, results = pointer(x), (pointer(cost), pointer(part))
    target = pointer(found.error), pointer(found.doubtful)
    for at in range(first, last, LANES):
        list_stragglers(given, at, sizes, s, 0, lists, LANES)
        eliminate(lists, place, results)
        store_errors(1, results, given[1], at, last, limits, target, LANES)
    keep((columns, rows, cost, part))


class CountKernel:
    """The kernel for so many stragglers, and what it would have saved."""

    def __init__(self, s: int) -> None:
        own = dict(globals())
        # Numba reads the source at this place of this file: there must be a function
        above = "\n" * (combinations.py_func.__code__.co_firstlineno - 2)
        lanes = f"if_wide({LANES}, {LANES // 2})" if s > 6 else LANES
        elimination = "\n        ".join(_elimination(s))
        text = _TEXT.format(s=s, lanes=lanes, elimination=elimination)
        exec(compile(above + text, __file__, "exec"), own)
        own[f"eliminate_{s}"] = Kernel(own[f"eliminate_{s}"], "inlined")
        self.kernel = Kernel(own[f"line_{s}"], "compiled")
        self._worth = _SAVED * s * s
        self.saved = 0.0

    @property
    def serves(self) -> bool:
        """Whether it is worth its compiling by now."""
        if self.saved >= _COMPILING or not FALLBACKS.wanted:
            return True
        kernel = self.kernel
        return self.saved >= _LOADING and is_kept(kernel.__module__, kernel.__qualname__)

    def count(self, patterns: int) -> None:
        """Count what it saves."""
        self.saved += patterns * self._worth


LINES = {s: CountKernel(s) for s in range(FEWEST, MOST + 1)}


def chosen(n: int) -> Booleans:
    """For each number of stragglers of n workers, whether its own kernel serves."""
    found = np.zeros(n + 1, np.bool_)
    for s, own in LINES.items():
        if s < n:
            found[s] = own.serves
    return found


def fill(patterns: Queue, lines: Booleans, start: Integers, terms: Cost, found: Output) -> None:
    """Fill in the errors of the patterns that have kernels of their own, and count all."""
    places = start.tolist()
    for s, own in LINES.items():
        if s < len(lines) - 1 and places[s] < places[s + 1]:
            if lines[s]:
                own.kernel(patterns, places[s], places[s + 1], terms, found)
            own.count(places[s + 1] - places[s])
