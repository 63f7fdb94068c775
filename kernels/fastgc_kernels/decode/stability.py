"""What single precision and noisy answers do to a decoded sum of gradients.

Direct simulation: sums in one order, in single and in double precision, of normal numbers by
Marsaglia's polar method.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Booleans, Floats
from fastgc_kernels._jit import jit
from fastgc_kernels.draw.philox import MASK32, SHIFT32, halves
from fastgc_kernels.draw.variates import normal_pair

LENGTH = 16  # numbers in a gradient: enough that its length is never near 0


@jit
def relative_errors(
    vectors: Floats,
    exact: Booleans,
    columns: Floats,
    noise: Floats,
    first_trial: np.uint64,
    trials: int,
    data_key: np.uint64,
    noise_key: np.uint64,
    out: Floats,
) -> None:
    """‖Σ x_j m_j − g‖/‖g‖ for standard normal partial gradients g_i of 16 numbers, g = Σ g_i.

    ``vectors`` (L · T, n): decoding vectors, iteration-major; only those with ``exact`` are
    looked at. ``columns`` (n, k) are B's. ``out`` (L · T, 1 + levels): gradients, B, answers m_j
    and the sum all in float32; then in float64 with every number of an answer multiplied by
    1 + level · standard normal.
    """
    patterns, n = vectors.shape
    k = columns.shape[1]
    d0, d1 = halves(data_key)
    n0, n1 = halves(noise_key)
    gradients = np.empty((k, LENGTH))
    total = np.empty(LENGTH)
    answer = np.empty(LENGTH)
    deviation = np.empty(LENGTH)
    rounded = np.empty(LENGTH)
    rounded_total = np.empty(LENGTH)
    single = np.empty(LENGTH, np.float32)
    answer32 = np.empty(LENGTH, np.float32)
    for p in range(patterns):
        if not exact[p]:
            continue
        trial = first_trial + U64(p % trials)
        low, high, iteration = trial & MASK32, trial >> SHIFT32, U64(p // trials)
        for c in range(LENGTH):
            total[c] = 0.0
            rounded_total[c] = 0.0
            deviation[c] = 0.0
            single[c] = np.float32(0.0)
        for i in range(k):
            for c in range(0, LENGTH, 2):
                address = U64(i * LENGTH + c)
                a, b = normal_pair(low, iteration, address, high, d0, d1)
                gradients[i, c] = a
                gradients[i, c + 1] = b
            for c in range(LENGTH):
                total[c] += gradients[i, c]
                rounded_total[c] += np.float64(np.float32(gradients[i, c]))
        size = 0.0
        rounded_size = 0.0
        for c in range(LENGTH):
            size += total[c] * total[c]
            rounded_size += rounded_total[c] * rounded_total[c]
        for j in range(n):
            weight = vectors[p, j]
            if weight == 0.0:
                continue
            for c in range(LENGTH):
                answer[c] = 0.0
                answer32[c] = np.float32(0.0)
            for i in range(k):
                held = columns[j, i]
                if held != 0.0:
                    for c in range(LENGTH):
                        answer[c] += held * gradients[i, c]
                        answer32[c] += np.float32(held) * np.float32(gradients[i, c])
            for c in range(LENGTH):
                single[c] += np.float32(weight) * answer32[c]
            for c in range(0, LENGTH, 2):
                address = U64(j * LENGTH + c)
                a, b = normal_pair(low, iteration, address, high, n0, n1)
                deviation[c] += weight * answer[c] * a
                deviation[c + 1] += weight * answer[c + 1] * b
        off = 0.0
        noisy = 0.0
        for c in range(LENGTH):
            rounded[c] = np.float64(single[c]) - rounded_total[c]
            off += rounded[c] * rounded[c]
            noisy += deviation[c] * deviation[c]
        out[p, 0] = np.sqrt(off / rounded_size)
        for level in range(noise.size):
            out[p, 1 + level] = noise[level] * np.sqrt(noisy / size)
