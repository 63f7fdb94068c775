"""The worst of many searches, each greedy at first and then exchanging stragglers."""

import heapq
from collections.abc import Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import uniforms
from fastgc.registry.activity import searching
from fastgc_kernels.decode import worst_subsets

Sets = NDArray[np.int64]
#: The largest error of a search, its stragglers, and how many starts of how many ended there.
Found = tuple[float, list[int], int, int]
_SAME = 1e-9

STARTS = (512, 4096)  # at least, and at most where they are quick
STARVED = 64  # of a third; more of them find nothing new, and take Python
AT_ONCE = 32  # searches, until it is said how many are done
MOST_WORKERS = 2000  # whose matrix, n × n, has room
QUICK_STEPS = 3e9  # multiplications: a second or two
MOST_STEPS = 2e12  # some minutes; beyond it there are fewer starts
FEWEST_STARTS = 16


def errors_with(decoder: Decoder, sets: Sets, n: int) -> Values:
    """Return the errors of sets (T, s) of stragglers among n workers."""
    return decoder.errors(patterns_with(sets, n))


def patterns_with(sets: Sets, n: int) -> NDArray[np.uint64]:
    """Return the packed patterns of sets (T, s) of stragglers among n workers."""
    survived = np.ones((len(sets), n), bool)
    np.put_along_axis(survived, sets, False, axis=1)
    return packed(survived)


def best_of(ends: Sequence[tuple[float, list[int]]], k: int) -> Found:
    """Return what was found by starts that end so, of a code of k partitions."""
    error, chosen = max(ends, key=itemgetter(0))
    hits = sum(found >= error - _SAME * k for found, _ in ends)  # the same but for rounding
    return error, chosen, len(ends), hits


def _ends(decoder: Decoder, sets: Sets, n: int) -> list[tuple[float, list[int]]]:
    return list(zip(errors_with(decoder, sets, n).tolist(), sets.tolist(), strict=True))


def starts_for(n: int, stragglers: int) -> int:
    """Return how many searches there are."""
    steps = 4.0 * stragglers * n * n
    fewest = min(STARTS[0], max(FEWEST_STARTS, MOST_STEPS / steps))
    return int(min(STARTS[1], max(fewest, QUICK_STEPS / steps)))


def seconds(n: int, stragglers: int) -> float:
    """Return about how long the searches take on a core."""
    return starts_for(n, stragglers) * 4.0 * stragglers * n * n * 3e-10


def worst(decoder: Decoder, code: Code, stragglers: int, most: int | None = None) -> Found:
    """Return the largest error found, its stragglers, and how many starts of how many ended there.

    ``most`` starts at most; by default as many as `starts_for` says.

    Some of the starts first take all holders of partitions; of the others half is greedy, with
    workers weighted at random, and half begins with half of the stragglers at random.
    """
    n = code.n
    H, x = decoder.decomposition.ridge
    starts = starts_for(n, stragglers)
    starts = starts if most is None else min(starts, most)
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
        for begun in range(0, starts, AT_ONCE):
            some = slice(begun, begun + AT_ONCE)
            worst_subsets.climb(H, x, weights[some], sets[some])
            looked_at.done += AT_ONCE
    return best_of(_ends(decoder, sets, n), code.k)


# ---- Stragglers that leave partitions without holders


STARVING_STARTS = 24


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
            for other in np.unique(partitions[j][0] // code.pieces).tolist():
                left[other] -= 1
                heapq.heappush(queue, (left[other] + order[other], other))
    return list(chosen)


def starving_sets(code: Code, stragglers: int, count: int) -> Sets:
    """Return sets (count, stragglers) that starve as many partitions as they can."""
    sets = np.empty((count, stragglers), np.int64)
    for start in range(count):
        chosen = starved(code, stragglers, uniforms(0, f"starve {start}", code.k))
        others = np.setdiff1d(np.arange(code.n), chosen)[: stragglers - len(chosen)]
        sets[start] = [*chosen, *others]
    return sets


def starving(decoder: Decoder, code: Code, stragglers: int) -> Found:
    """Return the largest error found by starving alone, for codes of very many workers."""
    sets = starving_sets(code, stragglers, STARVING_STARTS)
    return best_of(_ends(decoder, sets, code.n), code.k)
