"""Worst cases of any decoder, which is asked for the error of every set that is looked at."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import MOST_WORKERS, Decoder
from fastgc.decoding.worst.climbing import (
    Found,
    Sets,
    best_of,
    errors_with,
    patterns_with,
    starved,
    starving_sets,
)
from fastgc.draws.patterns import subsets
from fastgc.draws.streams import WORD, Batch, uniforms
from fastgc.registry.activity import searching

MOST_ENUMERATED = 3_000_000
RANDOM_PATTERNS = 1 << 20
STARTS = 24
CHUNK = 1 << 16


def is_enumerated(n: int, stragglers: int, most: int = MOST_ENUMERATED) -> bool:
    """Return whether there are so few sets that all are decoded."""
    return math.comb(n, stragglers) <= min(most, MOST_ENUMERATED)


def enumerated(decoder: Decoder, code: Code, stragglers: int) -> list[int]:
    """Return a worst set, of all."""
    every = itertools.combinations(range(code.n), stragglers)
    best: tuple[float, list[int]] = (-1.0, [])
    with searching("sets", math.comb(code.n, stragglers)) as looked_at:
        while chunk := list(itertools.islice(every, CHUNK)):
            best = max(best, _worst_of(decoder, np.array(chunk), code.n))
            looked_at.done += len(chunk)
    return best[1]


def searched(decoder: Decoder, code: Code, stragglers: int) -> Found:
    """Return the largest error found, its stragglers, and how many starts of how many ended there.

    Starts are the worst of 2²⁰ random sets, greedy choices, and partitions taken from all their
    holders; from each, stragglers are exchanged while that costs more.
    """
    n, third = code.n, STARTS // 3
    starts = [_worst_of(decoder, chunk, n) for chunk in random_sets(n, stragglers)]
    starts.sort(reverse=True)
    starts = starts[:third]
    starts += [_greedy(decoder, n, [], stragglers, attempt) for attempt in range(third)]
    for attempt in range(third):
        first = starved(code, stragglers, uniforms(0, f"starve {attempt}", code.k))
        starts.append(_greedy(decoder, n, first, stragglers, attempt))
    ends = []
    with searching("from starts", len(starts)) as looked_at:
        for start in starts:
            ends.append(_exchange(decoder, n, start))
            looked_at.done += 1
    return best_of(sorted(ends, reverse=True), code.k)


def random_sets(n: int, size: int, chunk: int | None = None) -> Iterator[Sets]:
    """Yield random sets of one size, ``chunk`` at a time: a multiple of 64."""
    chunk = chunk or CHUNK
    for first in range(0, RANDOM_PATTERNS, chunk):
        batch = Batch(0, "worst case", first, chunk // WORD, 1)
        patterns = subsets(n, batch, np.full(chunk, n - size), "straggle").packed
        bits = np.unpackbits(patterns.view(np.uint8), axis=1, bitorder="little")[:, :n]
        yield np.nonzero(bits == 0)[1].reshape(chunk, size)


def _greedy(
    decoder: Decoder, n: int, start: list[int], size: int, attempt: int
) -> tuple[float, list[int]]:
    """Add the straggler that makes the error largest; of equal ones, one at random."""
    chosen = list(start)
    error = float(errors_with(decoder, np.array([chosen], np.int64).reshape(1, -1), n)[0])
    ties = uniforms(0, f"greedy {attempt}", n * size).reshape(size, n)
    for step in range(len(chosen), size):
        left = np.setdiff1d(np.arange(n), chosen)
        sets = np.column_stack([np.tile(np.array(chosen, np.int64), (left.size, 1)), left])
        errors = errors_with(decoder, sets, n)
        best = np.flatnonzero(errors >= errors.max() - 1e-9)
        pick = best[np.argmax(ties[step, left[best]])]
        chosen.append(int(left[pick]))
        error = float(errors[pick])
    return error, chosen


def _exchange(decoder: Decoder, n: int, start: tuple[float, list[int]]) -> tuple[float, list[int]]:
    error, chosen = start
    while True:
        others = np.setdiff1d(np.arange(n), chosen)
        sets = np.tile(np.array(chosen), (len(chosen) * len(others), 1))
        places = np.repeat(np.arange(len(chosen)), len(others))
        sets[np.arange(len(sets)), places] = np.tile(others, len(chosen))
        found, better = _worst_of(decoder, sets, n)
        if found <= error + 1e-9:
            return error, sorted(chosen)
        error, chosen = found, better


def _worst_of(decoder: Decoder, sets: Sets, n: int) -> tuple[float, list[int]]:
    errors: Values = errors_with(decoder, sets, n)
    worst = int(np.argmax(errors))
    return float(errors[worst]), [int(j) for j in sets[worst]]


# ---- Codes that only decoding can judge, in a bounded number of multiplications
#
# Seconds would bound as well, and differ from machine to machine.


PER_SECOND = 1e10  # multiplications, about
AT_ONCE = 256  # sets, until it is looked how much work is left
_RANDOM = 1 / 3  # of the work
_MORE = 1e-9  # less is rounding


class Judge:
    """Decodes sets of so many stragglers, as long as there is work left.

    ``work``: multiplications; ``left``: those that are left.
    """

    def __init__(self, decoder: Decoder, code: Code, stragglers: int, work: float) -> None:
        self.left = work
        self._decoder, self._n = decoder, code.n
        parts = 2 if code.is_complex else 1
        n, k, s = parts * code.n, parts * code.k * code.pieces, parts * stragglers
        costs = {
            "lookup": 1.0,
            "least-squares": 200.0 + s**3 / 3.0,
            # what is larger than the cache comes late
            "gram-schmidt": n * (s * s + 10.0 * s + 20.0) * (1.0 + (n / 500.0) ** 2),
            "orthogonal": 2.0 * k * float(n - s) ** 2,
        }
        each = code.pieces * np.array([costs[tier] for tier in decoder.tiers])
        self._costs = np.cumsum(each)  # of a set that a tier decodes after those before it
        self._looks = np.cumsum([*each[:-1], 0.0])  # to tell that it does

    @property
    def each(self) -> float:
        """What a set takes in the fastest tier."""
        return float(self._costs[0])

    def worst_of(self, sets: Sets) -> tuple[float, int]:
        """Return the largest error, and the number of its set; −1 where no set is decoded.

        Sets of slow tiers are left out where there is no work left for them.
        """
        patterns = patterns_with(sets, self._n)
        tier = self._decoder.tier_of(patterns)
        self.left -= self._looks[tier].sum()
        order = np.argsort(tier, kind="stable")
        chosen = order[np.cumsum(self._costs[tier[order]]) <= max(self.left, self._costs[-1])]
        self.left -= self._costs[tier[chosen]].sum()
        if not chosen.size:
            return -1.0, -1
        errors = self._decoder.errors(patterns[chosen])
        best = int(np.argmax(errors))
        return float(errors[best]), int(chosen[best])


def is_enumerated_within(
    decoder: Decoder, code: Code, stragglers: int, most: int, work: float
) -> bool:
    """Return whether all sets are decoded."""
    few = is_enumerated(code.n, stragglers, most)
    if not few or code.n <= MOST_WORKERS or work == math.inf:
        return few
    return math.comb(code.n, stragglers) * Judge(decoder, code, stragglers, work).each <= work


def searched_within(decoder: Decoder, code: Code, stragglers: int, work: float) -> Found:
    """Return the largest error found, its stragglers, and how many starts of how many ended there.

    Starts are the worst of random sets, and of sets that take partitions from all their holders;
    from each, stragglers are exchanged for others, in random order, while that costs more.
    """
    n = code.n
    judge = Judge(decoder, code, stragglers, work)
    starts = [(0.0, list(range(stragglers)))]
    for own in starving_sets(code, stragglers, STARTS // 3):
        starts.append((judge.worst_of(own[np.newaxis])[0], own.tolist()))
    for sets in random_sets(n, stragglers, AT_ONCE):
        error, best = judge.worst_of(sets)
        starts.append((error, sets[best].tolist()))
        if judge.left < (1.0 - _RANDOM) * work:
            break
    starts.sort(reverse=True)
    ends = [_exchanged(judge, n, start) for start in starts[:1]]
    for start in starts[1:STARTS]:
        if judge.left > 0.0:
            ends.append(_exchanged(judge, n, start))
    return best_of(sorted(ends, reverse=True), code.k)


def _exchanged(judge: Judge, n: int, start: tuple[float, list[int]]) -> tuple[float, list[int]]:
    """Exchange stragglers for survivors while that makes the error larger and work is left."""
    error, inside = start[0], np.array(start[1])
    outside = np.setdiff1d(np.arange(n), inside)
    pairs = np.argsort(uniforms(0, "exchanges", inside.size * outside.size), kind="stable")
    at = idle = 0
    while idle < pairs.size and judge.left > 0.0:
        some = np.take(pairs, np.arange(at, at + min(AT_ONCE, pairs.size)), mode="wrap")
        out, into = some // outside.size, some % outside.size
        sets = np.tile(inside, (some.size, 1))
        sets[np.arange(some.size), out] = outside[into]
        found, best = judge.worst_of(sets)
        at, idle = (at + some.size) % pairs.size, idle + some.size
        if found > error + _MORE:
            i, j = out[best], into[best]
            error, idle = found, 0
            inside[i], outside[j] = outside[j], inside[i]
    return error, sorted(inside.tolist())
