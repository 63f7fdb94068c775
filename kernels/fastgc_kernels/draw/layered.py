"""The largest of multiples of order statistics, and a weighted sum of them beside it.

As `fastgc_kernels.draw.order_statistics.latest`, from the same draws; the mean of the sum is known.
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
def latest_and_sum(
    tables: NDArray[np.float64],
    multiples: NDArray[np.float64],
    weights: NDArray[np.float64],
    kind: int,
    params: NDArray[np.float64],
    key: np.uint64,
    first_trial: np.uint64,
    out: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics, and their sum.

    ``total`` (L, T) is that of the multiples, each times its weight; spacings of the order
    statistics have the strips ``tables`` (m, …).
    """
    iterations, trials = out.shape
    step = np.empty(LANES)
    reached = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            done = out[iteration, start : start + lanes]
            added = total[iteration, start : start + lanes]
            done[:] = 0.0
            added[:] = 0.0
            reached[:] = 0.0
            for i in range(multiples.size):
                first = first_trial + U64(start)
                numbers(tables[i], key, first, iteration, i, step[:lanes])
                multiple = multiples[i]
                weight = weights[i]
                if kind == law_numbers.EXPONENTIAL:
                    offset = multiple * params[0]
                    factor = multiple * params[1]
                    for t in range(lanes):
                        e = reached[t] + step[t]
                        reached[t] = e
                        own = offset + factor * e
                        done[t] = max(done[t], own)
                        added[t] += weight * own
                else:
                    for t in range(lanes):
                        reached[t] += step[t]
                        step[t] = reached[t]
                    invert(kind, params, step[:lanes])
                    for t in range(lanes):
                        own = multiple * step[t]
                        done[t] = max(done[t], own)
                        added[t] += weight * own
