"""Worst cases by looking at all sets, part by part of codes that fall apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import formulas
from fastgc.decoding.worst.enumerating import worst_items
from fastgc.decoding.worst.formulas import Profile
from fastgc.decoding.worst.patterns import errors_with

Matrix = NDArray[np.float64]


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


def is_enumerated(code: Code, stragglers: int, most: int, use_formulas: bool = True) -> bool:
    """Return whether so few sets are to be looked at, or formulas know the worst."""
    parts = parts_of(code.B)
    sets = 0
    for part in parts:
        own = min(stragglers, part.workers.size)
        if not use_formulas or formulas.of_graph(part.B, own) is None:
            # of parts side by side each has to be known for every number of stragglers
            sets += sum(part.sets(s) for s in range(1 if len(parts) > 1 else own, own + 1))
    return sets <= most


def worst(code: Code, stragglers: int, use_formulas: bool) -> list[int] | None:
    """Return a worst set by looking at all; None where too many lost too many digits."""
    parts = parts_of(code.B)
    alike: dict[tuple[bytes, int], Profile] = {}
    best: Profile = [(0.0, ())]
    for part in parts:
        own = min(stragglers, part.workers.size)
        key = part.B.tobytes(), part.workers.size
        if key not in alike:
            known = formulas.of_graph(part.B, own) if use_formulas else None
            found = known or _looked_at(part, own, alone=len(parts) == 1)
            if found is None:
                return None
            alike[key] = found
        best = _together(best, alike[key], part.workers, stragglers)
    chosen = best[-1][1]
    spare = np.setdiff1d(np.arange(code.n), chosen)[: stragglers - len(chosen)]
    return [*chosen, *spare.tolist()]


def _looked_at(part: Part, most: int, *, alone: bool) -> Profile | None:
    """The worst of every number of stragglers up to ``most``; of that one only, if it is alone."""
    decoder = Decoder(part.B)
    profile: Profile = [(0.0, ())] * (most + 1)
    for s in (most,) if alone else range(most + 1):
        found = worst_items(decoder, part.B, part.items, s)
        if found is None:
            return None
        error = errors_with(decoder, np.array([found], np.int64), part.workers.size)
        profile[s] = float(error[0]), tuple(found)
    return profile


def _together(best: Profile, own: Profile, workers: NDArray[np.int64], most: int) -> Profile:
    """The worst of parts side by side."""
    found: Profile = []
    for s in range(min(len(best) + len(own) - 1, most + 1)):
        splits = range(max(0, s - len(best) + 1), min(s, len(own) - 1) + 1)
        here = max(splits, key=lambda j: best[s - j][0] + own[j][0])
        chosen = (int(workers[place]) for place in own[here][1])
        found.append((best[s - here][0] + own[here][0], (*best[s - here][1], *chosen)))
    return found
