"""Decoding errors where every trial has a random 0/1 matrix of its own.

Entry (i, j) of trial t is 1 where a 64-bit number drawn at (t, j·k + i) is at most ``last``; so a
trial's matrix is the same in all its iterations and in every blocking of trials. Pattern m belongs
to trial first_trial + m % trials. ``held`` (n, k) is room for a matrix, workers × partitions.
Errors are those of the pivoted QR in `orthogonal`.
"""

import numpy as np

from fastgc_kernels._arrays import ONE, U64, Bytes, Floats, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.decode.orthogonal import dot, factor
from fastgc_kernels.draw.philox import SHIFT32, halves, words_at

_EPSILON = 2.0**-52


@jit
def matrix(trial: np.uint64, last: np.uint64, key: np.uint64, out: Bytes) -> None:
    """Fill ``out`` (n, k), workers × partitions, with the matrix of one trial."""
    k0, k1 = halves(key)
    entries = out.reshape(-1)
    size = entries.size
    for pair in range((size + 1) // 2):
        a, b, c, d = words_at(trial, pair, 0, k0, k1)  # the same in all iterations
        entries[2 * pair] = np.uint8((a | (b << SHIFT32)) <= last)
        if 2 * pair + 1 < size:
            entries[2 * pair + 1] = np.uint8((c | (d << SHIFT32)) <= last)


@jit
def errors(
    packed: Words,
    held: Bytes,
    last: np.uint64,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: Floats,
) -> None:
    """Fill ``out`` with the optimal decoding error of each packed pattern on its trial's matrix."""
    patterns = packed.shape[0]
    n, k = held.shape
    columns = np.empty((n, k))
    y = np.empty(k)
    order = np.empty(n, np.int64)
    norms = np.empty(n)
    for t in range(min(trials, patterns)):
        matrix(first_trial + U64(t), last, key, held)
        for m in range(t, patterns, trials):
            survivors = 0
            for j in range(n):
                if (packed[m, j // 64] >> U64(j % 64)) & ONE:
                    for i in range(k):
                        columns[survivors, i] = float(held[j, i])
                    survivors += 1
            for i in range(k):
                y[i] = 1.0
            cut = 2.0 * _EPSILON * (max(k, survivors) + 8)
            rank = factor(columns[:survivors], y, order, norms, cut)
            out[m] = min(dot(y, y, rank), float(k))


@jit
def one_step_errors(
    packed: Words,
    held: Bytes,
    last: np.uint64,
    rho: float,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: Floats,
) -> None:
    """Fill ``out`` with ‖rho·(sum of surviving columns) − 1‖² of each packed pattern.

    Where ``rho`` is nan it is k/(r d), d the entries that are 1 a worker in the trial's matrix and
    r the survivors; without survivors or entries the error is k.
    """
    patterns = packed.shape[0]
    n, k = held.shape
    times = np.empty(k, np.int64)
    for t in range(min(trials, patterns)):
        matrix(first_trial + U64(t), last, key, held)
        ones = 0
        for j in range(n):
            for i in range(k):
                ones += np.int64(held[j, i])
        for m in range(t, patterns, trials):
            survivors = 0
            for i in range(k):
                times[i] = 0
            for j in range(n):
                if (packed[m, j // 64] >> U64(j % 64)) & ONE:
                    survivors += 1
                    for i in range(k):
                        times[i] += np.int64(held[j, i])
            weight = rho
            if np.isnan(rho):
                weight = float(k) * n / (float(survivors) * ones) if survivors * ones > 0 else 0.0
            total = 0.0
            for i in range(k):
                miss = weight * times[i] - 1.0
                total += miss * miss
            out[m] = total
