"""Sums over a block's trials by their number of survivors, in one fixed order of additions.

Trials are dealt to 4 lanes, for products to 32; each lane adds its own in order, then the lanes are
added in order. What post-stratification needs (Cochran, Sampling Techniques, section 5A.9).
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import U64, Floats, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount

SHIFT = 40  # controls of a block add up to less than 2⁴⁰
TRIAL = 1 << SHIFT
LANES = 4
MORE_LANES = 32


@jit
def by_survivors(
    values: Floats,
    controls: NDArray[np.unsignedinteger],
    packed: Words,
    stratum: Integers,
    out: Floats,
    products: Floats,
) -> None:
    """Of each stratum its trials, and their values (T,) and controls (T,) added up: ``out`` (G, 3).

    ``products`` (2,) are Σc² and Σyc over all trials. ``packed`` (T, words) are the trials'
    patterns, one iteration each; ``stratum`` (n + 1,) is that of every number of survivors.
    """
    trials, words = packed.shape
    strata = out.shape[0]
    totals = np.zeros(LANES * strata)
    both = np.zeros(LANES * strata, np.int64)  # how many trials, and below them their controls
    for t in range(trials):
        survivors = popcount(packed[t, 0])
        for w in range(1, words):
            survivors += popcount(packed[t, w])
        place = U64(t % LANES * strata + stratum[survivors])
        totals[place] += values[t]
        both[place] += TRIAL + np.int64(controls[t])
    for g in range(strata):
        out[g] = 0.0
        for v in range(LANES):
            out[g, 0] += both[v * strata + g] >> SHIFT
            out[g, 1] += totals[v * strata + g]
            out[g, 2] += both[v * strata + g] & (TRIAL - 1)
    squares = np.zeros(MORE_LANES)
    beside = np.zeros(MORE_LANES)
    whole = trials - trials % MORE_LANES
    for start in range(0, whole, MORE_LANES):
        for v in range(MORE_LANES):
            c = np.float64(controls[start + v])
            squares[v] += c * c
            beside[v] += c * values[start + v]
    for v in range(trials - whole):
        c = np.float64(controls[whole + v])
        squares[v] += c * c
        beside[v] += c * values[whole + v]
    products[:] = 0.0
    for v in range(MORE_LANES):
        products[0] += squares[v]
        products[1] += beside[v]
