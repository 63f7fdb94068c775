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
from fastgc.decoding.algorithms import GramSchmidt, LeastSquares
from fastgc.decoding.factorization import Decomposition, scale_columns
from fastgc.draws.patterns import binary_digits
from fastgc.study.examples import examples
from fastgc_kernels import _jit
from fastgc_kernels.decode import worst_subsets
from fastgc_kernels.decode.straggler_costs import Cost, Output, Queue
from fastgc_kernels.fallbacks import AS_WRITTEN, MODULES
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
    "decode.groups.errors": group_errors,
    "decode.groups.lost_groups": lost_groups,
    "decode.groups.lost_partitions": lost_partitions,
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


def dependent():
    """Nullities 1, 2, 4 and 7; patterns in one word and in two."""
    for n, k, rank in ((9, 9, 8), (9, 5, 5), (12, 12, 5), (66, 70, 64)):
        B = normal((k, rank)) @ normal((rank, n))
        parts = Decomposition.of(scale_columns(B)[0])
        tier = LeastSquares(B, parts)
        H, N, P, x, e0, _ = tier._constants
        own = packed(40, n) if n > 64 else np.arange(1 << n, dtype=U64)[:300, None]
        queue = Queue(own, np.empty(len(own) + 16, np.int32))
        filled = Output(np.empty(len(own)), np.empty(len(own), np.uint8))
        yield queue, np.zeros(n + 2, np.int64), Cost(H, x, e0, float(k)), N, P, filled


def orthogonalised():
    """Short rows, too, of which a second reading is asked for."""
    for n, k, rank in ((9, 9, 6), (12, 20, 12), (20, 11, 11)):
        B = normal((k, rank)) @ normal((rank, n))
        B[:, 1] = B[:, 0] + 1e-9 * B[:, 2]
        tier = GramSchmidt(B, Decomposition.of(scale_columns(B)[0]))
        yield packed(60, n, 0.4), *tier._constants, np.empty(60), np.empty(60, np.uint8)


def columns():
    """Sets of independent and of dependent columns, of more and of fewer than eight entries."""
    for n, k in ((5, 3), (9, 12), (12, 19)):
        own = normal((n, k))
        own[1] = own[0]
        yield packed(40, n), own


def priced():
    """All sets of three of nine workers."""
    H = normal((9, 12))
    H = H @ H.T / 12
    terms = worst_subsets.Terms(H, normal(9), np.zeros((9, 9)))
    items = worst_subsets.PricedItems(np.ones(9, np.int64), np.arange(9, -1, -1), 3)
    room = worst_subsets.Path(
        np.zeros(5, np.int64), *(np.zeros((5, *shape)) for shape in ((9, 9), (9,), (9, 9), (2, 9)))
    )
    unclear = np.zeros((100, 5), np.int16)
    best = worst_subsets.Best(np.zeros(1), np.zeros(5, np.int64), unclear, np.zeros(2, np.int64))
    yield items, 0, 9, terms, room, best


#: The same of kernels that serve as they are written.
WRITTEN = {
    "decode.elimination.solve": solves,
    "decode.gram_schmidt._by_rows": orthogonalised,
    "decode.jacobi.combine": lambda: [(normal(5), normal((5, 7)))],
    "decode.jacobi.decoding_vectors": lambda: [
        (sets, own, np.empty((40, len(own)))) for sets, own in columns()
    ],
    "decode.jacobi.gram": lambda: [(normal((5, 7)),)],
    "decode.jacobi.svd": lambda: [
        (normal((k, rank)) @ normal((rank, n)), np.ones(k))
        for n, k, rank in ((3, 3, 3), (12, 12, 5), (9, 20, 9), (20, 9, 9))
    ],
    "decode.least_squares.dependent": dependent,
    "decode.least_squares.normalise": lambda: [(abs(normal((6, 6))), normal(6))],
    "decode.orthogonal.ranks": lambda: [(sets, own, np.empty((40, 3))) for sets, own in columns()],
    "decode.worst_subsets.search": priced,
    "decode.worst_subsets.search_dependent": priced,
    "draw.pattern_words.addresses": lambda: [(U64(2**40), 3, 5, *words(3, 15))],
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


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_a_kernel_as_it_is_written_gives_the_same_bits(name, monkeypatch):
    kernel = kernel_of(name)
    monkeypatch.setattr(kernel, "_entries", 0)
    for case in WRITTEN[name]():
        slow, fast = copy.deepcopy(case), copy.deepcopy(case)
        result = _jit.FALLBACKS.run(kernel.fallback, slow)
        assert bits((result, slow)) == bits((kernel(*fast), fast))
    spent = kernel._entries
    monkeypatch.setattr(kernel, "_entries", _jit.ENOUGH - spent)
    assert [kernel.fallback(*case) for case in WRITTEN[name]()][-1] is NotImplemented


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
