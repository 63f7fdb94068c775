"""Stragglers that leave partitions without holders."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst.patterns import Found, errors_with, number_of_best
from fastgc.draws.streams import uniforms

STARTS = 24


def starved(code: Code, most: int, order: NDArray[np.float64]) -> list[int]:
    """Return stragglers that leave partitions without holders, those with fewest holders first.

    Parameters
    ----------
    most : int
        Stragglers, at most.
    order : float64 array (k,)
        In (0, 1); decides between partitions with equally many holders left.
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
            for row in partitions[j][0]:
                other = int(row) // code.pieces
                left[other] -= 1
                heapq.heappush(queue, (left[other] + order[other], other))
    return list(chosen)


def searched(decoder: Decoder, code: Code, stragglers: int) -> Found:
    """Return the largest error found by starving alone, for codes of very many workers."""
    sets = np.empty((STARTS, stragglers), np.int64)
    for start in range(STARTS):
        chosen = starved(code, stragglers, uniforms(0, f"starve {start}", code.k))
        others = np.setdiff1d(np.arange(code.n), chosen)[: stragglers - len(chosen)]
        sets[start] = [*chosen, *others]
    errors = errors_with(decoder, sets, code.n)
    best = int(np.argmax(errors))
    return float(errors[best]), sets[best].tolist(), STARTS, number_of_best(errors, code.k)
