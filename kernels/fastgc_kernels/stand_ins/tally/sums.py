"""Stand-ins of the sums over a block's trials.

A sum in a fixed order is the last entry of a cumulative one, which NumPy forms in that order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import bits_of
from fastgc_kernels.tally.sums import (
    HISTOGRAM_MASK,
    HISTOGRAM_SHIFT,
    LANES,
)

MOST = 1 << 22

Floats = NDArray[np.float64]


def in_order(terms: NDArray[Any]) -> Any:
    """Sum along the first axis, one term after the other from 0 on."""
    if not terms.shape[0]:
        return np.zeros(terms.shape[1:])[()]
    return np.cumsum(terms, axis=0)[-1] + 0.0


def in_lanes(terms: Floats) -> float:
    """Sum as the kernels have it: dealt to lanes, and these added in order."""
    padded = np.zeros(-(-terms.size // LANES) * LANES)
    padded[: terms.size] = terms
    return float(in_order(in_order(padded.reshape(-1, LANES))))


def averages(values: Floats, first: Floats, second: Floats) -> object:
    """One iteration after the other."""
    if values.size > MOST:
        return NotImplemented
    first[:] = 0.0
    second[:] = 0.0
    for row in values:
        first += row
        second += row * row
    if values.shape[0] > 1:
        first /= values.shape[0]
        second /= values.shape[0]
    return None


def powers(values: Floats, out: Floats) -> object:
    """One power after the other."""
    if values.size > MOST:
        return NotImplemented
    square = values * values
    cube = square * values
    for degree, terms in enumerate((values, square, cube, cube * values)[: out.size]):
        out[degree] = in_lanes(terms)
    return None


def powers_of_rows(values: Floats, out: Floats) -> object:
    """One row after the other."""
    if values.size > MOST:
        return NotImplemented
    for row, sums in zip(values, out, strict=True):
        powers(row, sums)
    return None


def product(a: Floats, b: Floats) -> object:
    """In lanes."""
    return in_lanes(a * b) if a.size <= MOST else NotImplemented


def histogram(values: Floats, bins: NDArray[np.int64], extremes: Floats) -> object:
    """Each bin that is hit, once."""
    if values.size > MOST:
        return NotImplemented
    if values.size:
        codes = (values.view(np.uint64) >> HISTOGRAM_SHIFT) & HISTOGRAM_MASK
        hit, times = np.unique(codes, return_counts=True)
        bins[hit.astype(np.int64)] += times
        extremes[0] = min(extremes[0], values.min())
        extremes[1] = max(extremes[1], values.max())
    return None


def exceedances(values: Floats, threshold: float, out: Floats) -> object:
    """Counts, which are exact."""
    if values.size > MOST:
        return NotImplemented
    out[:] = np.sum(values > threshold, axis=0) / values.shape[0]
    return None


def by_survivors(values: Floats, survivors: NDArray[np.int64], workers: int, out: Floats) -> object:
    """A table of trials by number of survivors, whose zeros add nothing."""
    iterations, trials = values.shape
    if trials * (workers + 1) > MOST:
        return NotImplemented
    a = np.zeros((trials, workers + 1))
    c = np.zeros((trials, workers + 1))
    trial = np.arange(trials)
    for l in range(iterations):  # noqa: E741
        a[trial, survivors[l]] += values[l]
        c[trial, survivors[l]] += 1.0
    for column, terms in enumerate((a, a * a, c, c * c, a * c)):
        out[:, column] = in_order(np.concatenate([out[None, :, column], terms]))
    return None


def not_accessed(
    planes: NDArray[np.uint64],
    holders: NDArray[np.int64],
    offsets: NDArray[np.int64],
    iterations: int,
    trials: int,
    out: Floats,
) -> object:
    """Sums of integers, which are exact."""
    if planes.size * 64 > MOST:
        return NotImplemented
    for i in range(offsets.size - 1):
        own = planes[holders[offsets[i] : offsets[i + 1]]]
        lost = ~np.bitwise_or.reduce(own, axis=0).reshape(iterations, -1)
        times = bits_of(lost)[:, :trials].sum(axis=0, dtype=np.int64)
        for power in range(4):
            out[i, power] += np.sum(times ** (power + 1))
    return None


def survivor_counts(survivors: NDArray[np.int64], out: Floats) -> object:
    """Sums of integers, which are exact."""
    trials = survivors.shape[1]
    numbers = out.shape[0]
    if trials * numbers > MOST or survivors.size > MOST:
        return NotImplemented
    entry = survivors + numbers * np.arange(trials)
    times = np.bincount(entry.reshape(-1), minlength=trials * numbers).reshape(trials, numbers)
    out[:, 0] += times.sum(axis=0)
    out[:, 1] += (times * times).sum(axis=0)
    return None


def lag_products(values: Floats, lag: int, out: Floats) -> object:
    """One pair of iterations after the other."""
    if values.size > MOST:
        return NotImplemented
    iterations = values.shape[0]
    out[:] = 0.0
    for l in range(iterations - lag):  # noqa: E741
        out += values[l] * values[l + lag]
    out /= iterations - lag
    return None
