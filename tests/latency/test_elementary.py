"""Functions that are not the processor's own: right to two units of the last place, anywhere."""

import mpmath
import numpy as np
import pytest

from fastgc.latency import elementary

RNG = np.random.default_rng(5)
#: As integers over powers of two: no function makes them.
NEAR_0 = RNG.integers(-(2**30), 2**30, 400) * 0.5 ** RNG.integers(30, 85, 400)
WIDE = RNG.integers(-700 * 2**20, 700 * 2**20, 400) / 2**20
POSITIVE = RNG.integers(1, 2**40, 400) * 2.0 ** RNG.integers(-1060, 900, 400)
NEAR_1 = 1.0 + RNG.integers(-(2**20), 2**20, 400) * 0.5 ** RNG.integers(21, 45, 400)
FUNCTIONS = {
    "exp": (elementary.exp, mpmath.exp, np.concatenate([NEAR_0, WIDE])),
    "expm1": (elementary.expm1, mpmath.expm1, np.concatenate([NEAR_0, WIDE])),
    "log": (elementary.log, mpmath.log, np.concatenate([POSITIVE, NEAR_1])),
    "log1p": (elementary.log1p, mpmath.log1p, np.concatenate([NEAR_0, POSITIVE, NEAR_1 - 1.0])),
}


def units(found, truth):
    """How many units of the last place a number is off."""
    return abs(mpmath.mpf(float(found)) - truth) / float(np.spacing(abs(float(truth))))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_two_units_of_the_last_place(name):
    function, exact, given = FUNCTIONS[name]
    with mpmath.workdps(60):
        off = [
            units(y, exact(mpmath.mpf(float(x))))
            for x, y in zip(given, function(given), strict=True)
        ]
    assert len(off) > 700 and max(off) < 2.5


@pytest.mark.parametrize("exponent", [0.5, 0.7, 12.0, -3.25])
def test_powers_keep_their_digits(exponent):
    given = RNG.integers(1, 2**40, 300) * 2.0 ** RNG.integers(-60, 20, 300)
    with mpmath.workdps(60):
        truth = [mpmath.mpf(float(x)) ** mpmath.mpf(exponent) for x in given]
        off = [units(y, t) for y, t in zip(elementary.power(given, exponent), truth, strict=True)]
    assert max(off) < 2.5


def test_ends():
    given = np.array([0.0, 1.0, np.inf])
    assert elementary.exp(np.array([-np.inf, 0.0, np.inf])).tolist() == [0.0, 1.0, np.inf]
    assert elementary.expm1(np.array([-np.inf, 0.0, np.inf])).tolist() == [-1.0, 0.0, np.inf]
    assert elementary.log(given).tolist() == [-np.inf, 0.0, np.inf]
    assert elementary.log1p(np.array([-1.0, 0.0, np.inf])).tolist() == [-np.inf, 0.0, np.inf]
    assert elementary.power(given, 0.5).tolist() == [0.0, 1.0, np.inf]
    assert elementary.power(given, -0.5).tolist() == [np.inf, 1.0, 0.0]
    assert elementary.power(given, 0.0).tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(elementary.log(-1.0)) and elementary.power(2.0, 3.0) == 8.0
    assert elementary.log(np.ones((2, 3))).shape == (2, 3) and elementary.exp(1.0).shape == ()


def test_the_same_bits_anywhere():
    """Bits of a processor with AVX-512; another kind, another BLAS or another libm has the same."""
    x = np.array([0.1, 0.7, 3.3, 40.1])
    found = [function(x) for function, _, _ in FUNCTIONS.values()] + [elementary.power(x, 0.7)]
    assert [value.hex() for values in found for value in values.tolist()] == BITS


BITS = [
    "0x1.1aec7b35a00d4p+0",
    "0x1.01c2a61268987p+1",
    "0x1.b1cd5e7807b7bp+4",
    "0x1.ce1a689568294p+57",
    "0x1.aec7b35a00d3ap-4",
    "0x1.03854c24d130dp+0",
    "0x1.a1cd5e7807b7bp+4",
    "0x1.ce1a689568294p+57",
    "-0x1.26bb1bbb55515p+1",
    "-0x1.6d3c324e13f50p-2",
    "0x1.31a4e7240c777p+0",
    "0x1.d87f050c8ce22p+1",
    "0x1.8663f793c46c7p-4",
    "0x1.0fae81914a991p-1",
    "0x1.7567cb4bf2df7p+0",
    "0x1.dba62774c2daap+1",
    "0x1.98a13577c93c0p-3",
    "0x1.8ee06aa5599b0p-1",
    "0x1.273c7cfb01256p+1",
    "0x1.a7fc4bf5749e7p+3",
]
