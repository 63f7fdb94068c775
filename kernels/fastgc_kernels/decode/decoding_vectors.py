"""Decoding vectors of many patterns: the shortest minimiser of ‖B[:, survivors] x − 1‖.

Pivoted QR and, where columns depend on each other, a second QR of R (Golub and Van Loan, Matrix
Computations, section 5.5: complete orthogonal decomposition).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Words
from fastgc_kernels._jit import jit
from fastgc_kernels.decode.jacobi import shortest
from fastgc_kernels.decode.orthogonal import factor, gather

EPSILON = 2.0**-52


@jit
def vectors(packed: Words, columns: Floats, out: Floats) -> None:
    """Fill ``out`` (T, n) with one weight a worker, 0 for stragglers.

    ``columns`` (n, k) are B's columns. By pivoted QR, and where the surviving columns depend on
    each other by a second QR of the rows that are left.
    """
    n, k = columns.shape
    work = np.empty((n, k))
    y = np.empty(k)
    workers = np.empty(n, np.int64)
    order = np.empty(n, np.int64)
    norms = np.empty(n)
    for t in range(packed.shape[0]):
        for j in range(n):
            out[t, j] = 0.0
        survivors = gather(packed[t], columns, work, workers)
        for i in range(k):
            y[i] = 1.0
        cut = 2.0 * EPSILON * (max(k, survivors) + 8)
        rank = factor(work[:survivors], y, order, norms, cut)
        if rank == survivors:
            for back in range(rank):
                i = rank - 1 - back
                value = y[i]
                for j in range(i + 1, rank):
                    value -= work[j, i] * out[t, workers[order[j]]]
                out[t, workers[order[i]]] = value / norms[i]
            continue
        rows = np.zeros((rank, survivors))
        for j in range(survivors):
            for i in range(min(j, rank)):
                rows[i, j] = work[j, i]
            if j < rank:
                rows[j, j] = norms[j]
        x = shortest(rows, y[:rank])
        for j in range(survivors):
            out[t, workers[order[j]]] = x[j]
