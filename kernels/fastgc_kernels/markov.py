"""Chains of straggling workers, bit-sliced: each iteration's draw depends on the one before it.

Every (worker, 64-trial group) is a chain of its own, so that chains run side by side and each
through all iterations. Draws have the addresses of `patterns.bernoulli`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._jit import jit
from fastgc_kernels.patterns import ALL, FIRST_PAIRS, LANES, ZERO
from fastgc_kernels.philox import MASK32, SHIFT32, philox

U64 = np.uint64


@jit
def chain(
    digits: NDArray[np.uint64],
    pairs: NDArray[np.int64],
    sure: NDArray[np.uint64],
    key: np.uint64,
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Survival planes ``out`` (n, L · groups) of independent two-state chains.

    Worker j straggles in iteration l iff U < p: p of ``digits[0, :, j]`` in iteration 0, then of
    ``digits[1, :, j]`` after it survived and of ``digits[2, :, j]`` after it straggled.

    ``digits`` (3, 64, n): binary digits of the probabilities as all-zero or all-one words;
    ``pairs`` (3, n): pairs of digits up to the last one that is set; ``sure`` (3, n): all ones
    where a probability is 1, which no digits say. ``low``, ``high`` (groups,): counter words.
    """
    k0 = key & MASK32
    k1 = key >> SHIFT32
    n, columns = out.shape
    groups = low.size
    iterations = columns // groups
    worker = np.empty(LANES, np.int64)
    place = np.empty(LANES, np.int64)
    address = np.empty(LANES, np.uint64)
    below = np.empty(LANES, np.uint64)
    above = np.empty(LANES, np.uint64)
    straggled = np.empty(LANES, np.uint64)
    straggles = np.empty(LANES, np.uint64)
    undecided = np.empty(LANES, np.uint64)
    after_ok = np.empty((64, LANES), np.uint64)
    after_straggle = np.empty((64, LANES), np.uint64)
    for start in range(0, n * groups, LANES):
        lanes = min(LANES, n * groups - start)
        last_first = 0
        last_later = 0
        for t in range(lanes):
            j = (start + t) // groups
            worker[t] = j
            place[t] = (start + t) % groups
            address[t] = U64(32 * j)
            below[t] = low[place[t]]
            above[t] = high[place[t]]
            straggled[t] = ZERO
            last_first = max(last_first, pairs[0, j])
            last_later = max(last_later, pairs[1, j], pairs[2, j])
        for iteration in range(iterations):
            ok = 1 if iteration else 0
            straggle = 2 if iteration else 0
            last = last_later if iteration else last_first
            if iteration < 2:
                ready = 0
            for t in range(lanes):
                j = worker[t]
                if iteration:
                    certain = (straggled[t] & sure[2, j]) | (~straggled[t] & sure[1, j])
                else:
                    certain = sure[0, j]
                straggles[t] = certain
                undecided[t] = ~certain
            pair = 0
            stop = min(FIRST_PAIRS, last)
            while pair < last:
                while ready < 2 * stop:
                    for t in range(lanes):
                        after_ok[ready, t] = digits[ok, ready, worker[t]]
                        after_straggle[ready, t] = digits[straggle, ready, worker[t]]
                    ready += 1
                while pair < stop:
                    for t in range(lanes):
                        a, b, c, d = philox(
                            below[t], U64(iteration), address[t] + U64(pair), above[t], k0, k1
                        )
                        x = a | (b << SHIFT32)
                        y = c | (d << SHIFT32)
                        was = straggled[t]
                        p = (was & after_straggle[2 * pair, t]) | (~was & after_ok[2 * pair, t])
                        u = undecided[t]
                        s = straggles[t] | (u & ~x & p)
                        u &= ~(x ^ p)
                        p = (was & after_straggle[2 * pair + 1, t]) | (
                            ~was & after_ok[2 * pair + 1, t]
                        )
                        straggles[t] = s | (u & ~y & p)
                        undecided[t] = u & ~(y ^ p)
                    pair += 1
                left = ZERO
                for t in range(lanes):
                    left |= undecided[t]
                if left == ZERO:
                    break
                stop = min(pair + 1, last)
            for t in range(lanes):
                straggled[t] = straggles[t]
                out[worker[t], iteration * groups + place[t]] = straggles[t] ^ ALL
