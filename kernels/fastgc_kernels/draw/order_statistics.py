"""Order statistics of workers with one law, drawn themselves: no worker's time is drawn.

Between order statistics k and k + m of n exponential numbers lies the m-th smallest of n − k others
(Rényi, 1953); exp(−that) is a Beta number, which costs the same for any n.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.laws import invert
from fastgc_kernels.draw.strips import numbers

U64 = np.uint64
LANES = 512  # trials side by side: few enough for the first cache


@jit
def each(
    tables: NDArray[np.float64],
    kind: int,
    params: NDArray[np.float64],
    key: np.uint64,
    first_trial: np.uint64,
    out: NDArray[np.float64],
) -> None:
    """Order statistics ``out`` (L, m, T) whose spacings have the strips ``tables`` (m, …)."""
    iterations, many, trials = out.shape
    step = np.empty(LANES)
    reached = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            reached[:] = 0.0
            for i in range(many):
                first = first_trial + U64(start)
                numbers(tables[i], key, first, iteration, i, step[:lanes])
                row = out[iteration, i, start : start + lanes]
                for t in range(lanes):
                    reached[t] += step[t]
                    row[t] = reached[t]
                invert(kind, params, row)


@jit
def latest(
    tables: NDArray[np.float64],
    multiples: NDArray[np.float64],
    share: float,
    kind: int,
    params: NDArray[np.float64],
    key: np.uint64,
    first_trial: np.uint64,
    out: NDArray[np.float64],
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics.

    Their spacings have the strips ``tables`` (m, …); ``share`` of a standard exponential number is
    what the law is given: 1/d where each of the things in order is the first of d workers.
    """
    iterations, trials = out.shape
    step = np.empty(LANES)
    reached = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            done = out[iteration, start : start + lanes]
            done[:] = 0.0
            reached[:] = 0.0
            for i in range(multiples.size):
                first = first_trial + U64(start)
                numbers(tables[i], key, first, iteration, i, step[:lanes])
                multiple = multiples[i]
                if kind == law_numbers.EXPONENTIAL:
                    offset = multiple * params[0]
                    factor = multiple * params[1] * share
                    for t in range(lanes):
                        e = reached[t] + step[t]
                        reached[t] = e
                        done[t] = max(done[t], offset + factor * e)
                else:
                    for t in range(lanes):
                        reached[t] += step[t]
                        step[t] = reached[t] * share
                    invert(kind, params, step[:lanes])
                    for t in range(lanes):
                        done[t] = max(done[t], multiple * step[t])
