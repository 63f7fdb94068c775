"""Functions that are not the processor's own: right to two units of the last place, anywhere."""

import hashlib

import mpmath
import numpy as np
import pytest

from fastgc.latency import libm

RNG = np.random.default_rng(5)
#: As integers over powers of two: no function makes them.
NEAR_0 = RNG.integers(-(2**30), 2**30, 400) * 0.5 ** RNG.integers(30, 85, 400)
WIDE = RNG.integers(-700 * 2**20, 700 * 2**20, 400) / 2**20
POSITIVE = RNG.integers(1, 2**40, 400) * 2.0 ** RNG.integers(-1060, 900, 400)
NEAR_1 = 1.0 + RNG.integers(-(2**20), 2**20, 400) * 0.5 ** RNG.integers(21, 45, 400)
FUNCTIONS = {
    "exp": (libm.exp, mpmath.exp, np.concatenate([NEAR_0, WIDE])),
    "expm1": (libm.expm1, mpmath.expm1, np.concatenate([NEAR_0, WIDE])),
    "log": (libm.log, mpmath.log, np.concatenate([POSITIVE, NEAR_1])),
    "log1p": (libm.log1p, mpmath.log1p, np.concatenate([NEAR_0, POSITIVE, NEAR_1 - 1.0])),
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
        off = [units(y, t) for y, t in zip(libm.power(given, exponent), truth, strict=True)]
    assert max(off) < 2.5


def test_ends():
    given = np.array([0.0, 1.0, np.inf])
    assert libm.exp(np.array([-np.inf, 0.0, np.inf])).tolist() == [0.0, 1.0, np.inf]
    assert libm.expm1(np.array([-np.inf, 0.0, np.inf])).tolist() == [-1.0, 0.0, np.inf]
    assert libm.log(given).tolist() == [-np.inf, 0.0, np.inf]
    assert libm.log1p(np.array([-1.0, 0.0, np.inf])).tolist() == [-np.inf, 0.0, np.inf]
    assert libm.power(given, 0.5).tolist() == [0.0, 1.0, np.inf]
    assert libm.power(given, -0.5).tolist() == [np.inf, 1.0, 0.0]
    assert libm.power(given, 0.0).tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(libm.log(-1.0)) and libm.power(2.0, 3.0) == 8.0
    assert libm.log(np.ones((2, 3))).shape == (2, 3) and libm.exp(1.0).shape == ()


def test_the_same_bits_anywhere():
    """Bits of a processor with AVX-512; another kind, another BLAS or another libm has the same."""
    x = np.array([0.1, 0.7, 3.3, 40.1])
    found = [function(x) for function, _, _ in FUNCTIONS.values()] + [libm.power(x, 0.7)]
    bits = np.concatenate(found).astype("<f8").tobytes()
    assert (
        hashlib.sha256(bits).hexdigest()
        == "909c90dcd038402a730eb2e57d88f2a9e0654267f4cac9ba56dc74f6101aed58"
    )
