"""Fallbacks for sums over a block's trials.

A sum in a fixed order is the last entry of a cumulative one, which NumPy forms in that order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import Floats, Integers, Words
from fastgc_kernels.fallbacks.draw_fallbacks import bits_of
from fastgc_kernels.tally.sums import HISTOGRAM_MASK, HISTOGRAM_SHIFT, LANES, STRATA_LANES

MOST = 1 << 22


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


def powers(values: Floats, out: Floats) -> object:
    """One power after the other."""
    if values.size > MOST:
        return NotImplemented
    square = values * values
    cube = square * values
    for degree, terms in enumerate((values, square, cube, cube * values)[: out.size]):
        out[degree] = in_lanes(terms)
    return None


def histogram(values: Floats, bins: Integers, extremes: Floats) -> object:
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


def by_strata(
    values: Floats,
    controls: Integers,
    packed: Words,
    stratum: Integers,
    out: Floats,
    products: Floats,
) -> object:
    """One lane of one stratum after the other."""
    trials, groups = values.size, out.shape[0]
    if packed.size * 64 > MOST or groups > MOST // 64:
        return NotImplemented
    own = stratum[bits_of(packed).sum(axis=1)]
    place = np.arange(trials) % STRATA_LANES * groups + own
    # stable, so that each lane keeps its order; sums of integers are exact
    order = np.argsort(place, kind="stable")
    totals = np.zeros(STRATA_LANES * groups)
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    for start, stop in zip(starts, [*starts[1:], trials], strict=True):
        totals[place[order[start]]] = in_order(values[order[start:stop]])
    out[:, 0] = np.bincount(own, minlength=groups)
    out[:, 1] = in_order(totals.reshape(STRATA_LANES, groups))
    out[:, 2] = np.bincount(own, weights=controls, minlength=groups)
    c = controls.astype(float)
    products[:] = in_lanes(c * c), in_lanes(c * values)
    return None
