"""What fastgc is measured against: decoding errors of many patterns by NumPy alone.

Survivors are booleans (T, n), errors come as (T,).
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import lsmr

Floats = NDArray[np.float64]
Survivors = NDArray[np.bool_]

RIDGE = 1e-10
ACCURACY = 1e-10  # of lsmr, relative: errors then agree to some 1e-9


def lstsq_loop(B: Floats, survivors: Survivors) -> Floats:
    """Decode as one writes it first: least squares, pattern by pattern."""
    ones = np.ones(len(B))
    errors = np.empty(len(survivors))
    for t, alive in enumerate(survivors):
        A = B[:, alive]
        x = np.linalg.lstsq(A, ones, rcond=None)[0]
        residual = A @ x - ones
        errors[t] = residual @ residual
    return errors


class Ridge:
    """Normal equations of all patterns in one batch: stragglers' rows become the identity's."""

    def __init__(self, B: Floats) -> None:
        self._k, n = B.shape
        self._gram = B.T @ B + RIDGE * np.eye(n)
        self._sums = B.sum(axis=0)
        self._eye = np.eye(n)

    def __call__(self, survivors: Survivors) -> Floats:
        """Errors of many patterns."""
        both = survivors[:, :, np.newaxis] & survivors[:, np.newaxis, :]
        systems = np.where(both, self._gram, self._eye)
        right = np.where(survivors, self._sums, 0.0)
        x = np.linalg.solve(systems, right[..., np.newaxis])[..., 0]
        errors: Floats = self._k - np.einsum("tj,tj->t", right, x)
        return errors


class Singular:
    """Singular vectors of all patterns in one batch: right where survivors have no full rank."""

    def __init__(self, B: Floats) -> None:
        self._B = B

    def __call__(self, survivors: Survivors) -> Floats:
        """Errors of many patterns: what of 1 is not in the span of the columns that are left."""
        k = len(self._B)
        left = self._B * survivors[:, np.newaxis, :]
        U, values, _ = np.linalg.svd(left, full_matrices=False)
        kept = values > values[:, :1] * max(left.shape[1:]) * np.finfo(float).eps
        along = U.sum(axis=1) * kept
        errors: Floats = k - np.einsum("tj,tj->t", along, along)
        return errors


def groups(d: int, survivors: Survivors) -> Floats:
    """Errors of the fractional repetition code: lost groups, d partitions each."""
    lost = ~survivors.reshape(len(survivors), -1, d).any(axis=2)
    errors: Floats = d * lost.sum(axis=1, dtype=float)
    return errors


def lost_groups(d: int, straggling: Survivors) -> Floats:
    """Errors from stragglers (d, groups, T), the layout that suits NumPy best."""
    lost = np.logical_and.reduce(straggling, axis=0)
    counted = np.uint8 if len(lost) < 256 else np.int32
    errors: Floats = d * lost.sum(axis=0, dtype=counted).astype(float)
    return errors


def lsmr_loop(B: sparse.csc_array, survivors: Survivors) -> Floats:
    """Least squares pattern by pattern, as one writes it for a sparse matrix."""
    ones, errors = np.ones(B.shape[0]), np.empty(len(survivors))
    for t, alive in enumerate(survivors):
        A = B[:, np.flatnonzero(alive)]
        x = lsmr(A, ones, atol=ACCURACY, btol=ACCURACY, conlim=0, maxiter=20_000)[0]
        residual = A @ x - ones
        errors[t] = residual @ residual
    return errors


def draw(rng: np.random.Generator, stragglers: float, trials: int, n: int) -> Survivors:
    """Survivors where each straggles with a probability, or so many do, by float32 numbers."""
    drawn = rng.random((trials, n), dtype=np.float32)
    if stragglers < 1:
        return drawn >= np.float32(stragglers)
    chosen = np.argpartition(drawn, int(stragglers), axis=1)[:, : int(stragglers)]
    survivors = np.ones((trials, n), bool)
    np.put_along_axis(survivors, chosen, False, axis=1)
    return survivors
