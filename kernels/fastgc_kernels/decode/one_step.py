"""One-step decoding: every survivor's answer with the same weight ρ.

Charles, Papailiopoulos, Ellenberg (arXiv:1711.06771).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount, trailing_zeros


@jit
def errors(
    packed: Words,
    partitions: Integers,
    weights: Floats,
    offsets: Integers,
    k: int,
    load: float,
    rho: float,
    out: Floats,
) -> None:
    """Error ``out`` (T,) of ρ times the sum of the surviving columns, ‖ρ B_A 1 − 1‖².

    Worker j holds ``partitions[offsets[j]:offsets[j + 1]]`` with ``weights`` beside them. ρ is
    ``rho`` or, where that is NaN, k/(r ``load``) for r survivors. Without survivors, and
    without anything held, the error is k.
    """
    total = np.empty(k)
    for t in range(packed.shape[0]):
        for i in range(k):
            total[i] = 0.0
        survivors = 0
        for w in range(packed.shape[1]):
            word = packed[t, w]
            survivors += np.int64(popcount(word))
            while word != ZERO:
                j = 64 * w + np.int64(trailing_zeros(word))
                word &= word - ONE
                for e in range(offsets[j], offsets[j + 1]):
                    total[partitions[e]] += weights[e]
        if survivors == 0 or (load == 0.0 and np.isnan(rho)):
            out[t] = k
            continue
        weight = rho
        if np.isnan(rho):
            weight = k / (survivors * load)
        error = 0.0
        for i in range(k):
            off = weight * total[i] - 1.0
            error += off * off
        out[t] = error
