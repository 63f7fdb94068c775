"""Fallbacks in NumPy give the bits of their kernels."""

import copy
import inspect
import itertools
import json
import sys
import tomllib
from importlib import import_module

import numpy as np
import pytest

import fastgc
from conftest import environment, ran
from fastgc.study.examples import examples
from fastgc_kernels import _jit
from fastgc_kernels.complete import networks
from fastgc_kernels.decode import gram_schmidt, worst_subsets
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.fallbacks import MODULES

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
    bits = np.zeros((patterns, 64 * (-(-n // 64))), np.uint8)
    bits[:, :n] = alive
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def values(*shape):
    found = RNG.exponential(size=shape).round(9)
    found[RNG.random(shape) < 0.2] = 0.0
    return found


def digits(p):
    """Binary digits of probabilities, and how many pairs of them count."""
    whole = np.array([int(each * 2**64) for each in p], dtype=object)
    table = np.array([[(w >> (63 - b)) & 1 for b in range(64)] for w in whole], dtype=np.uint64)
    last = np.array([max((b + 1 for b in range(64) if row[b]), default=0) for row in table])
    return table * U64(2**64 - 1), (last + 1) // 2


def counters(iterations, groups):
    low = np.tile(np.arange(groups, dtype=np.uint64), iterations)
    return low, np.repeat(np.arange(iterations, dtype=np.uint64), groups), low + U64(3)


def bernoulli():
    p, q = [0.1, 0.5, 0.0, 1 / 3, 0.25], [0.9, 0.5, 0.1, 0.75, 0.0]
    none = np.zeros((0, 64), np.uint64), np.zeros(0, np.int64), np.zeros((0, 0), np.uint64)
    for other in (none, (*digits(q), words(5, 2 * 700))):
        yield (*digits(p), *other, KEY, *counters(2, 700), words(5, 2 * 700))


def lost_groups():
    order = RNG.permutation(12)
    yield words(12, 40), order, np.array([0, 2, 5, 6, 12]), 40 * 64 - 70, np.zeros(5, np.int64)


def group_errors():
    labels = np.array([0, 0, 1, 1, -1, 2, 2] * 12)
    for n in (7, 84):
        yield packed(300, n), labels[:n], np.array([2, 1, 3]), 1, np.empty(300)


def matrices():
    """Of full and of lower rank, wide and tall."""
    for k, n, rank in ((6, 6, 6), (20, 20, 20), (17, 12, 9), (12, 17, 12), (9, 9, 3)):
        yield (normal((k, rank)) @ normal((rank, n))).round(9)
    yield (RNG.random((30, 30)) < 0.2).astype(float)


def terms(B):
    """What the kernels of least squares take of a matrix."""
    left, S, V = np.linalg.svd(B)
    rank = np.count_nonzero(S > 1e-9)
    rows = V[:rank] / S[:rank, None]
    x = (left.sum(axis=0)[:rank] / S[:rank]) @ V[:rank]
    H, P = rows.T @ rows, V[rank:].T @ V[rank:]
    e0 = float(np.sum((1 - B @ x) ** 2))
    H, P = np.tril(H) + np.tril(H, -1).T, np.tril(P) + np.tril(P, -1).T
    return H, V[rank:].copy(), P, x, e0, float(len(B))


def dependent_matrices():
    yield from matrices()
    for n, d in ((12, 4), (30, 3), (70, 7)):
        yield sum(np.roll(np.eye(n), i, axis=0) for i in range(d))


def ls_errors():
    for B in dependent_matrices():
        H, N, P, x, e0, k = terms(B)
        if len(N) == 0:
            continue
        for p in (0.2, 0.6):
            own = packed(300, len(B.T), p), H, N, P, x, e0, k
            yield *own, values(300), np.ones(300, np.uint8)


def gs_errors():
    for B in dependent_matrices():
        left, S, V = np.linalg.svd(B)
        n, rank = len(V), np.count_nonzero(S > 1e-9)
        null, width = -(-(n - rank) // 8) * 8, -(-rank // 8) * 8
        rows, c, singular = np.zeros((n, null + width)), np.zeros(width), np.full(width, np.inf)
        rows[:, : n - rank] = V[rank:].T
        rows[:, null : null + rank] = V[:rank].T / S[:rank]
        c[:rank], singular[:rank] = left.sum(axis=0)[:rank], S[:rank]
        for most, p in ((1e-9, 0.1), (1e-9, 0.4), (1e-15, 0.4)):
            limits = gram_schmidt.Limits(1e-13, 1e-3, 1e-15, most)
            own = n - rank, c, singular, 1e-3, float(len(B)), limits
            alive = packed(40 if n < 40 else 6, n, p)
            yield alive, rows, *own, values(len(alive)), np.ones(len(alive), np.uint8)


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


def crossings():
    for never in (0.0, 0.1):
        masses = RNG.random((3, 2, 4)) / 4
        late = 1 - never - np.cumsum(masses, axis=2) * (1 - never)
        sizes, required = np.array([5, 3]), np.array([1, 2, 4, 6])
        share = masses * (1 - never)
        yield share, late, np.full(2, never), sizes, required, 6, np.empty(3), np.empty(3)


def any_numbers():
    """Of all sizes and signs, with both zeros and infinities."""
    found = values(700) * np.where(RNG.random(700) < 0.5, -1.0, 2.0 ** RNG.integers(-900, 900, 700))
    found[:9] = 0.0, -0.0, np.inf, -1.0, 5e-324, 1e308, 1e-300, 800.0, 40.0
    return found


LAWS = {
    law_numbers.EXPONENTIAL: [1.0, 2.0],
    law_numbers.WEIBULL: [0.5, 2.0, 0.7],
    law_numbers.PARETO: [0.0, 2.0, 0.4],
    law_numbers.UNIFORM: [1.0, 3.0],
    law_numbers.LOGNORMAL: [0.0, 1.0, 0.2, 1.5],
    law_numbers.DETERMINISTIC: [3.0, 0.0],
    law_numbers.VALUES: [0.0, 2.0, 1.0, 1.5, 4.0],
}


def draws():
    """Laws that are functions of one number; a worker is left out, another adds three times."""
    lengths = [len(own) for own in LAWS.values()]
    stops = np.cumsum(lengths)
    laws = np.stack([list(LAWS), stops - lengths, stops, np.ones(len(LAWS), int)], axis=1)
    laws[2, 3], laws[4, 0] = 3, -1
    params = np.concatenate(list(LAWS.values()))
    yield laws, params, KEY, U64(2**33), np.zeros((2, len(LAWS), 2, 700))


def answers(*shape):
    """Times of which some are alike and some are missing."""
    times = np.round(RNG.exponential(size=shape), 1)
    times[RNG.random(shape) < 0.02] = np.inf
    return times


def wanted(n, *places):
    return np.isin(np.arange(n), places)


def network(n, *places):
    return networks.selection.py_func(wanted(n, *places))


def arrivals():
    for each in (1, 2):
        times = answers(6, each, 700)
        done = times[2, 0] * (2 if each == 1 else 1)
        yield times, np.array([[0, 1]] * 6), np.array([4, 3]), 7, done, np.empty(700)


def ports():
    for each in (1, 2):
        messages = RNG.integers(1, 9, 700).astype(float)
        yield answers(4, each, 700), 2, network(8, *range(8)), messages, 0.1, answers(700)


def subsets():
    for n in (5, 64, 70):
        yield RNG.integers(0, n + 1, 300), n, U64(2**33), 100, KEY, words(300, -(-n // 64))


def graphs():
    """Edges that form loops, odd and even cycles, and meet in components of all sizes."""
    for k, n in ((4, 7), (9, 9), (30, 70)):
        edges = RNG.integers(0, k, (n, 2)).astype(np.int32)
        edges[0] = 1
        for p in (0.2, 0.6):
            yield packed(300, n, p), edges, k, values(300)


def intervals():
    for n, edges in ((5, 6), (30, 12), (70, 20)):
        start = RNG.integers(0, edges, n)
        stop = start + RNG.integers(1, edges + 1 - start)
        for p in (0.3, 0.9):
            yield packed(300, n, p), start, stop, RNG.integers(1, 4, edges), values(300)


def worst_sets():
    for B in (normal((5, 5)), next(itertools.islice(dependent_matrices(), 4, None))[:, :6]):
        H, _, P, x, _, _ = terms(B)
        m, depths = len(x), 5
        shape = (depths, m, m)
        path = np.zeros(depths, int), np.zeros(shape), np.zeros(shape[:2]), np.zeros(shape)
        room = worst_subsets.Path(*path, np.zeros((depths, 2, m)))
        unclear = np.full((4, depths), -1)
        best = worst_subsets.Best(np.zeros(1), np.zeros(depths, int), unclear, np.zeros(2, int))
        items = worst_subsets.Items(np.ones(m, int), np.arange(m, -1, -1), 3)
        yield items, 0, 2, worst_subsets.Terms(H, x, P), room, best


#: Full and empty patterns, one and several words, matrices of full and of lower rank.
CASES = {
    "complete.crossing.cross": crossings,
    "complete.networks.selection": lambda: [
        (wanted(*each),) for each in ((1, 0), (2, 1), (9, 8), (9, 0, 4), (40, 9, 30))
    ],
    "complete.parts.count": arrivals,
    "complete.parts.serve": ports,
    "complete.parts.groups": lambda: [(answers(12, 1, 700), 3, 2, network(4, 1), np.empty(700))],
    "decode.components.errors": graphs,
    "decode.intervals.errors": intervals,
    "decode.orthogonal.factor": lambda: [
        (B.T.copy(), normal(len(B)), np.zeros(len(B.T), int), values(len(B.T)), cut)
        for B in matrices()
        for cut in (0.0, 1e-12)
    ],
    "decode.cycle_gaps.errors": lambda: [
        (packed(300, n, p), n, values(300))
        for n, p in ((1, 0.5), (7, 0.3), (64, 0.1), (65, 0.1), (200, 0.5))
    ],
    "decode.elimination.solve": solves,
    "decode.gram_schmidt.by_rows": gs_errors,
    "decode.groups.errors": group_errors,
    "decode.groups.lost_groups": lost_groups,
    "decode.jacobi.combine": lambda: [(normal(6), normal((6, 19)))],
    "decode.jacobi.gram": lambda: [(normal((6, 19)),)],
    "decode.jacobi.orthogonalise": lambda: [(normal((9, 20)), normal(9))],
    "decode.jacobi.svd": lambda: [(B, normal(B.shape[0])) for B in matrices()],
    "decode.least_squares.dependent": ls_errors,
    "decode.least_squares.normalise": lambda: [
        ((r.T @ r).round(9), normal(9)) for r in [normal((9, 9))]
    ],
    "decode.lost_partitions.lost_partitions": lost_partitions,
    "draw.patterns.addresses": lambda: [(U64(2**40), 3, 5, *words(3, 15))],
    "draw.patterns.bernoulli": bernoulli,
    "draw.patterns.count_survivors": lambda: [
        (words(n, 40), np.zeros(40 * 64, np.int64)) for n in (5, 100)
    ],
    "decode.orthogonal.ranks": lambda: [
        (packed(60, len(B.T), 0.5), B.T.copy(), values(60, 3)) for B in dependent_matrices()
    ],
    "decode.worst_subsets.search_dependent": worst_sets,
    "draw.law_numbers.invert": lambda: [
        (kind, np.array(LAWS[kind]), np.append([1e-300, 800.0, 40.0], RNG.exponential(size=697)))
        for kind in law_numbers.INVERTIBLE
    ],
    "draw.pairs.exponentials": lambda: [(KEY, U64(2**33), 5, 7, *values(2, 700))],
    "draw.pairs.uniforms": lambda: [(KEY, U64(2**33), 5, 7, *values(2, 700))],
    "draw.times.draw": draws,
    "draw.patterns.subsets": subsets,
    "draw.patterns.unpack": lambda: [(packed(21 * 64, n), words(n, 21)) for n in (5, 64, 100)],
    "draw.patterns.pack": lambda: [
        (words(n, 21), words(21 * 64, -(-n // 64))) for n in (5, 64, 100)
    ],
    "draw.philox.words": lambda: [(words(50, 4) >> U64(32), KEY, words(50, 4))],
    "tally.strata.by_survivors": by_strata,
    "tally.sums.excesses": lambda: [
        (times, 0.1, reference, 2.0, *values(2, *times.shape))
        for times in (answers(1, 1000), answers(3, 65), np.array([[1.0, np.nan], [2.0, np.inf]]))
        for reference in (0.0, 0.7)
    ],
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
    """Everything, with types and shapes, as bytes."""
    if found is None or isinstance(found, tuple):
        return found and tuple(map(bits, found))
    array = np.asarray(found)
    return array.dtype.kind, array.shape, array.tobytes()


@pytest.mark.night
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


#: Prints the rows of studies, and whether Numba has been loaded for them, however slow a machine.
PROGRAM = """
import json, sys, fastgc
from fastgc_kernels import _jit
_jit.PATIENCE = float("inf")
for study, method in json.loads(sys.argv[1]):
    rows = fastgc.run(study, trials=2000, method=method, threads=1).rows()
    print([repr(row) for row in rows])
print("numba" in sys.modules)
"""


def studies(method, *names):
    return [(tomllib.loads(examples()[name]), method) for name in names]


def rows_as(asked, **changes):
    """Check the rows of a process of its own against those of compiled kernels.

    Returns whether it has loaded Numba.
    """
    done = ran(sys.executable, "-c", PROGRAM, json.dumps(asked), env=environment(**changes))
    assert done.returncode == 0, done.stderr
    *found, loaded = done.stdout.splitlines()
    for (study, method), line in zip(asked, found, strict=True):
        rows = fastgc.run(study, trials=2000, method=method, threads=1).rows()
        assert line == str([repr(row) for row in rows]), study
    return loaded == "True"


@pytest.mark.night
def test_first_studies_load_no_compiler(tmp_path):
    decoding = ("binary", "circulant", "cyclic", "frc", "graph")
    asked = studies("auto", *(f"code {name}" for name in decoding), "replication port")
    asked += studies("auto", "stragglers adversarial", "stragglers uniform")
    asked += studies("auto", "system hierarchical", "gradient-code port", "latency weibull")
    asked += studies("monte-carlo", "code uncoded")
    assert not rows_as(asked, NUMBA_CACHE_DIR=str(tmp_path))


@pytest.mark.night
def test_kernels_without_a_fallback_are_compiled_at_once():
    """Beside others that have one."""
    own = "code cyclic", "code tossed", "stragglers trace", "stragglers two-class"
    assert rows_as(
        studies("auto", *own) + studies("monte-carlo", "latency gamma", "coded-reduce port")
    )


def test_times_of_laws_that_draw_more_numbers_are_left_to_the_kernel():
    out = np.zeros((1, 1, 1, 5))
    given = np.array([[law_numbers.GAMMA, 0, 3, 1]]), np.array([0.0, 1.0, 2.5]), KEY, U64(0), out
    assert _jit.FALLBACKS.run(kernel_of("draw.times.draw").fallback, given) is NotImplemented
    assert not out.any()


def test_what_fails_inside_numba_is_shown(monkeypatch):
    def broken(name):
        raise AttributeError("module 'coverage' has no attribute 'types'")

    monkeypatch.setattr("fastgc_kernels._jit.import_module", broken)
    kernel = _jit.Kernel(lambda x: x, "compiled")
    with pytest.raises(ImportError, match="coverage"):
        kernel.dispatcher(1)
    with pytest.raises(ImportError, match="coverage"):
        _ = kernel.signatures
