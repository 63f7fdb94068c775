"""Gram–Schmidt in vector code: the bits of the loops that it replaces, on every processor."""

import hashlib

import numpy as np
import pytest

from fastgc_kernels.decode import gram_schmidt
from twins import gram_schmidt as twin
from twins.least_squares import pack

pytestmark = pytest.mark.night

#: Workers, nullity, rank.
SIZES = [
    (5, 0, 5), (9, 2, 7), (20, 0, 20), (26, 6, 20), (40, 20, 24), (65, 9, 56), (100, 19, 81),
    (130, 40, 41),
]  # fmt: skip


def case(n, nullity, rank, most=1e-9):
    """Patterns and tables of numbers that every library rounds alike, some rows nearly the same."""
    rng = np.random.default_rng(n)
    null, width = -(-nullity // 8) * 8, -(-rank // 8) * 8
    rows = np.zeros((n, null + width))
    rows[:, :nullity] = rng.integers(-99, 100, (n, nullity)) / 640.0
    rows[:, null : null + rank] = rng.integers(-99, 100, (n, rank)) / 7.0
    rows[2, :nullity] = rows[1, :nullity]
    rows[3, :nullity] = rows[0, :nullity] * (1 + 2.0**-30)
    rows[3, 0] += 2.0**-20 if nullity else 0.0
    rows[n - 1, null:] = rows[n - 2, null:]
    rows[n - 1, null] += 2.0**-25
    c, values = np.zeros(width), np.full(width, np.inf)
    c[:rank], values[:rank] = rng.integers(-9, 10, rank) / 4.0, np.arange(1, rank + 1) / 3.0
    alive = rng.random((300, n)).argsort(axis=1) >= rng.integers(0, min(n, 40) + 1, 300)[:, None]
    alive[0], alive[1], alive[2:4] = True, False, True
    alive[2, [0, 3]], alive[3, [1, 2]] = False, False
    limits = gram_schmidt.Tolerances(1e-13, 1e-4, 1e-15, most)
    return pack(alive), rows, nullity, c, values, 0.25, 9.0 * n, limits


def found(errors, given):
    out = np.full(len(given[0]), 7.0)
    standing = np.full(len(out), 9, np.uint8)
    errors(*given, out, standing)
    return out, standing


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_bits(size):
    seen = set()
    for most in (1e300, 1e-5, 1e-15):
        given = case(*size, most)
        own, other = found(gram_schmidt.errors, given), found(twin.errors, given)
        assert [each.tobytes() for each in own] == [each.tobytes() for each in other]
        seen |= set(own[1].tolist())
    assert seen == ({0, 2} if size[1] == 0 else {0, 1, 2}), "all ways are gone"


def test_bits_of_few_patterns():
    packed, *tables = case(26, 6, 20)
    for first, last in ((0, 0), (2, 3), (5, 8)):
        given = packed[first:last], *tables
        own, other = found(gram_schmidt.errors, given), found(twin.errors, given)
        assert [each.tobytes() for each in own] == [each.tobytes() for each in other]


def digest():
    hashed = hashlib.sha256()
    for size in SIZES[:5]:
        for array in found(gram_schmidt.errors, case(*size)):
            hashed.update(array.tobytes())
    return hashed.hexdigest()


@pytest.mark.parametrize(("place", "value"), [
    (0, np.zeros((300, 2), np.uint64)),
    (1, np.zeros((26, 33))[:, :32]),
    (1, np.zeros((26, 30))),
    (2, 9),
    (4, np.zeros(23)),
])  # fmt: skip
def test_what_does_not_fit_is_refused(place, value):
    """Vector code reads addresses, which nothing else checks."""
    given = [*case(26, 6, 20)]
    given[place] = value
    with pytest.raises(ValueError, match="do not fit"):
        found(gram_schmidt.errors, given)
