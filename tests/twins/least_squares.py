"""Slow, obvious twins of decoding: LAPACK in a loop, exact fractions, and 60 digits.

Survivors are boolean arrays (T, n). A float is a fraction, so the exact error of a matrix of floats
is known; that of a code which floats only round is known from its entries at 60 digits.
"""

import operator
from fractions import Fraction

import mpmath
import numpy as np


def pack(survivors):
    """Packed patterns (T, words) of survivors (T, n)."""
    patterns, n = survivors.shape
    packed = np.zeros((patterns, -(-n // 64)), np.uint64)
    for j in range(n):
        packed[:, j // 64] |= survivors[:, j].astype(np.uint64) << np.uint64(j % 64)
    return packed


def unpack(patterns, n):
    bits = np.unpackbits(patterns.packed.view(np.uint8), axis=1, count=n, bitorder="little")
    return bits.astype(bool).reshape(patterns.batch.iterations, -1, n)


def some_patterns(n, count, seed):
    """Random patterns (count, n), the first without a survivor, the second without a straggler."""
    random = np.random.default_rng(seed)
    rows = random.random((count, n)) < random.random((count, 1))
    rows[0], rows[1] = False, True
    return rows


def lstsq_errors(B, survivors):
    ones = np.ones(len(B))
    out = []
    for alive in survivors:
        A = B[:, alive]
        residual = A @ np.linalg.lstsq(A, ones, rcond=None)[0] - ones
        out.append(residual @ residual)
    return np.array(out)


def exact_errors(B, survivors):
    """Errors of a matrix of floats in exact arithmetic, rounded once at the end."""
    return np.array([float(error) for error in rational_errors(B, survivors)])


def rational_errors(B, survivors):
    columns = [[Fraction(float(entry)) for entry in column] for column in np.asarray(B).T]
    gram = [[sum(map(operator.mul, a, b)) for b in columns] for a in columns]
    onto_ones = [sum(column) for column in columns]
    return [_eliminated(gram, onto_ones, len(B), np.flatnonzero(alive)) for alive in survivors]


def _eliminated(gram, onto_ones, k, alive):
    """Last Schur complement of the Gram matrix bordered by the ones; zero pivots are skipped."""
    left = [[gram[i][j] for j in alive] + [onto_ones[i]] for i in alive]
    left.append([onto_ones[i] for i in alive] + [Fraction(k)])
    for step in range(len(alive)):
        pivot = left[step][step]
        if pivot == 0:
            continue
        for i in range(step + 1, len(left)):
            weight = left[i][step] / pivot
            if weight:
                for j in range(i, len(left)):
                    left[i][j] -= weight * left[step][j]
                    left[j][i] = left[i][j]
    return left[-1][-1]


def digit_errors(B, survivors, digits=60):
    """Errors of a matrix (list of rows) of mpmath numbers by Gram–Schmidt with pivoting."""
    with mpmath.workdps(digits):
        zero = mpmath.mpf(10) ** (-digits // 2)
        columns = [[mpmath.mpf(row[j]) for row in B] for j in range(len(B[0]))]
        return np.array([float(_remaining(columns, np.flatnonzero(a), zero)) for a in survivors])


def _remaining(columns, alive, zero):
    ones = [mpmath.mpf(1)] * len(columns[0])
    work = [list(columns[j]) for j in alive]
    longest = max((mpmath.fdot(c, c) for c in work), default=mpmath.mpf(0))
    while work:
        lengths = [mpmath.fdot(c, c) for c in work]
        best = max(range(len(work)), key=lengths.__getitem__)
        if lengths[best] <= zero * longest:
            break
        q, length = work.pop(best), lengths[best]
        for other in [*work, ones]:
            weight = mpmath.fdot(q, other) / length
            for i, entry in enumerate(q):
                other[i] -= weight * entry
    return mpmath.fdot(ones, ones)
