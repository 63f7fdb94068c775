"""Patterns taken from a table of recorded ones, a row at a time.

Patterns are packed: bit j % 64 of ``table[r, j // 64]`` says that worker j survived in row r. Row
numbers are Lemire's bounded numbers (2019).
"""

import numpy as np

from fastgc_kernels._arrays import U64, ZERO, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.patterns import LANES, bounded
from fastgc_kernels.draw.philox import MASK32, SHIFT32, halves, words_at


@jit
def draw(
    count: np.uint64, first_trial: np.uint64, trials: int, key: np.uint64, out: Integers
) -> None:
    """Row numbers ``out`` (L · trials,) below ``count`` ≤ 2³², all alike (Lemire).

    Entry i belongs to trial first_trial + i % trials and iteration i // trials.
    """
    k0, k1 = halves(key)
    words = np.empty(LANES, np.uint64)
    for iteration in range(out.size // trials):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
            for t in range(lanes):
                trial = first_trial + U64(start + t)
                words[t], _, _, _ = words_at(trial, iteration, ZERO, k0, k1)
            for t in range(lanes):
                trial = first_trial + U64(start + t)
                row = bounded(
                    words[t], count, trial & MASK32, U64(iteration), ZERO, trial >> SHIFT32, k0, k1
                )
                out[iteration * trials + start + t] = np.int64(row)


@jit
def take(table: Words, rows: Integers, out: Words) -> None:
    """Patterns ``out`` (rows, words): pattern i is row ``rows[i]`` of the table."""
    for i in range(rows.size):
        for w in range(table.shape[1]):
            out[i, w] = table[rows[i], w]


@jit
def replay(table: Words, starts: Integers, out: Words) -> None:
    """Patterns ``out`` (L · trials, words): trial t takes row (starts[t] + l) mod rows."""
    trials = starts.size
    count = table.shape[0]
    for iteration in range(out.shape[0] // trials):
        turn = iteration % count
        for t in range(trials):
            row = starts[t] + turn
            if row >= count:
                row -= count
            for w in range(table.shape[1]):
                out[iteration * trials + t, w] = table[row, w]
