"""Pivoted QR and Jacobi rotations in vector code: the bits of plain loops, on every processor."""

import hashlib

import numpy as np
import pytest

from fastgc_kernels.decode import jacobi, orthogonal

SIZES = [(1, 1), (2, 9), (5, 3), (8, 9), (17, 20), (30, 24), (64, 50), (67, 90)]


def case(n, k):
    """Columns of numbers that every library rounds alike, some of them dependent or nearly so."""
    columns = np.random.default_rng(n).integers(-99, 100, (n, k)) / 7.0
    if n > 4:
        columns[2] = columns[1] / 2
        columns[4] = columns[1] + columns[0] * 2.0**-30
    return columns


def factored(columns, factor):
    own, y = columns.copy(), np.arange(1.0, columns.shape[1] + 1)
    order, norms = np.empty(len(own), np.int64), np.empty(len(own))
    rank = int(factor(own, y, order, norms, 1e-13))
    return rank, own, y, order, norms


def by_loops(columns, y, order, norms, cut):
    """One column after the other, each read three times: the loops of versions up to 1.6."""
    count, size = columns.shape
    order[:] = range(count)
    norms[:] = [dot(each, each) for each in columns]
    for step in range(min(count, size)):
        pivot = step + int(np.argmax(norms[step:]))
        length = np.sqrt(norms[pivot])
        if step == 0:
            limit = cut * length
        if length <= limit and step > 0:
            return step
        columns[[step, pivot]], order[[step, pivot]] = columns[[pivot, step]], order[[pivot, step]]
        norms[pivot] = norms[step]
        v = columns[step]
        diagonal = -length if v[step] >= 0 else length
        v[step] -= diagonal
        beta = -1.0 / (diagonal * v[step])
        for x in (y, *columns[step + 1 :]):
            x[step:] -= beta * dot(v[step:], x[step:]) * v[step:]
        norms[step + 1 :] = [
            dot(each[step + 1 :], each[step + 1 :]) for each in columns[step + 1 :]
        ]
        norms[step] = diagonal
    return min(count, size)


def dot(a, b):
    """Eight partial sums, the last few terms in the first of them."""
    sums = [0.0] * 8
    whole = a.size // 8 * 8
    for i, term in enumerate((a * b).tolist()):
        sums[i % 8 if i < whole else 0] += term
    s0, s1, s2, s3, s4, s5, s6, s7 = sums
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


def rotated(rows, y):
    """All pairs in the order of their numbers."""
    enough = 2.0**-52 * np.sqrt(float(rows.shape[1]))
    while True:
        norms, is_done = [dot(row, row) for row in rows], True
        for i in range(len(rows) - 1):
            for j in range(i + 1, len(rows)):
                inner = dot(rows[i], rows[j])
                if not abs(inner) > enough * np.sqrt(norms[i]) * np.sqrt(norms[j]):
                    continue
                is_done = False
                ratio = (norms[j] - norms[i]) / (2.0 * inner)
                tangent = np.copysign(1.0 / (abs(ratio) + np.sqrt(1.0 + ratio * ratio)), ratio)
                cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                half = sine / (1.0 + cosine)
                for own in (rows, y):
                    a, b = own[i].copy(), own[j].copy()
                    own[i], own[j] = a - sine * (b + half * a), b + sine * (a - half * b)
                norms[i] -= tangent * inner
                norms[j] += tangent * inner
                if norms[i] <= 0.0 or norms[j] <= 0.0:
                    norms[i], norms[j] = dot(rows[i], rows[i]), dot(rows[j], rows[j])
        if is_done:
            return


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_bits_of_factors(size):
    found, wanted = (factored(case(*size), each) for each in (orthogonal.factor, by_loops))
    assert found[0] == wanted[0]
    assert [each.tobytes() for each in found[1:]] == [each.tobytes() for each in wanted[1:]]


@pytest.mark.parametrize("size", [(1, 5), (4, 9), (7, 8), (22, 30)], ids=str)
def test_bits_of_rotations(size):
    """Rotations of disjoint pairs change places; no bit does."""
    own = case(*size), np.arange(1.0, size[0] + 1)
    other = [each.copy() for each in own]
    jacobi.orthogonalise(*own)
    rotated(*other)
    assert [each.tobytes() for each in own] == [each.tobytes() for each in other]


def digest():
    hashed = hashlib.sha256()
    for size in SIZES[:-2]:
        for each in (
            *factored(case(*size), orthogonal.factor)[1:],
            *jacobi.svd(case(*size), np.ones(size[0]))[:3],
        ):
            hashed.update(each.tobytes())
    return hashed.hexdigest()
