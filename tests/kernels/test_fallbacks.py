"""Fallbacks in NumPy give the bits of their kernels."""

import copy
import inspect
import json
import sys
import tomllib
from importlib import import_module

import numpy as np
import pytest

import fastgc
from conftest import environment, ran
from fastgc.draws.patterns import binary_digits
from fastgc.study.examples import examples
from fastgc_kernels import _jit
from fastgc_kernels.fallbacks import MODULES
from twins.least_squares import pack

U64 = np.uint64
RNG = np.random.default_rng(1)
KEY = U64(0x123456789ABCDEF)


def normal(shape):
    """Rounded, as are all products of them: libraries differ in the last bit of what they give."""
    return RNG.normal(size=shape).round(9)


def words(*shape):
    return RNG.integers(0, 2**64, shape, dtype=np.uint64)


def packed(patterns, n, p=0.2):
    """Patterns in which every worker straggles with probability p; the first two are extreme."""
    alive = RNG.random((patterns, n)) >= p
    alive[0], alive[1] = True, False
    return pack(alive)


def values(*shape):
    found = RNG.exponential(size=shape).round(9)
    found[RNG.random(shape) < 0.2] = 0.0
    return found


def counters(iterations, groups):
    low = np.tile(np.arange(groups, dtype=np.uint64), iterations)
    return low, np.repeat(np.arange(iterations, dtype=np.uint64), groups), low + U64(3)


def bernoulli():
    p, q = np.array([[0.1, 0.5, 0.0, 1 / 3, 0.25], [0.9, 0.5, 0.1, 0.75, 0.0]])
    none = (np.zeros((0, 64), np.uint64), np.zeros(0, np.int64)), np.zeros((0, 0), np.uint64)
    for other, classes in (none, (binary_digits(q), words(5, 2 * 700))):
        yield binary_digits(p), other, classes, KEY, counters(2, 700), words(5, 2 * 700)


def lost_groups():
    order = RNG.permutation(12)
    yield words(12, 40), order, np.array([0, 2, 5, 6, 12]), 40 * 64 - 70, np.zeros(5, np.int64)


def group_errors():
    labels = np.array([0, 0, 1, 1, -1, 2, 2] * 12)
    for n in (7, 84):
        yield packed(300, n), labels[:n], np.array([2, 1, 3]), 1, np.empty(300)


def solves():
    for m in (1, 3, 8, 30):
        yield normal((m, m)), normal(m), np.zeros(m)
    yield np.ones((2, 2)), np.ones(2), np.zeros(2)
    yield np.vander(np.linspace(0, 1, 9)), np.ones(9), np.zeros(9)


def lost_partitions():
    """Partitions of several holders, of one and of none; more words than lie side by side."""
    holders, offsets = np.array([0, 1, 1, 2, 0, 3]), np.array([0, 2, 4, 4, 6])
    for trials in (1, 63, 500, 512):
        yield words(4, 9), holders, offsets, np.zeros(trials, np.int64)
    yield words(4, 300) & words(4, 300), holders, offsets, np.zeros(64 * 300, np.uint8)
    pairs = np.array([[j, (j + 31) % 70] for j in range(67)])
    yield words(70, 3), pairs.reshape(-1), np.arange(0, 135, 2), np.zeros(129, np.uint8)


def by_strata():
    """Values of all sizes, so that the order of additions shows."""
    for n, trials, kind in ((9, 300, int), (70, 300, np.uint16), (64, 64, np.uint8), (3, 5, int)):
        stratum = np.minimum(np.arange(n + 1) // 2, 3)
        own = values(trials) * 2.0 ** RNG.integers(-20, 20, trials)
        controls = RNG.integers(0, 200, trials).astype(kind)
        yield own, controls, packed(trials, n), stratum, values(4, 3), values(2)


def any_numbers():
    """Of all sizes and signs, with both zeros and infinities."""
    found = values(700) * np.where(RNG.random(700) < 0.5, -1.0, 2.0 ** RNG.integers(-900, 900, 700))
    found[:9] = 0.0, -0.0, np.inf, -1.0, 5e-324, 1e308, 1e-300, 800.0, 40.0
    return found


def subsets():
    for n in (5, 64, 70):
        yield RNG.integers(0, n + 1, 300), n, U64(2**33), 100, KEY, words(300, -(-n // 64))


#: Full and empty patterns, one and several words, matrices of full and of lower rank.
CASES = {
    "decode.elimination.solve": solves,
    "decode.groups.errors": group_errors,
    "decode.groups.lost_groups": lost_groups,
    "decode.groups.lost_partitions": lost_partitions,
    "draw.pattern_words.addresses": lambda: [(U64(2**40), 3, 5, *words(3, 15))],
    "draw.pattern_words.bernoulli": bernoulli,
    "draw.pattern_words.count_survivors": lambda: [
        (words(n, 40), np.zeros(40 * 64, np.int64)) for n in (5, 100)
    ],
    "draw.pattern_words.subsets": subsets,
    "draw.pattern_words.unpack": lambda: [(packed(21 * 64, n), words(n, 21)) for n in (5, 64, 100)],
    "draw.pattern_words.pack": lambda: [
        (words(n, 21), words(21 * 64, -(-n // 64))) for n in (5, 64, 100)
    ],
    "draw.philox.words": lambda: [(words(50, 4) >> U64(32), KEY, words(50, 4))],
    "tally.sums.by_strata": by_strata,
    "tally.sums.histogram": lambda: [
        (values(500), np.ones(1 << 18, np.int64), np.array([np.inf, -np.inf]))
    ],
    "tally.sums.powers": lambda: [(values(1000), np.empty(m)) for m in (1, 2, 4)],
    **{
        f"draw.elementary.{name}": lambda: [(any_numbers(), np.empty(700))]
        for name in ("exps", "expm1s", "logs", "log1ps")
    },
    "draw.elementary.normals": lambda: [(RNG.random(700), np.empty(700))],
    "draw.elementary.powers": lambda: [
        (abs(any_numbers()), exponent, np.empty(700)) for exponent in (0.0, 0.7, -3.0)
    ],
}


def kernel_of(name):
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"{_jit.PACKAGE}.{module}"), function)


def bits(found):
    if found is None or isinstance(found, tuple):
        return found and tuple(map(bits, found))
    array = np.asarray(found)
    return array.dtype.kind, array.shape, array.tobytes()


@pytest.mark.parametrize("name", MODULES)
def test_a_fallback_gives_the_bits_of_its_kernel(name):
    kernel = kernel_of(name)
    given, own = map(inspect.signature, (kernel.fallback, kernel.py_func))
    assert list(given.parameters) == list(own.parameters)
    for case in CASES[name]():
        slow, fast = copy.deepcopy(case), copy.deepcopy(case)
        result = _jit.FALLBACKS.run(kernel.fallback, slow)
        assert result is not NotImplemented
        assert bits((result, slow)) == bits((kernel(*fast), fast))


#: Prints the rows of studies, and whether Numba has been loaded for them.
PROGRAM = """
import json, sys, fastgc
for study, method in json.loads(sys.argv[1]):
    rows = fastgc.run(study, trials=2000, method=method, threads=1).rows()
    print([repr(row) for row in rows])
print("numba" in sys.modules)
"""


@pytest.mark.night
def test_first_studies_load_no_compiler_and_have_the_rows_of_kernels(tmp_path):
    own = "code frc", "system gradient-code", "latency weibull", "latency pareto"
    names = [*((name, "auto") for name in own), ("code uncoded", "monte-carlo")]
    asked = [(tomllib.loads(examples()[name]), method) for name, method in names]
    surroundings = environment(NUMBA_CACHE_DIR=str(tmp_path))
    done = ran(sys.executable, "-c", PROGRAM, json.dumps(asked), env=surroundings)
    assert done.returncode == 0, done.stderr
    *found, loaded = done.stdout.splitlines()
    for (study, method), line in zip(asked, found, strict=True):
        rows = fastgc.run(study, trials=2000, method=method, threads=1).rows()
        assert line == str([repr(row) for row in rows]), study
    assert loaded == "False"


@pytest.mark.parametrize("kept", [False, True])
def test_the_kernel_serves_once_its_fallback_was_given_enough(kept, monkeypatch):
    monkeypatch.setattr(_jit.FALLBACKS, "wanted", True)
    monkeypatch.setattr(_jit, "is_kept", lambda *_: kept)
    kernel = _jit.Kernel(lambda x: "slow", "compiled")
    kernel.fallback = lambda x: "fallback"
    monkeypatch.setattr(_jit.Kernel, "dispatcher", property(lambda own: own.py_func))
    calls = (_jit.ENOUGH_IF_KEPT if kept else _jit.ENOUGH) // (1 << 20)
    found = [kernel(np.empty((1 << 20) - _jit.A_CALL)) for _ in range(calls + 1)]
    assert found == ["fallback"] * calls + ["slow"]
