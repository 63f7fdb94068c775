"""Random regular graphs: ends of edges joined at random, then mended."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError

_ATTEMPTS = 100

Ends = NDArray[np.int64]


def random_regular(v: int, degree: int, seed: int) -> Ends:
    """Return the edges (v · degree / 2, 2) of a random graph with ``degree`` edges at each vertex.

    Ends of edges are joined at random; loops and repeated edges change ends with random other
    edges that mend this. Edges come in order, the smaller end first.

    Raises
    ------
    FastgcError
        If none of 100 pairings could be mended.

    Examples
    --------
    >>> random_regular(4, 3, seed=1).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    few = min(degree, v - 1 - degree)  # what is left of the complete graph is regular too
    for attempt in range(_ATTEMPTS):
        keys = _pairing(v, few, seed, f"random-regular/{v}/{few}/{attempt}")
        if keys is not None:
            break
    else:
        raise FastgcError(
            f"graph: none of {_ATTEMPTS} random pairings could be mended into a graph "
            f"(vertices={v}, degree={few}); take another seed"
        )
    if few != degree:
        one, other = np.triu_indices(v, 1)
        keys = np.setdiff1d(one * v + other, keys, assume_unique=True)
    return np.stack(np.divmod(np.sort(keys), v), axis=1)


def _pairing(v: int, degree: int, seed: int, name: str) -> Ends | None:
    """Join edge ends at random and mend them; keys v · a + b, a < b, or None if some cannot be."""
    ends = np.argsort(uniforms(seed, name, v * degree), kind="stable") // max(degree, 1)
    pairs = np.ascontiguousarray(ends[: len(ends) // 2 * 2].reshape(-1, 2))
    count = len(pairs)
    keys = pairs.min(axis=1) * v + pairs.max(axis=1)
    known, places, times = np.unique(keys, return_inverse=True, return_counts=True)
    wrong = np.flatnonzero((pairs[:, 0] == pairs[:, 1]) | (times[places] > 1))
    # Loops and repetitions are few, and no change makes new ones: all else stays as it was paired.
    change: dict[int, int] = {}

    def key(a: int, b: int) -> int:
        return a * v + b if a < b else b * v + a

    def held(edge: int) -> int:
        place = int(np.searchsorted(known, edge))
        first = int(times[place]) if place < len(known) and known[place] == edge else 0
        return first + change.get(edge, 0)

    starts = (uniforms(seed, f"{name}/swaps", count) * 2 * count).astype(int)[wrong].tolist()
    for i, start in zip(wrong.tolist(), starts, strict=True):
        a, b = pairs[i].tolist()
        if a != b and held(key(a, b)) == 1:
            continue
        for step in range(2 * count):
            other, turned = divmod((start + step) % (2 * count), 2)
            c, d = pairs[other, ::-1].tolist() if turned else pairs[other].tolist()
            if a == c or b == d or key(a, c) == key(b, d):
                continue
            if held(key(a, c)) or held(key(b, d)):
                continue
            for edge, more in ((a, b), -1), ((c, d), -1), ((a, c), 1), ((b, d), 1):
                change[key(*edge)] = change.get(key(*edge), 0) + more
            pairs[i], pairs[other] = (a, c), (b, d)
            break
        else:
            return None
    return np.asarray(pairs.min(axis=1) * v + pairs.max(axis=1))
