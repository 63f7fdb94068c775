"""Worst cases by looking at all sets, part by part of codes that fall apart."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import Decomposition, scale_columns
from fastgc.decoding.worst.searches import errors_with
from fastgc.registry.activity import searching
from fastgc_kernels.decode import jacobi, least_squares, worst_subsets

Matrix = Values

#: For each number of stragglers from 0 on, the largest error and who they are.
Profile = list[tuple[float, tuple[int, ...]]]


@dataclass(frozen=True)
class Part:
    """Workers that have partitions in common, directly or through others, and their rows of B."""

    workers: NDArray[np.int64]
    B: Matrix

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


def parts_of(B: Matrix) -> list[Part]:
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
        found.append(Part(workers, np.ascontiguousarray(B[np.ix_(rows, workers)])))
    return found


def is_enumerated(code: Code, stragglers: int, most: int) -> bool:
    """Return whether so few sets are to be looked at."""
    parts = parts_of(code.B)
    sets = 0
    for part in parts:
        own = min(stragglers, part.workers.size)
        # of parts side by side each has to be known for every number of stragglers
        sets += sum(part.sets(s) for s in range(1 if len(parts) > 1 else own, own + 1))
    return sets <= most


def worst(code: Code, stragglers: int) -> list[int] | None:
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
                error = errors_with(decoder, np.array([found], np.int64), part.workers.size)
                profile[s] = float(error[0]), tuple(found)
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


def worst_items(decoder: Decoder, part: Part, stragglers: int) -> list[int] | None:
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
    own = worst_subsets.Items(price, rest, stragglers)
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
                error = float(errors_with(decoder, np.array([chosen]), B.shape[1])[0])
                if error > most:
                    most, worst = error, chosen
            looked_at.done += math.comb(m - first - 1, max(0, stragglers - 1))
    found = workers(best.items[: best.counts[0]]) if best.cost[0] >= 0 else []
    sure = float(errors_with(decoder, np.array([found], np.int64).reshape(1, -1), B.shape[1])[0])
    return found if sure >= most else worst
