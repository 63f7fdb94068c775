"""Worst cases of any decoder, which is asked for the error of every set that is looked at."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst.climbing import Found, Sets, errors_with, number_of_best, starved
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
    error, chosen = max(ends)
    hits = number_of_best(np.array([found for found, _ in ends]), code.k)
    return error, chosen, len(ends), hits


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
    """Exchange a straggler for a survivor as long as that makes the error larger."""
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
