"""The worst pattern with a given number of stragglers: by enumeration, or the best of searches.

The optimal error never falls when a straggler is added, so the worst of at most s stragglers is a
worst of exactly s; one-step decoding has no such rule, and its worst is of exactly s.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import subsets
from fastgc.draws.streams import WORD, Batch, uniforms

MOST_ENUMERATED = 3_000_000
RANDOM_PATTERNS = 1 << 20
STARTS = 24
CHUNK = 1 << 16

Sets = NDArray[np.int64]


def is_enumerated(n: int, stragglers: int) -> bool:
    """Return whether all patterns are enumerated, so that the worst one is known."""
    return math.comb(n, stragglers) <= MOST_ENUMERATED


def worst_pattern(
    decoder: Decoder, held: NDArray[np.bool_], stragglers: int
) -> tuple[float, list[int]]:
    """Return the largest error found and the stragglers that cause it.

    ``held`` (k, n) says who holds which partition. Beyond ``MOST_ENUMERATED`` patterns it is the
    worst of 2²⁰ random patterns, of greedy choices, of partitions taken from all their holders,
    and of exchanges from the worst of these: a lower bound.
    """
    n = held.shape[1]
    if stragglers == 0:
        return float(_errors(decoder, np.empty((1, 0), np.int64), n)[0]), []
    if is_enumerated(n, stragglers):
        return max(_worst_of(decoder, chunk, n) for chunk in _all_sets(n, stragglers))
    starts = [_worst_of(decoder, chunk, n) for chunk in _random_sets(n, stragglers)]
    starts.sort(reverse=True)
    starts = starts[: STARTS // 2]
    starts += [_greedy(decoder, n, [], stragglers, attempt) for attempt in range(STARTS // 2)]
    starts += [
        _greedy(decoder, n, _starved(held, stragglers, attempt), stragglers, attempt)
        for attempt in range(STARTS // 2)
    ]
    return max(_exchange(decoder, n, start) for start in starts)


def _all_sets(n: int, size: int) -> Iterator[Sets]:
    every = itertools.combinations(range(n), size)
    while chunk := list(itertools.islice(every, CHUNK)):
        yield np.array(chunk)


def _random_sets(n: int, size: int) -> Iterator[Sets]:
    for first in range(0, RANDOM_PATTERNS, CHUNK):
        batch = Batch(0, "worst case", first, CHUNK // WORD, 1)
        patterns = subsets(n, batch, np.full(CHUNK, n - size), "straggle").packed
        bits = np.unpackbits(patterns.view(np.uint8), axis=1, bitorder="little")[:, :n]
        yield np.nonzero(bits == 0)[1].reshape(CHUNK, size)


def _starved(held: NDArray[np.bool_], size: int, attempt: int) -> list[int]:
    """Return stragglers that leave partitions without holders, those with fewest holders first."""
    chosen: list[int] = []
    left = held.copy()
    order = uniforms(0, f"starve {attempt}", len(held))
    while True:
        holders = left.sum(axis=1)
        cost = np.where(holders > 0, holders + order, np.inf)
        cheapest = int(np.argmin(cost))
        if not np.isfinite(cost[cheapest]) or len(chosen) + holders[cheapest] > size:
            return chosen
        fresh = np.flatnonzero(left[cheapest])
        chosen += [int(worker) for worker in fresh]
        left[:, fresh] = False


def _greedy(
    decoder: Decoder, n: int, start: list[int], size: int, attempt: int
) -> tuple[float, list[int]]:
    """Add the straggler that makes the error largest; of equal ones, one at random."""
    chosen = list(start)
    error = float(_errors(decoder, np.array([chosen], np.int64).reshape(1, -1), n)[0])
    ties = uniforms(0, f"greedy {attempt}", n * size).reshape(size, n)
    for step in range(len(chosen), size):
        left = np.array([j for j in range(n) if j not in chosen])
        sets = np.column_stack([np.tile(np.array(chosen, np.int64), (left.size, 1)), left])
        errors = _errors(decoder, sets, n)
        best = np.flatnonzero(errors >= errors.max() - 1e-9)
        pick = best[np.argmax(ties[step, left[best]])]
        chosen.append(int(left[pick]))
        error = float(errors[pick])
    return error, chosen


def _exchange(decoder: Decoder, n: int, start: tuple[float, list[int]]) -> tuple[float, list[int]]:
    """Exchange a straggler for a survivor as long as that makes the error larger."""
    error, chosen = start
    while True:
        others = [j for j in range(n) if j not in chosen]
        sets = np.tile(np.array(chosen), (len(chosen) * len(others), 1))
        places = np.repeat(np.arange(len(chosen)), len(others))
        sets[np.arange(len(sets)), places] = np.tile(others, len(chosen))
        found, better = _worst_of(decoder, sets, n)
        if found <= error + 1e-9:
            return error, sorted(chosen)
        error, chosen = found, better


def _worst_of(decoder: Decoder, sets: Sets, n: int) -> tuple[float, list[int]]:
    errors = _errors(decoder, sets, n)
    worst = int(np.argmax(errors))
    return float(errors[worst]), [int(j) for j in sets[worst]]


def _errors(decoder: Decoder, sets: Sets, n: int) -> NDArray[np.float64]:
    """Return the errors of patterns that are given by their stragglers, (T, s)."""
    survived = np.ones((len(sets), WORD * -(-n // WORD)), np.uint8)
    survived[:, n:] = 0
    np.put_along_axis(survived, sets, 0, axis=1)
    packed = np.packbits(survived, axis=1, bitorder="little").view(np.uint64)
    return decoder.errors(packed)
