"""Arrivals in order, one after the other, for workers with one law and a port.

The i-th smallest of n exponential numbers is Σ_{j ≤ i} E_j/(n − j + 1) (Rényi, 1953).
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw import law_numbers, variate_vectors
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.pairs import exponentials, in_blocks
from fastgc_kernels.draw.philox import halves

LANES = 256  # trials side by side: few enough for the first cache


@inline
def _receive(kind, params, receive, step, weight, reached, arrival, done):
    """The next arrival, ``step`` · ``weight`` after the one before, goes through the port."""
    for t in range(done.size):
        reached[t] += weight * step[t]
        arrival[t] = reached[t]
    invert(kind, params, arrival)
    for t in range(done.size):
        done[t] = max(done[t], arrival[t]) + receive


@jit
def serve(
    n: int,
    need: int,
    receive: float,
    kind: int,
    params: Floats,
    key: np.uint64,
    first: np.uint64,
    iteration: int,
    address: int,
    reached: Floats,
    done: Floats,
) -> None:
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
        variate_vectors.served(
            (n, need), (params[0], params[1], receive),
            first, U64(iteration), U64(address), k0, k1, whole, reached, done,
        )  # fmt: skip
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
    room = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            done = out[iteration, start : min(start + LANES, trials)]
            done[:] = 0.0
            first = first_trial + U64(start)
            address = np.int64(0)
            reached = room[: done.size]
            serve(n, need, receive, kind, params, key, first, iteration, address, reached, done)
            if without.size:
                invert(kind, params, reached)
                without[iteration, start : start + done.size] = reached
