"""Sets of stragglers that lose one of them at a time: how they are drawn, picked and packed.

A set of s stragglers is the first s of a row of ``members``, a permutation of the workers. The
levels of multilevel splitting: Kahn and Harris (1951), Botev and Kroese (2012).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, U64, Floats, Integers, Numbers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.philox import MASK32, SHIFT32, halves, philox
from fastgc_kernels.draw.variates import unit

_BELOW_ONE = 1.0 - 2.0**-53


@jit
def uniforms(key: np.uint64, first: int, level: int, out: Floats) -> None:
    """Fill ``out`` (m, draws) with numbers in (0, 1): row i is that of address ``first`` + i."""
    k0, k1 = halves(key)
    draws = out.shape[1]
    for i in range(out.shape[0]):
        number = U64(first + i)
        low, high = number & MASK32, number >> SHIFT32
        for pair in range((draws + 1) // 2):
            a, b, c, d = philox(low, U64(level), U64(pair), high, k0, k1)
            out[i, 2 * pair] = min(unit(a, b), _BELOW_ONE)
            if 2 * pair + 1 < draws:
                out[i, 2 * pair + 1] = min(unit(c, d), _BELOW_ONE)


@jit
def draw(probabilities: Floats, numbers: Floats, s: int, members: Numbers) -> None:
    """Fill ``members`` (m, n) with sets of s stragglers, worker by worker.

    ``probabilities[j, a]`` is the probability that worker j is one of them if a are left to be
    found among the workers from j on; ``numbers`` (m, n) are uniform.
    """
    n = members.shape[1]
    for i in range(members.shape[0]):
        left, out = s, s
        for j in range(n):
            if left > 0 and numbers[i, j] < probabilities[j, left]:
                left -= 1
                members[i, s - 1 - left] = j
            else:
                members[i, out] = j
                out += 1


@jit
def pack(members: Numbers, s: int, packed: Words) -> None:
    """Fill ``packed`` (m, words) with the survivors of sets of s stragglers."""
    packed[:] = np.uint64(0)
    for i in range(members.shape[0]):
        for a in range(s, members.shape[1]):
            j = members[i, a]
            packed[i, j // 64] |= ONE << np.uint64(j % 64)


@jit
def pick(
    scores: Floats, s: int, numbers: Floats, totals: Floats, parents: Integers, places: Integers
) -> None:
    """Pick the sets of the next level: of each island as many, in proportion to their scores.

    ``scores`` (islands, sets, ≥ s): those of each set's stragglers, 0 for one that must stay;
    ``numbers`` (islands, sets + 1) are uniform: the first one places the comb of an island, another
    one picks a straggler of each set. ``totals`` (islands,) are filled with the sum of an island's
    scores, ``parents`` and ``places`` (islands, sets) with the set that is copied and the place of
    the straggler that it loses. An island without scores keeps its sets, to no purpose.
    """
    islands, sets = parents.shape
    for island in range(islands):
        total = 0.0
        for i in range(sets):
            for a in range(s):
                total += scores[island, i, a]
        totals[island] = total
        if total == 0.0:
            for i in range(sets):
                parents[island, i] = i
                places[island, i] = s - 1
            continue
        step = total / sets
        tooth = numbers[island, 0] * step
        own = -1
        reached = 0.0
        weight = 0.0
        for i in range(sets):
            while reached <= tooth and own < sets - 1:
                own += 1
                weight = 0.0
                for a in range(s):
                    weight += scores[island, own, a]
                reached += weight
            wanted = numbers[island, 1 + i] * weight
            seen = 0.0
            place = -1
            for a in range(s):
                score = scores[island, own, a]
                if score > 0.0:
                    place = a
                    seen += score
                    if seen > wanted:
                        break
            parents[island, i] = own
            places[island, i] = place
            tooth += step


@jit
def drop(members: Numbers, s: int, parents: Integers, places: Integers, out: Numbers) -> None:
    """Fill ``out`` (islands, sets, n) with the picked sets, less the straggler that each loses."""
    islands, sets, n = members.shape
    for island in range(islands):
        for i in range(sets):
            source = members[island, parents[island, i]]
            target = out[island, i]
            for a in range(n):
                target[a] = source[a]
            place = places[island, i]
            lost = target[place]
            target[place] = target[s - 1]
            target[s - 1] = lost


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
