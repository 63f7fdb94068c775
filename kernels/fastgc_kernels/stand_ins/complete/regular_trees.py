"""Stand-in of regular trees of workers with one law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.complete.networks import in_order
from fastgc_kernels.stand_ins.draw.laws import invert
from fastgc_kernels.stand_ins.draw.pairs import exponentials
from fastgc_kernels.stand_ins.draw.spacings import serve
from fastgc_kernels.stand_ins.draw.strips import numbers

MOST = 1 << 21

Floats = NDArray[np.float64]


def _answered(rows: Floats, need: int, receive: float, done: Floats) -> Floats:
    if not receive > 0.0:
        return np.maximum(done, rows[need - 1])
    for row in rows[:need]:
        done = np.maximum(done, row) + receive
    return done


def completion(
    shape: tuple[int, int, int],
    table: Floats,
    network: NDArray[np.int32],
    receive: float,
    after_own: bool,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    last: NDArray[np.int32],
    without: Floats,
) -> object:
    """All trials side by side, parents depth first."""
    n, layers, need = shape
    trials = out.shape[1]
    if out.size * n ** (layers - 1) * (need + 2) > MOST:
        return NotImplemented
    port = receive > 0.0
    both = without.size > 0
    rows = np.empty((layers - 1, n, trials))
    free = np.empty(rows.shape if both else (0, 0, 0))
    reached = np.empty(trials)
    for iteration, result in enumerate(out):
        address = 0
        two = np.empty((2, trials))
        for parent in range(n ** (layers - 1)):
            level, place = layers - 2, parent
            if parent % 2 == 0:
                exponentials(key, first_trial, iteration, address, *two)
                address += 1
                free_of_two = two.copy()
                if port:
                    for numbers_of_one in two:
                        invert(kind, params, numbers_of_one)
            own = two[parent % 2]
            sent = rows[level, place % n]
            if port:
                sent[:] = own if after_own else 0.0
                place_of_draws = (key, first_trial, iteration, address)
                serve(n, need, receive, kind, params, *place_of_draws, reached, sent)
                address += (need + 1) // 2
                if both:
                    np.maximum(free_of_two[parent % 2], reached, out=free[level, place % n])
            else:
                numbers(table, key, first_trial, iteration, address, sent)
                address += 1
            np.maximum(sent, own, out=sent)
            while place % n == n - 1 and level > 0:
                place //= n
                level -= 1
                own = rows[level, place % n]
                exponentials(key, first_trial, iteration, address, own, np.empty(trials))
                address += 1
                if both:
                    in_order(free[level + 1], last)
                    np.maximum(own, free[level + 1, need - 1], out=free[level, place % n])
                if port:
                    invert(kind, params, own)
                in_order(rows[level + 1], network)
                opens = own if after_own else np.zeros(trials)
                done = _answered(rows[level + 1], need, receive, opens)
                np.maximum(own, done, out=own)
        in_order(rows[0], network)
        result[:] = _answered(rows[0], need, receive, np.zeros(trials))
        if not port:
            invert(kind, params, result)
        if both:
            in_order(free[0], last)
            without[iteration] = free[0, need - 1]
            invert(kind, params, without[iteration])
    return None
