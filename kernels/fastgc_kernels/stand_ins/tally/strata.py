"""Stand-in of sums by number of survivors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.stand_ins.bits import bits_of
from fastgc_kernels.stand_ins.tally.sums import MOST, in_lanes, in_order
from fastgc_kernels.tally.strata import LANES

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def by_survivors(
    values: Floats,
    controls: Integers,
    packed: NDArray[np.uint64],
    stratum: Integers,
    out: Floats,
    products: Floats,
) -> object:
    """One lane of one stratum after the other."""
    trials, strata = values.size, out.shape[0]
    if packed.size * 64 > MOST or strata > MOST // 64:
        return NotImplemented
    own = stratum[bits_of(packed).sum(axis=1)]
    place = np.arange(trials) % LANES * strata + own
    # stable, so that each lane keeps its order; sums of integers are exact
    order = np.argsort(place, kind="stable")
    totals = np.zeros(LANES * strata)
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    for start, stop in zip(starts, [*starts[1:], trials], strict=True):
        totals[place[order[start]]] = in_order(values[order[start:stop]])
    out[:, 0] = np.bincount(own, minlength=strata)
    out[:, 1] = in_order(totals.reshape(LANES, strata))
    out[:, 2] = np.bincount(own, weights=controls, minlength=strata)
    c = controls.astype(float)
    products[:] = in_lanes(c * c), in_lanes(c * values)
    return None
