"""Order statistics of workers with one law, drawn themselves: no worker's time is drawn.

Between order statistics k and k + m of n exponential numbers lies the m-th smallest of n − k others
(Rényi, 1953); exp(−that) is a Beta number, which costs the same for any n. Behind a port all
arrivals count: the i-th smallest is Σ_{j ≤ i} E_j/(n − j + 1).
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw import law_numbers, variate_vectors
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.pairs import exponentials, in_blocks
from fastgc_kernels.draw.philox import halves
from fastgc_kernels.draw.strips import numbers

LANES = 2048  # trials side by side: enough that those drawn again fill vectors, too
PORT_LANES = 256  # behind a port: few enough for the first cache


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


@jit
def latest(
    tables: Floats,
    multiples: Floats,
    share: float,
    weights: Floats,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    total: Floats,
) -> None:
    """Largest ``out`` (L, T) of so many ``multiples`` (m,) of order statistics, and their sum.

    Their spacings have the strips ``tables`` (m, …); ``share`` of a standard exponential number is
    what the law is given: 1/d where each of the things in order is the first of d workers.
    ``total`` (L, T) is the sum of the multiples, each times its weight; (0, 0) where it is not
    needed.
    """
    iterations, trials = out.shape
    with_sum = total.size > 0
    step = np.empty(LANES)
    reached = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            done = out[iteration, start : start + lanes]
            added = total[iteration, start : start + lanes] if with_sum else done
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


@inline
def _receive(kind, params, receive, step, weight, reached, arrival, done):
    # the next arrival, ``step`` · ``weight`` after the one before, goes through the port
    for t in range(done.size):
        reached[t] += weight * step[t]
        arrival[t] = reached[t]
    invert(kind, params, arrival)
    for t in range(done.size):
        done[t] = max(done[t], arrival[t]) + receive


@jit
def serve(n, need, receive, kind, params, key, first, iteration, address, reached, done):
    """Receive the first ``need`` of n answers; ``done`` says when the port opens, then is over.

    ``reached`` gets the exponential number of the last answer that was waited for. Addresses from
    ``address`` on are used, one for two answers.
    """
    reached[:] = 0.0
    whole = np.int64(0)
    if kind == law_numbers.EXPONENTIAL:
        whole = min(in_blocks(first, reached), in_blocks(first, done))
    if whole > 0:
        k0, k1 = halves(key)
        draw = first, U64(iteration), U64(address), k0, k1
        law = params[0], params[1], receive
        variate_vectors.served((n, need), law, draw, whole, reached, done)
        first, reached, done = first + U64(whole), reached[whole:], done[whole:]
    lanes = done.size
    if lanes == 0:
        return
    even = np.empty(lanes)
    odd = np.empty(lanes)
    arrival = np.empty(lanes)
    for i in range(0, need, 2):
        exponentials(key, first, iteration, address + i // 2, even, odd)
        _receive(kind, params, receive, even, 1.0 / (n - i), reached, arrival, done)
        if i + 1 < need:
            _receive(kind, params, receive, odd, 1.0 / (n - i - 1), reached, arrival, done)


@jit
def completion(
    n: int,
    need: int,
    receive: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    without: Floats,
) -> None:
    """Moments ``out`` (L, T) at which a port has received ``need`` of n answers.

    ``without`` (L, T) gets those at which the last of them arrives; (0, 0) where it is not needed.
    """
    iterations, trials = out.shape
    room = np.empty(PORT_LANES)
    for iteration in range(iterations):
        for start in range(0, trials, PORT_LANES):
            done = out[iteration, start : min(start + PORT_LANES, trials)]
            done[:] = 0.0
            first = first_trial + U64(start)
            address = np.int64(0)
            reached = room[: done.size]
            serve(n, need, receive, kind, params, key, first, iteration, address, reached, done)
            if without.size:
                invert(kind, params, reached)
                without[iteration, start : start + done.size] = reached
