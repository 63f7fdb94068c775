"""Order statistics of workers with one law, drawn themselves: no worker's time is drawn.

Between order statistics k and k + m of n exponential numbers lies the m-th smallest of n − k others
(Rényi, 1953); exp(−that) is a Beta number, which costs the same for any n.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.strips import numbers

LANES = 2048  # trials side by side: enough that those drawn again fill vectors, too


@jit
def each(
    tables: Floats, kind: int, params: Floats, key: np.uint64, first_trial: np.uint64, out: Floats
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


@inline
def _largest(
    tables, multiples, share, weights, kind, params, key, first_trial, out, total, with_sum
):
    """`latest` and `latest_and_sum`; ``with_sum`` is a constant where this is inlined."""
    iterations, trials = out.shape
    step = np.empty(LANES)
    reached = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            done = out[iteration, start : start + lanes]
            added = total[iteration, start : start + lanes]
            added[:] = 0.0
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
                        reached[t] += step[t]
                        step[t] = offset + factor * reached[t]
                else:
                    for t in range(lanes):
                        reached[t] += step[t]
                        step[t] = reached[t] * share
                    invert(kind, params, step[:lanes])
                    for t in range(lanes):
                        step[t] *= multiple
                for t in range(lanes):
                    done[t] = max(done[t], step[t])
                if with_sum:
                    weight = weights[i]
                    for t in range(lanes):
                        added[t] += weight * step[t]


@jit
def latest(
    tables: Floats,
    multiples: Floats,
    share: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics.

    Their spacings have the strips ``tables`` (m, …); ``share`` of a standard exponential number is
    what the law is given: 1/d where each of the things in order is the first of d workers.
    """
    _largest(tables, multiples, share, multiples, kind, params, key, first_trial, out, out, False)


@jit
def latest_and_sum(
    tables: Floats,
    multiples: Floats,
    weights: Floats,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    total: Floats,
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics, and their sum.

    ``total`` (L, T) is that of the multiples, each times its weight; spacings of the order
    statistics have the strips ``tables`` (m, …).
    """
    _largest(tables, multiples, 1.0, weights, kind, params, key, first_trial, out, total, True)
