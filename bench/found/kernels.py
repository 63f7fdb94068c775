"""Errors of all patterns, or of all sets of s stragglers, with their slopes by every entry.

The least error ‖Bx − 1‖² has the slope 2 (Bx − 1) xᵀ by B, at the optimal x (envelope theorem).
"""

import numpy as np
from numba import njit


@njit(cache=True)  # type: ignore[untyped-decorator]
def mean_error(B, p, slope, shortest=1e-7):  # type: ignore[no-untyped-def]
    """Return the mean error with independent stragglers; ``slope`` (k, n) takes its slopes.

    Subsets of workers in lexicographic order; each takes one step of Gram–Schmidt, done twice. What
    earlier columns leave of a column counts if it is longer than the share ``shortest`` of it.
    """
    k, n = B.shape
    slope[:] = 0.0
    Q, R = np.zeros((n, k)), np.zeros((n, n))
    z, x = np.zeros(n), np.zeros(n)
    left = np.ones((n + 1, k))
    chosen, counts = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    total, c, worker = p**n * k, 0, 0
    while True:
        if worker == n:
            if c == 0:
                return total
            c -= 1
            worker = chosen[c] + 1
            continue
        chosen[c] = worker
        Q[c] = B[:, worker]
        length = (Q[c] * Q[c]).sum()
        R[:c, c] = 0.0
        for _ in range(2):
            for a in range(c):
                if counts[a]:
                    share = 0.0
                    for i in range(k):
                        share += Q[a, i] * Q[c, i]
                    for i in range(k):
                        Q[c, i] -= share * Q[a, i]
                    R[a, c] += share
        rest = (Q[c] * Q[c]).sum()
        counts[c] = rest > shortest**2 * length
        left[c + 1] = left[c]
        if counts[c]:
            R[c, c] = np.sqrt(rest)
            Q[c] /= R[c, c]
            z[c] = (Q[c] * left[c]).sum()
            left[c + 1] -= z[c] * Q[c]
        c += 1
        worker += 1
        error = (left[c] * left[c]).sum()
        weight = (1 - p) ** c * p ** (n - c)
        total += weight * error
        if error < 1e-13:
            continue
        for a in range(c - 1, -1, -1):
            if counts[a]:
                value = z[a]
                for b in range(a + 1, c):
                    if counts[b]:
                        value -= R[a, b] * x[b]
                x[a] = value / R[a, a]
                for i in range(k):
                    slope[i, chosen[a]] -= 2 * weight * x[a] * left[c, i]


@njit(cache=True)  # type: ignore[untyped-decorator]
def worst_error(H, x, sets, power, unit, first, second):  # type: ignore[no-untyped-def]
    """Return Σ (error/unit)^power over the larger errors of all sets, and the largest error.

    Of an invertible B: H = (BᵀB)⁻¹, x = B⁻¹1; without the workers T the error is x_Tᵀ y, where
    H_TT y = x_T. ``first`` (n,) and ``second`` (n, n) take the weighted sums of y and y yᵀ, from
    which all slopes follow. With power 0, the largest alone.
    """
    s = sets.shape[1]
    first[:] = 0.0
    second[:] = 0.0
    L, y = np.zeros((s, s)), np.zeros(s)
    total, largest = 0.0, 0.0
    for t in range(len(sets)):
        error = 0.0
        for a in range(s):
            for b in range(a + 1):
                value = H[sets[t, a], sets[t, b]]
                for c in range(b):
                    value -= L[a, c] * L[b, c]
                L[a, b] = np.sqrt(max(value, 1e-300)) if a == b else value / L[b, b]
            value = x[sets[t, a]]
            for c in range(a):
                value -= L[a, c] * y[c]
            y[a] = value / L[a, a]
            error += y[a] * y[a]
        largest = max(largest, error)
        if power and error > 0.6 * unit:
            weight = (error / unit) ** (power - 1)
            total += weight * error / unit
            for a in range(s - 1, -1, -1):
                value = y[a]
                for c in range(a + 1, s):
                    value -= L[c, a] * y[c]
                y[a] = value / L[a, a]
            for a in range(s):
                first[sets[t, a]] += weight * y[a]
                for b in range(s):
                    second[sets[t, a], sets[t, b]] += weight * y[a] * y[b]
    return total, largest
