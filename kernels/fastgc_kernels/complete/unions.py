"""Union sampling: how many of several requirements fail where one of them is made to fail.

Requirement i, at least so many of n times up to threshold i, fails if too many are later or never
come. Given that it fails, how many are late and how many never come is drawn first; then, time by
time, which ones; and of every time last, between which thresholds it lies. The estimator is that of
Karp and Luby (FOCS 1983).
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.philox import halves, words_at
from fastgc_kernels.draw.variates import unit

#: Probabilities below this are taken as 0, far above where doubles lose digits.
_NOTHING = 1e-290


@jit
def _pick(rising: Floats, share: float) -> int:
    # the first place whose running sum exceeds a share of the last one
    last = rising.size - 1
    return _first_above(rising, 0, last, share * rising[last])


@inline
def _first_above(growing, start, end, level):
    # from ``start`` on; ``end`` if there is none
    while start < end:
        middle = (start + end) >> 1
        if growing[middle] > level:
            end = middle
        else:
            start = middle + 1
    return start


@jit
def choose(key: np.uint64, first: int, address: int, rising: Floats, out: Integers) -> None:
    """Choose a requirement for every sample from ``first`` on, from running sums of weights."""
    k0, k1 = halves(key)
    for z in range(out.size):
        high, low, _, _ = words_at(U64(first + z), 0, address, k0, k1)
        out[z] = _pick(rising, unit(high, low))


@jit
def fill(arrived: Floats, late: Floats, never: Floats, table: Floats) -> None:
    """Fill table[j, a, b]: the probability that of times j and on a are late and b never come."""
    n = arrived.size
    table[:] = 0.0
    table[n, 0, 0] = 1.0
    for j in range(n - 1, -1, -1):
        for a in range(n - j + 1):
            for b in range(table.shape[2]):
                probability = arrived[j] * table[j + 1, a, b]
                if a > 0:
                    probability += late[j] * table[j + 1, a - 1, b]
                if b > 0:
                    probability += never[j] * table[j + 1, a, b - 1]
                table[j, a, b] = probability if probability > _NOTHING else 0.0


@jit
def sample(
    key: np.uint64,
    samples: Integers,
    first: int,
    island: int,
    made: int,
    table: Floats,
    rising: Floats,
    cdf: Floats,
    late: Floats,
    never: Floats,
    required: Integers,
    failing: Integers,
) -> None:
    """Count samples by how many requirements fail, in each of which requirement ``made`` does.

    ``samples`` are numbered from ``first`` on, and so many of an ``island`` are counted in a row of
    ``failing``.
    ``cdf[j, i]`` and ``late[j, i]``: probabilities that time j is up to threshold i, and later;
    ``never[j]``: that it is none. ``table`` is that of `fill` for threshold ``made``, and
    ``rising`` has the running sums of table[0], row by row, without what lets the requirement hold.
    """
    n, steps = cdf.shape
    k0, k1 = halves(key)
    between = np.empty(steps + 1, np.int64)
    for own in samples:
        z = U64(first + own)
        high, low, _, _ = words_at(z, 0, n + 1, k0, k1)
        slow, gone = divmod(_pick(rising, unit(high, low)), table.shape[2])
        between[:] = 0
        for j in range(n):
            w0, w1, w2, w3 = words_at(z, 0, j, k0, k1)
            level = unit(w0, w1) * table[j, slow, gone]
            place = unit(w2, w3)
            is_late = late[j, made] * table[j + 1, slow - 1, gone] if slow > 0 else 0.0
            is_gone = never[j] * table[j + 1, slow, gone - 1] if gone > 0 else 0.0
            is_here = cdf[j, made] * table[j + 1, slow, gone]
            if level >= is_late + is_gone and is_here > 0.0:
                between[_first_above(cdf[j], 0, made, place * cdf[j, made])] += 1
            elif is_late > 0.0 and (level < is_late or is_gone == 0.0):
                slow -= 1
                place *= late[j, made]
                start = made + 1
                end = steps
                while start < end:
                    middle = (start + end) >> 1
                    if place >= late[j, middle]:
                        end = middle
                    else:
                        start = middle + 1
                between[start] += 1
            else:
                gone -= 1
        have = 0
        failed = 0
        for i in range(steps):
            have += between[i]
            if have < required[i]:
                failed += 1
        failing[own // island, failed] += 1
