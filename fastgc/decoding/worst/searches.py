"""Sets of stragglers looked at: all of them, part by part of a code, or the best of many searches.

A search is greedy at first, or starves partitions, and then exchanges stragglers.
"""

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import Decomposition, scale_columns
from fastgc.draws.patterns import packed, subsets, unpacked
from fastgc.draws.streams import WORD, Trials, uniforms
from fastgc.registry.activity import searching
from fastgc_kernels.decode import jacobi, least_squares, worst_subsets

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


def error_with(decoder: Decoder, chosen: Sequence[int], n: int) -> float:
    """Return the error of one set of stragglers among n workers."""
    return float(errors_with(decoder, np.array([chosen], np.int64).reshape(1, -1), n)[0])


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
        batch = Trials(0, "worst case", first, CHUNK // WORD, 1)
        patterns = subsets(n, batch, np.full(CHUNK, n - size), "straggle").packed
        yield np.nonzero(~unpacked(patterns, n))[1].reshape(CHUNK, size)


def _greedy(
    decoder: Decoder, n: int, start: list[int], size: int, attempt: int
) -> tuple[float, list[int]]:
    """Add the straggler that makes the error largest; of equal ones, one at random."""
    chosen = list(start)
    error = error_with(decoder, chosen, n)
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


# ---- All sets, part by part of codes that fall apart


#: For each number of stragglers from 0 on, the largest error and who they are.
Profile = list[tuple[float, tuple[int, ...]]]


@dataclass(frozen=True)
class Component:
    """Workers that have partitions in common, directly or through others, and their rows of B."""

    workers: NDArray[np.int64]
    B: Values

    @property
    def items(self) -> list[list[int]]:
        """Places of workers with the same column: one alone costs nothing while another is left."""
        found: dict[bytes, list[int]] = {}
        for place, column in enumerate(np.ascontiguousarray(self.B.T)):
            found.setdefault(column.tobytes(), []).append(place)
        return sorted(found.values(), key=len)

    def sets(self, stragglers: int) -> int:
        """How many sets `worst_items` looks at, at most."""
        prices = [len(item) for item in self.items]
        if prices[0] == prices[-1]:
            fit = min(stragglers // prices[0], len(prices))
            return math.comb(len(prices), min(fit, len(prices) - fit))
        counts = [1] + [0] * stragglers
        for price in prices:
            for size in range(stragglers, price - 1, -1):
                counts[size] += counts[size - price]
        return sum(counts)


def parts_of(B: Values) -> list[Component]:
    """Return the parts of a code that have no partition in common; idle workers are in none."""
    # their import takes longer than many a command
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    held = np.nonzero(B)
    k, n = B.shape
    links = coo_array((np.ones(held[0].size), (held[0], held[1] + k)), (k + n, k + n))
    labels = connected_components(links, directed=False)[1]
    busy = np.flatnonzero((B != 0).any(axis=0))
    found = []
    for label in dict.fromkeys(labels[k + busy].tolist()):
        workers = busy[labels[k + busy] == label]
        rows = np.flatnonzero(labels[:k] == label)
        found.append(Component(workers, np.ascontiguousarray(B[np.ix_(rows, workers)])))
    return found


def are_few_sets(code: Code, stragglers: int, most: int) -> bool:
    """Return whether so few sets are to be looked at."""
    parts = parts_of(code.B)
    sets = 0
    for part in parts:
        own = min(stragglers, part.workers.size)
        # of parts side by side each has to be known for every number of stragglers
        sets += sum(part.sets(s) for s in range(1 if len(parts) > 1 else own, own + 1))
    return sets <= most


def worst_of_parts(code: Code, stragglers: int) -> list[int] | None:
    """Return a worst set by looking at all; None where too many lost too many digits."""
    parts = parts_of(code.B)
    alike: dict[tuple[bytes, int], Profile] = {}
    profile: Profile
    best: Profile = [(0.0, ())]
    for part in parts:
        own = min(stragglers, part.workers.size)
        key = part.B.tobytes(), part.workers.size
        if key not in alike:
            decoder, profile = Decoder(part.B), [(0.0, ())] * (own + 1)
            for s in (own,) if len(parts) == 1 else range(own + 1):
                found = worst_items(decoder, part, s)
                if found is None:
                    return None
                profile[s] = error_with(decoder, found, part.workers.size), tuple(found)
            alike[key] = profile
        best = _together(best, alike[key], part.workers, stragglers)
    chosen = best[-1][1]
    spare = np.setdiff1d(np.arange(code.n), chosen)[: stragglers - len(chosen)]
    return [*chosen, *spare.tolist()]


def _together(best: Profile, own: Profile, workers: NDArray[np.int64], most: int) -> Profile:
    found: Profile = []
    for s in range(min(len(best) + len(own) - 1, most + 1)):
        splits = range(max(0, s - len(best) + 1), min(s, len(own) - 1) + 1)
        here = max(splits, key=lambda j: best[s - j][0] + own[j][0])
        (error, chosen), (more, places) = best[s - here], own[here]
        found.append((error + more, (*chosen, *workers[list(places)].tolist())))
    return found


# ---- All sets of stragglers within a budget, each with what it costs


MOST_UNCLEAR = 1 << 20  # sets that lost too many digits, decoded once more: some seconds


def worst_items(decoder: Decoder, part: Component, stragglers: int) -> list[int] | None:
    """Return the worst set of at most so many stragglers of a part; ``decoder`` is that of its B.

    None where too many sets lost too many digits.
    """
    B, items = part.B, part.items
    parts = Decomposition.of(scale_columns(np.ascontiguousarray(B[:, [i[0] for i in items]]))[0])
    rank, m = parts.rank, len(items)
    H, x = jacobi.gram(parts.inverse), parts.shortest
    independent = rank == m
    if independent:
        least_squares.normalise(H, x)
    price = np.array([len(item) for item in items])
    order = np.lexsort([-x * x / H.diagonal(), price])  # the best early, so that few are better
    P = jacobi.gram(np.ascontiguousarray(parts.V[rank:]))[np.ix_(order, order)]
    terms = worst_subsets.Terms(np.ascontiguousarray(H[np.ix_(order, order)]), x[order], P)
    price = price[order]
    rest = np.append(np.cumsum(price[::-1])[::-1], 0)
    own = worst_subsets.PricedItems(price, rest, stragglers)
    depths = min(m, stragglers) + 2
    room = worst_subsets.Path(
        np.zeros(depths, np.int64),
        np.zeros((depths, m, m)),
        np.zeros((depths, m)),
        np.zeros((depths, 0, 0) if independent else (depths, m, m)),
        np.zeros((depths, 2, m)),
    )
    best = worst_subsets.Best(
        np.full(1, -1.0),
        np.zeros(depths, np.int64),
        np.zeros((MOST_UNCLEAR, depths), np.int16),
        np.zeros(2, np.int64),
    )
    search = worst_subsets.search if independent else worst_subsets.search_dependent

    def workers(chosen: NDArray[np.integer]) -> list[int]:
        return [worker for item in order[chosen] for worker in items[item]]

    most, worst = -1.0, [0] * 0
    with searching("sets", math.comb(m, min(m, stragglers))) as looked_at:
        for first in range(m):
            best.counts[1] = 0
            search(own, first, first + 1, terms, room, best)
            if best.counts[1] > MOST_UNCLEAR:
                return None
            for row in best.unclear[: best.counts[1]]:
                chosen = workers(row[: int(np.argmax(row < 0))])
                error = error_with(decoder, chosen, B.shape[1])
                if error > most:
                    most, worst = error, chosen
            looked_at.done += math.comb(m - first - 1, max(0, stragglers - 1))
    found = workers(best.items[: best.counts[0]]) if best.cost[0] >= 0 else []
    return found if error_with(decoder, found, B.shape[1]) >= most else worst
