"""The largest of multiples of order statistics, and each of them beside it.

As `fastgc_kernels.draw.order_statistics.latest`, from the same draws, whose order statistics are
kept: their means are known.
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
def latest_and_each(
    tables: NDArray[np.float64],
    multiples: NDArray[np.float64],
    kind: int,
    params: NDArray[np.float64],
    key: np.uint64,
    first_trial: np.uint64,
    out: NDArray[np.float64],
    each: NDArray[np.float64],
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics, and ``each``.

    ``each`` (m, L, T) are the multiples of the order statistics, whose spacings have the strips
    ``tables`` (m, …).
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
                own = each[i, iteration, start : start + lanes]
                if kind == law_numbers.EXPONENTIAL:
                    offset = multiple * params[0]
                    factor = multiple * params[1]
                    for t in range(lanes):
                        e = reached[t] + step[t]
                        reached[t] = e
                        own[t] = offset + factor * e
                else:
                    for t in range(lanes):
                        reached[t] += step[t]
                        own[t] = reached[t]
                    invert(kind, params, own)
                    for t in range(lanes):
                        own[t] *= multiple
                for t in range(lanes):
                    done[t] = max(done[t], own[t])
