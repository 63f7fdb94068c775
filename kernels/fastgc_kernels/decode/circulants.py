"""Decoding errors of the 0/1 circulant, whose workers hold d partitions in a row.

With d = 2 it is a cycle: partition = vertex, worker = edge. Stragglers cut it into paths; one of v
vertices costs 1/v when v is odd and nothing when v is even. Without stragglers the error is 0. The
weights of the partitions of a path are all 1 when v is even, and 1 ∓ 1/v, beginning with 1 − 1/v,
when v is odd.

With any d errors come in one pass over the partitions. Givens rotations take the rows of the
surviving columns one by one into a triangle of d columns' width (Golub and Van Loan, Matrix
Computations, 5.2.5); what is left of the right-hand side is the residual. The ring is cut after
d − 1 stragglers in a row where there are such; else the d − 1 columns across the cut are a border
on the right of the triangle. Differences of neighbouring rows make a column an edge from j to
j + d: gcd(n, d) cycles. All workers of a cycle decode exactly; where every cycle is broken the
columns are independent.
"""

import math

import numpy as np

from fastgc_kernels._arrays import ALL, LOW6, ONE, SIX, U64, ZERO, Booleans, Floats, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount, trailing_zeros

LANES = 32  # patterns handled side by side


@jit
def gap_errors(packed: Words, n: int, out: Floats) -> None:
    """Error ``out`` (T,) of packed patterns (T, words) on the circulant of n workers, d = 2."""
    if packed.shape[1] == 1:
        _small(packed[:, 0], n, out)
    else:
        _large(packed, n, out)


@jit
def _small(packed: Words, n: int, out: Floats) -> None:
    # at most 64 workers: the stragglers' word turned by v shows which meet the next straggler
    full = ALL >> U64(64 - n)
    turned = np.empty(LANES, np.uint64)
    waiting = np.empty(LANES, np.uint64)
    error = np.empty(LANES)
    for start in range(0, packed.size, LANES):
        lanes = min(LANES, packed.size - start)
        for t in range(lanes):
            turned[t] = ~packed[start + t] & full
            waiting[t] = turned[t]
            error[t] = 0.0
        v = 0
        left = ONE
        while left != ZERO:
            # Gaps come in pairs: an odd one, which costs, and an even one, which does not.
            cost = 1.0 / (v + 1)
            left = ZERO
            for t in range(lanes):
                word = (turned[t] >> ONE) | ((turned[t] & ONE) << U64(n - 1))
                rest = waiting[t]
                error[t] += cost * np.int64(popcount(rest & word))
                rest &= ~word
                word = (word >> ONE) | ((word & ONE) << U64(n - 1))
                rest &= ~word
                turned[t] = word
                waiting[t] = rest
                left |= rest
            v += 2
        for t in range(lanes):
            out[start + t] = error[t]


@jit
def _large(packed: Words, n: int, out: Floats) -> None:
    patterns, words = packed.shape
    cost = np.zeros(n + 1)
    for v in range(1, n + 1, 2):
        cost[v] = 1.0 / v
    for i in range(patterns):
        error = 0.0
        first = -1
        before = -1
        for w in range(words):
            held = min(64, n - 64 * w)
            full = ALL if held == 64 else (ONE << U64(held)) - ONE
            stragglers = ~packed[i, w] & full
            while stragglers != ZERO:
                j = 64 * w + np.int64(trailing_zeros(stragglers))
                stragglers &= stragglers - ONE
                if first < 0:
                    first = j
                else:
                    error += cost[j - before]
                before = j
        if first >= 0:
            error += cost[n - before + first]
        out[i] = error


@jit
def gap_weights(packed: Words, n: int, out: Floats) -> None:
    """Fill ``out`` (T, n) for packed patterns (T, words): worker j holds partitions j and j + 1."""
    lost = np.empty(n + 1, np.int64)
    for t in range(packed.shape[0]):
        own = out[t]
        count = 0
        for j in range(n):
            own[j] = 1.0
            lost[count] = j
            alive = (packed[t, U64(j) >> SIX] >> (U64(j) & LOW6)) & ONE
            count += np.int64(alive == ZERO)
        lost[count] = n + lost[0] if count > 0 else 0
        for i in range(count):
            vertices = lost[i + 1] - lost[i]
            if vertices % 2:
                change = -1.0 / vertices
                for v in range(lost[i] + 1, lost[i + 1] + 1):
                    own[v if v < n else v - n] = 1.0 + change
                    change = -change


@jit
def arc_errors(packed: Words, n: int, d: int, out: Floats) -> None:
    """Least ‖A x − 1‖² ``out`` (T,) of packed patterns (T, words); 2 ≤ d < n."""
    alive = np.empty(n, np.bool_)
    for t in range(packed.shape[0]):
        for j in range(n):
            alive[j] = (packed[t, U64(j) >> SIX] >> (U64(j) & LOW6)) & ONE != 0
        out[t] = 0.0 if _has_cycle(alive, math.gcd(n, d)) else _error(alive, d)


@jit
def _has_cycle(alive: Booleans, cycles: int) -> bool:
    """Whether all workers of a residue class survive."""
    for first in range(cycles):
        j = first
        while j < alive.size and alive[j]:
            j += cycles
        if j >= alive.size:
            return True
    return False


@jit
def _cut(alive: Booleans, d: int) -> int:
    """A worker after d − 1 stragglers in a row; 0 where there is none."""
    late = 0
    for j in range(-d + 1, alive.size):
        if late >= d - 1:
            return j % alive.size
        late = 0 if alive[j % alive.size] else late + 1
    return 0


@jit
def _error(alive: Booleans, d: int) -> float:
    n = alive.size
    cut = _cut(alive, d)
    # columns r − d + 1 … r of row r, then those of the border, and the right-hand side
    row = np.empty(2 * d)
    # of a column that has a row: that from the diagonal on
    triangle = np.zeros((d, 2 * d))
    corner = np.zeros((d, d))
    total = 0.0
    for r in range(n):
        triangle[r % d] = 0.0
        row[:] = 0.0
        row[2 * d - 1] = 1.0
        for o in range(d):
            j = r - d + 1 + o
            if not alive[(cut + j) % n]:
                continue
            if j < 0:
                row[d + j + d - 1] = 1.0
            elif j > n - d:
                row[d + j - n + d - 1] = 1.0
            else:
                row[o] = 1.0
        is_taken = False
        for o in range(d):
            if row[o] == 0.0:
                continue
            own = triangle[(r + 1 + o) % d]
            if own[0] == 0.0:
                own[: d - o] = row[o:d]
                own[d:] = row[d:]
                is_taken = True
                break
            length = math.sqrt(own[0] * own[0] + row[o] * row[o])
            c, s = own[0] / length, row[o] / length
            for i in range(d - o):
                u, v = own[i], row[o + i]
                own[i] = c * u + s * v
                row[o + i] = c * v - s * u
            for i in range(d, 2 * d):
                u, v = own[i], row[i]
                own[i] = c * u + s * v
                row[i] = c * v - s * u
        for b in range(d - 1):
            if is_taken or row[d + b] == 0.0:
                continue
            own = corner[b]
            if own[b] == 0.0:
                own[:] = row[d:]
                is_taken = True
                continue
            length = math.sqrt(own[b] * own[b] + row[d + b] * row[d + b])
            c, s = own[b] / length, row[d + b] / length
            for i in range(b, d):
                u, v = own[i], row[d + i]
                own[i] = c * u + s * v
                row[d + i] = c * v - s * u
        if not is_taken:
            total += row[2 * d - 1] * row[2 * d - 1]
    return min(total, float(n))
