"""Descent of linear regression by each partition's Gram matrix: no iteration touches a sample.

Parameters are differences from a reference near the optimum. There the squares no longer cancel, so
that losses and gradients keep their digits however close to the optimum a run comes. The reference
solves the normal equations by Cholesky's method and refines them (Björck, 1987).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.train.descent_general import (
    Curves,
    Runs,
    add_partition,
    begin,
    finish,
    state_of,
)
from fastgc_kernels.train.lanes import LANES, products

_DEPENDENT = 1e-12  # a pivot, of a Gram matrix with 1 on its diagonal, that counts as 0
_REFINEMENTS = 4


@jit
def gram_matrices(X: Floats, bounds: Integers, out: Floats) -> None:
    """Fill ``out`` (k, f, f) with XᵀX over each partition's samples, rows of X (N, f)."""
    size = X.shape[1]
    for i in range(out.shape[0]):
        own = out[i]
        for a in range(size):
            for b in range(size):
                own[a, b] = 0.0
        for sample in range(bounds[i], bounds[i + 1]):
            x = X[sample]
            for a in range(size):
                row = own[a]
                for b in range(size):
                    row[b] += x[a] * x[b]


@jit
def _factor(A: Floats) -> None:
    # Cholesky's, in place, of A (f, f) with 1 on its diagonal; a column that depends on those
    # before it becomes 0
    size = A.shape[0]
    for j in range(size):
        pivot = A[j, j]
        for i in range(j):
            pivot -= A[j, i] * A[j, i]
        root = np.sqrt(pivot) if pivot > _DEPENDENT else 0.0
        A[j, j] = root
        for r in range(j + 1, size):
            value = A[r, j]
            for i in range(j):
                value -= A[r, i] * A[j, i]
            A[r, j] = value / root if root > 0.0 else 0.0


@jit
def _solve(A: Floats, x: Floats) -> None:
    # in place; 0 for what depends on the others
    size = x.size
    for j in range(size):
        for i in range(j):
            x[j] -= A[j, i] * x[i]
        x[j] = x[j] / A[j, j] if A[j, j] > 0.0 else 0.0
    for j in range(size - 1, -1, -1):
        for i in range(j + 1, size):
            x[j] -= A[i, j] * x[i]
        x[j] = x[j] / A[j, j] if A[j, j] > 0.0 else 0.0


@jit
def residuals(X: Floats, y: Floats, theta: Floats, out: Floats) -> float:
    """Fill ``out`` (N,) with Xθ − y, and return the sum of its squares."""
    total = 0.0
    for sample in range(y.size):
        x = X[sample]
        value = -y[sample]
        for a in range(theta.size):
            value += x[a] * theta[a]
        out[sample] = value
        total += value * value
    return total


@jit
def reference(X: Floats, y: Floats, grams: Floats, out: Floats) -> None:
    """Fill ``out`` (f,) with parameters near the optimum, by normal equations and refinement.

    It need not be the optimum: whatever it is, curves are those of the true parameters.
    """
    size = out.size
    scale = np.zeros(size)
    A = np.zeros((size, size))
    for i in range(grams.shape[0]):
        for a in range(size):
            for b in range(size):
                A[a, b] += grams[i, a, b]
    for a in range(size):
        scale[a] = 1.0 / np.sqrt(A[a, a]) if A[a, a] > 0.0 else 0.0
        out[a] = 0.0
    for a in range(size):
        for b in range(size):
            A[a, b] *= scale[a] * scale[b]
    _factor(A)
    rest = np.empty(y.size)
    change = np.empty(size)
    trial = np.empty(size)
    least = residuals(X, y, out, rest)
    for _ in range(_REFINEMENTS):
        for a in range(size):
            change[a] = 0.0
        for sample in range(y.size):
            for a in range(size):
                change[a] -= X[sample, a] * rest[sample]
        for a in range(size):
            change[a] *= scale[a]
        _solve(A, change)
        for a in range(size):
            trial[a] = out[a] + scale[a] * change[a]
        now = residuals(X, y, trial, rest)
        if not now < least:
            break
        least = now
        for a in range(size):
            out[a] = trial[a]


@jit
def reference_gradients(X: Floats, rest: Floats, bounds: Integers, out: Floats) -> None:
    """Fill ``out`` (k, f) with each partition's Xᵀ rest, rest (N,) being residuals."""
    for i in range(out.shape[0]):
        own = out[i]
        for a in range(own.size):
            own[a] = 0.0
        for sample in range(bounds[i], bounds[i + 1]):
            x = X[sample]
            for a in range(own.size):
                own[a] += x[a] * rest[sample]


@jit
def descend(
    grams: Floats, gradients: Floats, base: float, samples: int, runs: Runs, curves: Curves
) -> None:
    """Run all trials.

    ``grams`` (k, f, f) and ``gradients`` (k, f) are the partitions' Gram matrices and gradients at
    the reference, ``base`` is the sum of squared residuals there. ``runs.start`` and
    ``curves.best`` (f,) are differences from the reference.
    """
    iterations, trials = runs.index.shape
    parts, size = gradients.shape
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    middle = np.zeros(size)  # the full gradient at the reference
    for i in range(parts):
        for a in range(size):
            middle[a] += gradients[i, a]
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(parts):
                products(grams[i], theta, part)
                for a in range(size):
                    row = part[a]
                    constant = gradients[i, a]
                    for t in range(LANES):
                        row[t] += constant
                add_partition(part, excess[i], full, beyond)
            _losses(base, middle, theta, full, total)
            finish(l, first, samples, runs, curves, state)


@inline
def _losses(base: float, middle: Floats, theta: Floats, full: Floats, total: Floats) -> None:
    # ½ (base + θ · (full + middle)), the expansion in θ
    for t in range(LANES):
        total[t] = base
    for a in range(middle.size):
        x = theta[a]
        slope = full[a]
        constant = middle[a]
        for t in range(LANES):
            total[t] += x[t] * (slope[t] + constant)
    for t in range(LANES):
        # Where the optimum's loss is 0, rounding may leave less than that.
        total[t] = 0.0 if total[t] < 0.0 else 0.5 * total[t]
