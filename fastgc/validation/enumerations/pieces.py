"""Codes whose workers send an m-th as much, by least squares on every pattern."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

#: An error below this is rounding of the least squares.
_ROUNDING = 1e-10


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


def largest_error_of_less(n: int, s: int, m: int, seed: int = 0) -> float:
    """Take the maximum over all sets of s stragglers, of a random code with s + m − 1 partitions.

    Its entries are normal wherever worker j holds a partition, j … j + s + m − 2 modulo n.
    """
    generator = np.random.default_rng(seed)
    B = np.zeros((n * m, n))
    for j in range(n):
        for t in range(s + m - 1):
            rows = slice((j + t) % n * m, ((j + t) % n + 1) * m)
            B[rows, j] = generator.standard_normal(m)
    return _largest(B, m, n, s)


def _largest(B: Matrix, m: int, n: int, s: int) -> float:
    """The largest error, of pieces on average."""
    wanted = np.tile(np.eye(m), (n, 1))
    largest = 0.0
    for chosen in itertools.combinations(range(n), n - s):
        A = B[:, chosen]
        X = np.linalg.lstsq(A, wanted, rcond=None)[0]
        largest = max(largest, float(np.sum((A @ X - wanted) ** 2)) / m)
    return largest if largest > _ROUNDING * n else 0.0
