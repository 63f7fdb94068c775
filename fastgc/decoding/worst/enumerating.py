"""All sets of stragglers within a budget, each with what it costs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import Decomposition, scale_columns
from fastgc.decoding.worst.patterns import errors_with
from fastgc.registry.activity import searching
from fastgc_kernels.decode import jacobi, least_squares, worst_subsets

MOST_UNCLEAR = 1 << 20  # sets that lost too many digits, decoded once more: some seconds


def worst_items(
    decoder: Decoder, B: NDArray[np.float64], items: list[list[int]], stragglers: int
) -> list[int] | None:
    """Return the worst set of at most so many stragglers of a code.

    Parameters
    ----------
    decoder : Decoder
        Of the code.
    B : float64 array (k, n)
    items : list of lists of int
        Workers with the same column, of every column, fewest first.

    Returns
    -------
    list of int, or None
        None where too many sets lost too many digits.
    """
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
