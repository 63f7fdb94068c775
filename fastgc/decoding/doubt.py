"""Whether double precision decides the ranks on which a matrix's errors rest.

Errors are decided by which columns are dependent. Scaling columns is exact: the weights take it up.
Scaling rows is not, for it changes what is least; but it changes no rank. So where a matrix whose
rows are scaled too has a larger rank, or where a column is neither clearly dependent nor clearly
not, errors may be those of another matrix, and none of them has an interval.
"""

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.columns import Columns
from fastgc.decoding.algorithms import packed
from fastgc.decoding.factorization import EPSILON, LARGEST_COMPILED, scale_columns
from fastgc.draws import streams
from fastgc_kernels.decode import orthogonal

Matrix = NDArray[np.float64]
Masks = NDArray[np.bool_]

#: What is said of such a matrix.
SAID = "the matrix is so ill-conditioned that rounding may decide its errors"
#: Beyond it rounding may decide the rank.
LARGEST_CONDITION = 1e12
#: What is left of a dependent column is at most this: 4e-16 was measured for families' codes.
_ROUNDING = 8.0 * EPSILON
#: Up to so many columns all sets of them are looked at, else as many at random as this work allows.
_FEW = 10
_WORK = 1e8
_MOST = 1024
# Of a large sparse matrix: sets of columns, as parts of a square matrix's, that are looked at;
# steps of LSMR; and what B may leave of a vector before the columns count as dependent, or as
# clearly not. Two columns of which entries differ by 1e-7 leave 1e-8 of it.
_PARTS = (2, 3, 4) * 8
_STEPS, _ROUNDS = 200, 8
_DEPENDENT, _NEARLY = 1e-14, 1e-7


def has_doubt(B: Matrix, *, whole: bool = False) -> bool:
    """Return whether rounding may decide a rank of B or of some of its columns.

    Of codes of more than ten workers a sample of columns is looked at, always the same one: a
    dependence of few columns among many may be missed.

    ``B``, float64 array (k, n): of a condition number of at most 10¹² that counts nonzero singular
    values alone. ``whole``: only all of its columns together are of interest.
    """
    is_small = B.size > 0 and max(B.shape) <= LARGEST_COMPILED
    return is_small and _of_sets(B.tobytes(), len(B), whole)[0]


def largest_condition(B: Matrix) -> float:
    """Return about the largest condition number of the sets of columns that `has_doubt` looks at.

    Of sets of dependent columns it is larger than that of B.
    """
    return _of_sets(B.tobytes(), len(B), False)[1]


def is_nearly_dependent(columns: Columns) -> bool:
    """Return whether few columns of a large sparse matrix depend on each other up to rounding.

    Of sets of a half to a quarter of the columns, always the same ones, a vector at random loses
    what LSMR (Fong and Saunders 2011) can fit; the rest is a dependence, clear or not. A
    dependence of three columns or more may be missed.

    ``columns``: of lengths in [1/2, 1).
    """
    parts = columns.values.tobytes(), columns.places.tobytes(), columns.offsets.tobytes()
    return _has_faint_dependence(columns.height, *parts)


@functools.lru_cache(8)  # points of a sweep share their matrix
def _has_faint_dependence(height: int, values: bytes, places: bytes, offsets: bytes) -> bool:
    from scipy.sparse import csc_array

    starts = np.frombuffer(offsets, np.int64)
    n = starts.size - 1
    B = csc_array((np.frombuffer(values), np.frombuffer(places, np.int32), starts), (height, n))
    sets = max(3, int(0.03 * _WORK / B.nnz))
    for number, part in enumerate(_PARTS[:sets]):
        uniforms = streams.uniforms(0, f"sparse doubt {number}", 2 * n)
        chosen = np.argsort(uniforms[:n], kind="stable")[: min(B.shape) // part]
        if _is_left_unclear(B[:, chosen], uniforms[n:][chosen] - 0.5):
            return True
    return False


def _is_left_unclear(B: Any, vector: NDArray[np.float64]) -> bool:
    from scipy.sparse.linalg import lsmr

    vector = vector / np.linalg.norm(vector)
    before, steps = math.inf, min(_STEPS, len(vector) // 4)
    for _ in range(_ROUNDS):
        fitted = lsmr(B, B @ vector, atol=0.0, btol=0.0, conlim=0.0, maxiter=steps)[0]
        vector = vector - fitted
        length = float(np.linalg.norm(vector))
        if length < 1e-9:  # columns are independent
            return False
        left = float(np.linalg.norm(B @ vector)) / length
        if left < _DEPENDENT:
            return False
        if left > 0.95 * before:  # more steps fit no more
            return left < _NEARLY
        before = left
    return False


@functools.lru_cache(8)  # points of a sweep share their matrix
def _of_sets(entries: bytes, partitions: int, whole: bool) -> tuple[bool, float]:
    B = np.frombuffer(entries).reshape(partitions, -1)
    n = B.shape[1]
    sets = np.ones((1, n), np.bool_) if whole else _subsets(n, partitions)
    columns = np.ascontiguousarray(scale_columns(B)[0].T)
    even = B
    for axis in (1, 0, 1, 0):  # rows and columns: by powers of two to largest entries in [1/2, 1)
        even = np.ldexp(even, -np.frexp(np.abs(even).max(axis=axis, keepdims=True))[1])
    rank, shortest, left = _ranks(sets, columns)
    if np.any((shortest * LARGEST_CONDITION < 1.0) | (left > _ROUNDING)):
        return True, math.inf
    low = rank < np.minimum(sets.sum(axis=1), columns.shape[1])
    is_larger = np.any(_ranks(sets[low], np.ascontiguousarray(even.T))[0] > rank[low])
    return bool(is_larger), 1.0 / float(shortest.min())


@functools.lru_cache(8)
def _subsets(n: int, k: int) -> Masks:
    # (·, n): all columns first, then all sets of few, or a sample of many
    if n <= _FEW:
        numbers: NDArray[np.int64] = np.arange((1 << n) - 1, 0, -1)
        return (numbers[:, None] >> np.arange(n) & 1).astype(np.bool_)
    sets = [np.ones(n, np.bool_)]
    for number in range(min(_MOST, int(_WORK / (n * k * min(n, k))))):
        uniforms = streams.uniforms(0, f"doubt {number}", n + 1)
        chosen = np.argsort(uniforms[:n], kind="stable")[: 1 + int(uniforms[n] * n)]
        sets.append(np.isin(np.arange(n), chosen))
    return np.array(sets)


def _ranks(sets: Masks, columns: Matrix) -> Matrix:
    out = np.empty((len(sets), 3))
    orthogonal.ranks(packed(sets), columns, out)
    return out.T
