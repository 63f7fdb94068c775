"""Sets of stragglers looked at: all of them, or the best of many searches.

A search is greedy at first, or starves partitions, and then exchanges stragglers.
"""

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import subsets
from fastgc.draws.streams import WORD, Batch, uniforms
from fastgc.registry.activity import searching
from fastgc_kernels.decode import worst_subsets

Sets = NDArray[np.int64]
#: The largest error of a search, its stragglers, and how many starts of how many ended there.
Found = tuple[float, list[int], int, int]
_SAME = 1e-9

STARTS = 24
CLIMBS = (512, 4096)  # at least, and at most where they are quick
STARVED = 64  # of a third; more of them find nothing new, and take Python
CLIMBS_AT_ONCE = 32  # until it is said how many are done
MOST_WORKERS = 2000  # whose matrix, n × n, has room
QUICK_STEPS = 3e9  # multiplications: a second or two
MOST_STEPS = 2e12  # some minutes; beyond it there are fewer climbs
FEWEST_CLIMBS = 16
MOST_ENUMERATED = 3_000_000
RANDOM_PATTERNS = 1 << 20
CHUNK = 1 << 16


def errors_with(decoder: Decoder, sets: Sets, n: int) -> Values:
    """Return the errors of sets (T, s) of stragglers among n workers."""
    return decoder.errors(patterns_with(sets, n))


def patterns_with(sets: Sets, n: int) -> NDArray[np.uint64]:
    """Return the packed patterns of sets (T, s) of stragglers among n workers."""
    survived = np.ones((len(sets), n), bool)
    np.put_along_axis(survived, sets, False, axis=1)
    return packed(survived)


def _best_of(errors: Sequence[float], sets: Sequence[list[int]], k: int) -> Found:
    best = max(range(len(sets)), key=errors.__getitem__)
    hits = sum(error >= errors[best] - _SAME * k for error in errors)  # the same but for rounding
    return errors[best], sets[best], len(sets), hits


# ---- Climbs along the null space and the inverse: optimal decoding of real matrices


def seconds(n: int, stragglers: int) -> float:
    """Return about how long the searches take on a core."""
    return _starts(n, stragglers) * 4.0 * stragglers * n * n * 3e-10


def _starts(n: int, stragglers: int) -> int:
    steps = 4.0 * stragglers * n * n
    fewest = min(CLIMBS[0], max(FEWEST_CLIMBS, MOST_STEPS / steps))
    return int(min(CLIMBS[1], max(fewest, QUICK_STEPS / steps)))


def climbed(decoder: Decoder, code: Code, stragglers: int, most: int | None = None) -> Found:
    """Return the best of ``most`` starts, by default as many as take a second or two.

    Some of the starts first take all holders of partitions; of the others half is greedy, with
    workers weighted at random, and half begins with half of the stragglers at random.
    """
    n = code.n
    H, x = decoder.decomposition.ridge
    starts = min(_starts(n, stragglers), most or CLIMBS[1])
    weights = 1.0 + uniforms(0, "worst case weights", starts * n).reshape(starts, n)
    sets = np.full((starts, stragglers), -1)
    order = uniforms(0, "worst case order", starts * max(n, code.k)).reshape(starts, -1)
    for start in range(starts):
        if start % 3 == 1 and start < 3 * STARVED:
            first = starved(code, stragglers, order[start, : code.k])
            sets[start, : len(first)] = first
        elif start % 3 == 2:
            half = stragglers // 2
            sets[start, :half] = np.argsort(order[start, :n])[:half]
    with searching("from starts", starts) as looked_at:
        for begun in range(0, starts, CLIMBS_AT_ONCE):
            some = slice(begun, begun + CLIMBS_AT_ONCE)
            worst_subsets.climb(H, x, weights[some], sets[some])
            looked_at.done += CLIMBS_AT_ONCE
    return _best_of(errors_with(decoder, sets, n).tolist(), sets.tolist(), code.k)


# ---- Stragglers that leave partitions without holders


def starved(code: Code, most: int, order: Values) -> list[int]:
    """Return stragglers that leave partitions without holders, those with fewest holders first.

    ``most``: stragglers, at most; ``order``, float64 array (k,): in (0, 1); decides between
    partitions with equally many holders left.
    """
    offsets, workers = code.holders
    partitions = code.columns
    left = np.diff(offsets)
    queue = [(holders + tie, i) for i, (holders, tie) in enumerate(zip(left, order, strict=True))]
    heapq.heapify(queue)
    chosen: set[int] = set()
    while queue:
        cost, i = heapq.heappop(queue)
        holders = int(left[i])
        if holders == 0 or cost >= holders + 1:  # lost, or not what it costs by now
            continue
        if len(chosen) + holders > most:
            break
        fresh = [int(j) for j in workers[offsets[i] : offsets[i + 1]] if int(j) not in chosen]
        chosen.update(fresh)
        for j in fresh:
            for other in partitions[j][0].tolist():
                left[other] -= 1
                heapq.heappush(queue, (left[other] + order[other], other))
    return list(chosen)


def starving(decoder: Decoder, code: Code, stragglers: int) -> Found:
    """Return the largest error found by starving alone, for codes of very many workers."""
    sets = np.empty((STARTS, stragglers), np.int64)
    for start in range(STARTS):
        chosen = starved(code, stragglers, uniforms(0, f"starve {start}", code.k))
        others = np.setdiff1d(np.arange(code.n), chosen)[: stragglers - len(chosen)]
        sets[start] = [*chosen, *others]
    return _best_of(errors_with(decoder, sets, code.n).tolist(), sets.tolist(), code.k)


# ---- Any decoder, which is asked for the error of every set that is looked at


def is_enumerated(n: int, stragglers: int, most: int = MOST_ENUMERATED) -> bool:
    """Return whether there are so few sets that all are decoded."""
    return math.comb(n, stragglers) <= min(most, MOST_ENUMERATED)


def enumerated(decoder: Decoder, code: Code, stragglers: int) -> list[int]:
    """Return a worst set, of all."""
    best: tuple[float, list[int]] = (-1.0, [])
    with searching("sets", math.comb(code.n, stragglers)) as looked_at:
        for chunk in every_set(code.n, stragglers):
            best = max(best, _worst_of(decoder, chunk, code.n))
            looked_at.done += len(chunk)
    return best[1]


def searched(decoder: Decoder, code: Code, stragglers: int) -> Found:
    """Return the best of some starts.

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
    errors, sets = zip(*sorted(ends, reverse=True), strict=True)
    return _best_of(errors, sets, code.k)


def every_set(n: int, size: int) -> Iterator[Sets]:
    """Yield all sets of one size, some at a time."""
    every = itertools.combinations(range(n), size)
    while some := list(itertools.islice(every, CHUNK)):
        yield np.array(some, np.int64).reshape(len(some), size)


def random_sets(n: int, size: int) -> Iterator[Sets]:
    """Yield random sets of one size, some at a time."""
    for first in range(0, RANDOM_PATTERNS, CHUNK):
        batch = Batch(0, "worst case", first, CHUNK // WORD, 1)
        patterns = subsets(n, batch, np.full(CHUNK, n - size), "straggle").packed
        bits = np.unpackbits(patterns.view(np.uint8), axis=1, bitorder="little")[:, :n]
        yield np.nonzero(bits == 0)[1].reshape(CHUNK, size)


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
