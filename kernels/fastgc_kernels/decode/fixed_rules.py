"""One-step decoding, every survivor's answer with the same weight ρ, and Algorithm 3.

Charles, Papailiopoulos, Ellenberg (arXiv:1711.06771).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.bits import popcount, trailing_zeros


@jit
def one_step_errors(
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


# ---- Algorithm 3 of paper ``binary``: a class whose workers all survived


@jit
def first_complete(packed: Words, masks: Words, out: Integers) -> None:
    """First class ``out`` (T,) that is complete in each packed pattern (T, words), −1 if none.

    ``masks`` (classes, words): the workers of each class, in the order in which they are tried.
    """
    for t in range(packed.shape[0]):
        out[t] = -1
        for c in range(masks.shape[0]):
            complete = True
            for w in range(masks.shape[1]):
                if packed[t, w] & masks[c, w] != masks[c, w]:
                    complete = False
                    break
            if complete:
                out[t] = c
                break
