"""Stand-ins for codes that are tossed anew in every trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.decode.tossed_codes import _EPSILON
from fastgc_kernels.draw.philox import SHIFT32, halves, words_at
from fastgc_kernels.stand_ins.bits import workers_of
from fastgc_kernels.stand_ins.decode.orthogonal import dots, factor_each
from fastgc_kernels.stand_ins.tally.sums import in_order

PATIENCE = 2.0
MOST = 1 << 29
SIDE_BY_SIDE = 1 << 16  # entries of all patterns' matrices

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


def _matrices(trials: Words, kinds: NDArray[np.int16], last: Words, key: np.uint64) -> Floats:
    """Matrices (T, n, k), workers × partitions, of several trials."""
    n, k = kinds.shape
    pair = np.arange((n * k + 1) // 2, dtype=np.uint64)
    a, b, c, d = words_at(trials[:, None], pair, 0, *halves(key))
    drawn = np.stack([a | (b << SHIFT32), c | (d << SHIFT32)], axis=-1)
    drawn = drawn.reshape(trials.size, -1)[:, : n * k].reshape(-1, n, k)
    return ((kinds >= 0) & (drawn <= last[kinds])).astype(float)


def errors(
    packed: Words,
    kinds: NDArray[np.int16],
    last: Words,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: Floats,
) -> object:
    """Patterns with equally many survivors side by side."""
    n, k = kinds.shape
    patterns = packed.shape[0]
    if patterns * n * n * k > MOST:
        return NotImplemented
    alive = workers_of(packed, n)
    number = alive.sum(axis=1)
    trial = first_trial + (np.arange(patterns) % trials).astype(np.uint64)
    lanes = max(1, SIDE_BY_SIDE // (n * k))
    for survivors in np.unique(number).tolist():
        own = np.flatnonzero(number == survivors)
        for some in np.split(own, range(lanes, own.size, lanes)):
            held = _matrices(trial[some], kinds, last, key)
            work = held[alive[some] == 1].reshape(some.size, survivors, k)
            y = np.ones((some.size, k))
            order = np.empty((some.size, survivors), np.int64)
            norms = np.empty((some.size, survivors))
            cut = 2.0 * _EPSILON * (max(k, survivors) + 8)
            ranks = factor_each(work, y, order, norms, cut)
            for rank in np.unique(ranks):
                here = ranks == rank
                out[some[here]] = np.minimum(dots(y[here], y[here], int(rank)), float(k))
    return None


def one_step_errors(
    packed: Words,
    kinds: NDArray[np.int16],
    last: Words,
    rho: float,
    first_trial: np.uint64,
    trials: int,
    key: np.uint64,
    out: Floats,
) -> object:
    """Some patterns side by side."""
    n, k = kinds.shape
    patterns = packed.shape[0]
    if patterns * n * k > MOST // 16:
        return NotImplemented
    alive = workers_of(packed, n)
    survivors = alive.sum(axis=1)
    trial = first_trial + (np.arange(patterns) % trials).astype(np.uint64)
    lanes = max(1, SIDE_BY_SIDE // (n * k))
    for some in np.split(np.arange(patterns), range(lanes, patterns, lanes)):
        held = _matrices(trial[some], kinds, last, key)
        times = np.sum(held * alive[some][:, :, None], axis=1)
        weight = np.full(some.size, rho)
        if np.isnan(rho):
            both = survivors[some] * held.sum(axis=(1, 2))
            weight = np.where(both > 0, float(k) * n / both, 0.0)
        miss = weight[:, None] * times - 1.0
        out[some] = in_order((miss * miss).T)
    return None
