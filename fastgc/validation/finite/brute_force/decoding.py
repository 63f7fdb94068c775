"""Every pattern of survivors of a small code: least squares, and what they hold together."""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.codes import matrix
from fastgc.validation.finite.brute_force.counting import turn

Code = Mapping[str, Any]

#: An error below this share of the number of partitions is rounding of the least squares.
_ROUNDING = 1e-10


def _subsets(B: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    return (B[:, list(chosen)] for chosen in itertools.combinations(range(B.shape[1]), size))


def cycle_class_spread(code: Code) -> float:
    """Compare the error of every pattern with that of the pattern turned by one."""
    errors = _errors(code)
    n = errors.size.bit_length() - 1
    lowest, highest, turned = errors.copy(), errors.copy(), np.arange(2**n)
    for _ in range(n):
        turned = np.array([turn(int(pattern), n) for pattern in turned])
        lowest = np.minimum(lowest, errors[turned])
        highest = np.maximum(highest, errors[turned])
    return _rounded(float(np.max(highest - lowest)), n)


def largest_error(code: Code, survivors: int) -> float:
    """Take the maximum over the patterns with so many survivors."""
    B = matrix(code)
    return _rounded(max(map(_error, _subsets(B, survivors))), len(B))


def mean_norm(code: Code, p: float) -> float:
    """Weigh the norm of every pattern with the pattern's probability."""
    return _weighed(np.sqrt(_errors(code)), p)


def mean_error(code: Code, p: float) -> float:
    """Weigh the error of every pattern with the pattern's probability."""
    return _weighed(_errors(code), p)


def largest_difference(code: Code, errors: Sequence[float]) -> float:
    """Compare the error of every pattern, bit j for worker j, with the one claimed for it."""
    k, n = matrix(code).shape
    claimed = np.asarray(errors, dtype=np.float64)
    if claimed.size == n + 1:
        claimed = claimed[[pattern.bit_count() for pattern in range(2**n)]]
    return _rounded(float(np.max(np.abs(_errors(code) - claimed))), k)


def undecodable_sets(most: int) -> int:
    """Count the sets of s stragglers that break a binary code, for all s < n ≤ most."""
    every = [(n, s) for n in range(1, most + 1) for s in range(n)]
    left = (_subsets(matrix({"family": "binary", "n": n, "s": s}), n - s) for n, s in every)
    return sum(_error(A) > _ROUNDING * len(A) for each in left for A in each)


def largest_amplification(code: Code, stragglers: int) -> float:
    """Take the largest ‖x‖² of the minimum-norm decoding vector x over the straggler sets."""
    B = matrix(code)
    left = _subsets(B, B.shape[1] - stragglers)
    found = (np.linalg.lstsq(A, np.ones(len(B)), rcond=None)[0] for A in left)
    return max(float(x @ x) for x in found)


def amplification_difference(code: Code, other: Code, stragglers: int) -> float:
    """Largest amplification of one code less that of another one."""
    return largest_amplification(code, stragglers) - largest_amplification(other, stragglers)


def _errors(code: Code) -> Values:
    return _all_errors(json.dumps(dict(code), sort_keys=True))


@lru_cache(maxsize=32)
def _all_errors(code: str) -> Values:
    B = matrix(json.loads(code))
    n = B.shape[1]
    return np.array(
        [_error(B[:, [j for j in range(n) if pattern >> j & 1]]) for pattern in range(2**n)]
    )


def _error(A: NDArray[Any]) -> float:
    x = np.linalg.lstsq(A, np.ones(len(A), A.dtype), rcond=None)[0]
    return float(np.sum(np.abs(A @ x - 1.0) ** 2))


def _weighed(values: Values, p: float) -> float:
    n = len(values).bit_length() - 1
    return math.fsum(
        values[v] * p ** (n - v.bit_count()) * (1.0 - p) ** v.bit_count() for v in range(2**n)
    )


def _rounded(value: float, partitions: int) -> float:
    return value if value > _ROUNDING * partitions else 0.0


def largest_error_of_pieces(n: int, s: int, m: int) -> float:
    """Take the maximum over all sets of s stragglers, of the code as Ye and Abbe write it.

    Worker j holds partitions j … j + s + m − 1 modulo n; row (i, u) of the matrix has the values at
    the workers' points of the polynomial p_i^(u): p_i^(1) is monic with the points of all workers
    without partition i as roots, and p_i^(u) = x p_i^(u−1) less so much of p_i^(1) that the
    coefficient of x^(n − d) is 0.
    """
    d = s + m
    points = np.cos(np.pi * (np.arange(n) + 0.5) / n)  # any that differ
    B = np.empty((n * m, n))
    for i in range(n):
        roots = points[[(i + t) % n for t in range(1, n - d + 1)]]
        first = np.polynomial.Polynomial.fromroots(roots)
        p, top = first, n - d
        for u in range(m):
            B[i * m + u] = p(points)
            B[i * m + u, [(i + t) % n for t in range(1, n - d + 1)]] = 0.0
            p = p * np.polynomial.Polynomial([0.0, 1.0])
            p = p - float(p.coef[top]) * first
    return _largest(B, m, n, s)


def largest_error_of_less(n: int, s: int, m: int) -> float:
    """Take the maximum over all sets of s stragglers, of a random code with s + m − 1 partitions.

    Its entries are normal wherever worker j holds a partition, j … j + s + m − 2 modulo n.
    """
    generator = np.random.default_rng(0)
    B = np.zeros((n * m, n))
    for j in range(n):
        for t in range(s + m - 1):
            rows = slice((j + t) % n * m, ((j + t) % n + 1) * m)
            B[rows, j] = generator.standard_normal(m)
    return _largest(B, m, n, s)


def _largest(B: Values, m: int, n: int, s: int) -> float:
    wanted, largest = np.tile(np.eye(m), (n, 1)), 0.0
    for A in _subsets(B, n - s):
        X = np.linalg.lstsq(A, wanted, rcond=None)[0]
        largest = max(largest, float(np.sum((A @ X - wanted) ** 2)) / m)
    return _rounded(largest, n)
