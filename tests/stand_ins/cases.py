"""Arguments for every stand-in: ``python -m stand_ins.cases`` runs each beside its kernel.

In a process of its own, because stand-ins are run while nothing is compiled.
"""

from __future__ import annotations

import copy
import inspect
import pkgutil
import sys
from importlib import import_module

import numpy as np

from fastgc_kernels import _jit
from fastgc_kernels import stand_ins as package
from fastgc_kernels._sources import PACKAGE
from fastgc_kernels.decode import worst_subsets
from stand_ins.times import CASES as TIMES

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


def subsets():
    for n, r in ((5, 2), (64, 60), (130, 65), (1, 1)):
        out = words(900, -(-n // 64))
        yield np.full(900, r), n, U64(7), 450, KEY, out
        yield RNG.integers(0, n + 1, 900), n, U64(2**33), 900, KEY, out.copy()


def lost_groups():
    order = RNG.permutation(12)
    yield words(12, 40), order, np.array([0, 2, 5, 6, 12]), 40 * 64 - 70, np.zeros(5, np.int64)


def group_errors():
    labels = np.array([0, 0, 1, 1, -1, 2, 2] * 12)
    for n in (7, 84):
        yield packed(300, n), labels[:n], np.array([2, 1, 3]), 1, np.empty(300)


def by_survivors():
    for iterations in (1, 5):
        shape = (iterations, 200)
        yield values(*shape), RNG.integers(0, 9, shape), 8, values(9, 5)


def not_accessed():
    holders, offsets = np.array([0, 1, 1, 2, 0, 3]), np.array([0, 2, 4, 4, 6])
    for iterations in (1, 3):
        yield words(4, iterations * 3), holders, offsets, iterations, 150, np.zeros((4, 4))


CASES = {
    "draw.philox.words": lambda: [(words(50, 4) >> U64(32), KEY, words(50, 4))],
    "draw.patterns.addresses": lambda: [(U64(2**40), 3, 5, *words(3, 15))],
    "draw.patterns.bernoulli": bernoulli,
    "draw.patterns.subsets": subsets,
    "draw.patterns.pack": lambda: [
        (words(n, 21), words(21 * 64, -(-n // 64))) for n in (5, 64, 100)
    ],
    "draw.patterns.unpack": lambda: [
        (words(21 * 64, -(-n // 64)), words(n, 21)) for n in (5, 64, 100)
    ],
    "draw.patterns.count_survivors": lambda: [
        (words(n, 40), np.zeros(40 * 64, np.int64)) for n in (5, 100)
    ],
    "decode.groups.errors": group_errors,
    "decode.groups.lost_groups": lost_groups,
    "decode.lookup.errors": lambda: [(packed(99, 5), values(32), values(99))],
    "decode.cycle_gaps.errors": lambda: [
        (packed(300, n, p), n, values(300))
        for n, p in ((1, 0.5), (7, 0.3), (64, 0.1), (65, 0.1), (200, 0.5))
    ],
    "tally.sums.averages": lambda: [(values(n, 100), *values(2, 100)) for n in (1, 7)],
    "tally.sums.powers": lambda: [(values(1000), np.empty(m)) for m in (1, 2, 4)],
    "tally.sums.powers_of_rows": lambda: [(values(3, 77), np.empty((3, 4)))],
    "tally.sums.product": lambda: [(values(n), values(n)) for n in (5, 64, 1001)],
    "tally.sums.histogram": lambda: [
        (values(500), np.ones(1 << 18, np.int64), np.array([np.inf, -np.inf]))
    ],
    "tally.sums.exceedances": lambda: [(values(n, 100), 0.5, values(100)) for n in (1, 7)],
    "tally.sums.by_survivors": by_survivors,
    "tally.sums.not_accessed": not_accessed,
    "tally.sums.survivor_counts": lambda: [
        (RNG.integers(0, 9, (n, 100)), np.ones((9, 2))) for n in (1, 4)
    ],
    "tally.sums.lag_products": lambda: [(values(9, 100), 3, values(100))],
}


def graphs():
    cycle = np.array([[j, (j + 1) % 6] for j in range(6)] + [[2, 2]])
    whole = np.array([[a, b] for a in range(13) for b in range(a)])
    yield packed(200, 7), cycle, 7, values(200)
    yield packed(300, 78, 0.8), whole, 13, values(300)


def intervals():
    lengths = np.array([1, 2, 1, 3, 1, 1])
    for n, p in ((9, 0.3), (70, 0.95)):
        ends = np.sort(np.array([RNG.permutation(7)[:2] for _ in range(n)]), axis=1)
        yield packed(400, n, p), ends[:, 0].copy(), ends[:, 1].copy(), lengths, values(400)


def matrices():
    """Matrices of full and of lower rank, wide and tall."""
    for k, n, rank in ((6, 6, 6), (20, 20, 20), (17, 12, 9), (12, 17, 12), (9, 9, 3)):
        yield (normal((k, rank)) @ normal((rank, n))).round(9)
    yield (RNG.random((30, 30)) < 0.2).astype(float)


def qr_errors():
    for n, k in ((9, 9), (14, 5), (5, 14)):
        columns = normal((n, k))
        columns[-1] = columns[0] + columns[1]
        yield packed(60, n, 0.3), columns, values(60)


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
        own = terms(B)
        if len(own[1]) == 0:
            H, x = own[0], own[3]
            scale = 1 / np.sqrt(np.diagonal(H))
            x *= scale
            H *= scale[:, None] * scale
        for p in (0.2, 0.6):
            yield packed(300, len(B.T), p), *own, values(300), np.ones(300, np.uint8)


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
            own = n - rank, c, singular, 1e-3, float(len(B)), 1e-13, 1e-3, 1e-15, most
            alive = packed(40 if n < 40 else 6, n, p)
            yield alive, rows, *own, values(len(alive)), np.ones(len(alive), np.uint8)


def solves():
    for m in (1, 3, 8, 30):
        yield normal((m, m)), normal(m), np.zeros(m)
    yield np.ones((2, 2)), np.ones(2), np.zeros(2)
    yield np.vander(np.linspace(0, 1, 9)), np.ones(9), np.zeros(9)


def factored():
    A = normal((9, 9))
    return A, RNG.permutation(9), normal(9), np.zeros(9)


def tossed():
    kinds = RNG.integers(-1, 2, (9, 7)).astype(np.int16)
    last = words(2)
    for trials in (300, 100):
        yield packed(300, 9), kinds, last, trials


def decoding_vectors():
    for B in matrices():
        yield packed(20, len(B.T), 0.3), np.ascontiguousarray(B.T), values(20, len(B.T))


def one_step():
    offsets = np.array([0, 2, 2, 5, 6])
    for load, rho in ((1.5, np.nan), (0.0, np.nan), (1.5, 0.3)):
        held = np.array([0, 1, 1, 2, 2, 0]), normal(6), offsets
        yield packed(90, 4), *held, 3, load, rho, values(90)


def lost_partitions():
    holders, offsets = np.array([0, 1, 1, 2, 0, 3]), np.array([0, 2, 4, 4, 6])
    for trials in (500, 512):
        yield words(4, 9), holders, offsets, np.zeros(trials, np.int64)


def blocks_of_groups():
    first = np.array([0, 7, 2**33], np.uint64)
    order, offsets = RNG.permutation(5), np.array([0, 2, 3, 5])
    yield (
        *digits([0.1, 0.5, 0.0, 1 / 3, 0.25]),
        KEY,
        first,
        7,
        430,
        order,
        offsets,
        np.zeros((3, 4), np.int64),
    )


def by_strata():
    for n in (9, 70):
        stratum = np.minimum(np.arange(n + 1) // 2, 3)
        controls = RNG.integers(0, 5, 300)
        yield values(300), controls, packed(300, n), stratum, values(4, 3), values(2)


def worst_sets():
    """As the search has them: 8 workers, sets of up to 3, first items 0 and 1."""
    for B in (normal((9, 8)), np.eye(8) + np.roll(np.eye(8), 1, axis=0)):
        H, _, P, x, *_ = terms(B)
        m, depth = 8, 5
        room = worst_subsets.Path(
            np.zeros(depth, np.int64),
            np.zeros((depth, m, m)),
            np.zeros((depth, m)),
            np.zeros((depth, m, m)),
            np.zeros((depth, 2, m)),
        )
        best = worst_subsets.Best(
            np.zeros(1), np.zeros(m, np.int64), np.zeros((4, m + 1), np.int64), np.zeros(2, int)
        )
        rest = np.arange(m, -1, -1)
        own = worst_subsets.Items(np.ones(m, np.int64), rest, 3)
        yield own, 0, 2, worst_subsets.Terms(H, x, P), room, best


CASES |= TIMES | {
    "decode.lost_partitions.lost_partitions": lost_partitions,
    "decode.blocks_of_groups.lost_groups": blocks_of_groups,
    "decode.worst_subsets.search": lambda: list(worst_sets())[:1],
    "decode.worst_subsets.search_dependent": worst_sets,
    "tally.strata.by_survivors": by_strata,
    "tally.excesses.excesses": lambda: [
        (each, 0.25, reference, 1e72, np.empty_like(each), np.empty_like(each))
        for reference in (0.0, 0.7)
        for each in (values(1, 100), values(3, 50), np.array([[0.1, np.inf, np.nan, 1e80]]))
    ],
    "decode.decoding_vectors.vectors": decoding_vectors,
    "decode.one_step.errors": one_step,
    "decode.tossed_codes.errors": lambda: [
        (own, kinds, last, U64(5), trials, KEY, values(300))
        for own, kinds, last, trials in tossed()
    ],
    "decode.tossed_codes.one_step_errors": lambda: [
        (own, kinds, last, rho, U64(5), trials, KEY, values(300))
        for own, kinds, last, trials in tossed()
        for rho in (0.3, np.nan)
    ],
    "decode.elimination.factor": lambda: [(factored()[0], np.zeros(9, np.int64))],
    "decode.elimination.substitute": lambda: [factored()],
    "decode.elimination.residual": lambda: [(normal((9, 9)), *normal((2, 9)), np.zeros(9))],
    "decode.least_squares.normalise": lambda: [
        (*(lambda r: ((r.T @ r).round(9), normal(9)))(normal((9, 9))),)
    ],
    "decode.least_squares.errors": ls_errors,
    "decode.gram_schmidt.errors": gs_errors,
    "decode.components.errors": graphs,
    "decode.intervals.errors": intervals,
    "decode.elimination.solve": solves,
    "decode.jacobi.svd": lambda: [(B, normal(B.shape[0])) for B in matrices()],
    "decode.jacobi.orthogonalise": lambda: [(normal((9, 20)), normal(9))],
    "decode.jacobi.complete": lambda: [
        (np.linalg.qr(normal((11, 11)))[0].round(9), m) for m in (0, 4, 11)
    ],
    "decode.jacobi.shortest": lambda: [(normal((6, 19)), normal(6))],
    "decode.jacobi.gram": lambda: [(normal((6, 19)),)],
    "decode.jacobi.combine": lambda: [(normal(6), normal((6, 19)))],
    "decode.orthogonal.errors": qr_errors,
}


STAND_INS = {}


def kernel_of(name):
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"{PACKAGE}.{module}"), function)


def is_inlined(kernel):
    return isinstance(kernel, _jit.Kernel) and kernel.how == "inlined"


def names():
    """Names of all stand-ins."""
    for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.stand_ins."):
        home = found.name.removeprefix(f"{PACKAGE}.stand_ins.")
        if "." in home and not found.ispkg:
            functions = inspect.getmembers(import_module(found.name), inspect.isfunction)
            for name, function in functions:
                kernel = vars(import_module(f"{PACKAGE}.{home}")).get(name)
                own = function.__module__ == found.name and name[0] != "_"
                if own and hasattr(kernel, "py_func") and not is_inlined(kernel):
                    yield f"{home}.{name}"


def differences(chosen):
    """What a stand-in and its kernel leave, where it is not the same to the last bit."""
    _jit.compile_at_once()
    STAND_INS.update({name: kernel_of(name).stand_in for name in chosen})
    made = {name: _jit.STAND_INS.run(lambda make: list(make()), (CASES[name],)) for name in chosen}
    first = {}
    for name, i, found in _all_stand_ins(made):
        first[name, i] = found
    assert "numba" not in sys.modules
    for name, cases in made.items():
        for i, case in enumerate(cases):
            mine = copy.deepcopy(case)
            result = kernel_of(name)(*mine)
            if bits((result, mine)) != bits(first[name, i]):
                yield name, i, (result, mine), first[name, i]
    # and once more, where the helpers that they call have a compiled form too
    for name, module in list(sys.modules.items()):
        for each in list(vars(module).values()) if name.startswith(PACKAGE) else ():
            if isinstance(each, _jit.Kernel) and each.how == "inlined":
                assert each.dispatcher
    for name, i, found in _all_stand_ins(made):
        if bits(found) != bits(first[name, i]):
            yield name, i, found, first[name, i]


def _all_stand_ins(made):
    for name, cases in made.items():
        stand_in = STAND_INS[name]
        for i, case in enumerate(cases):
            mine = copy.deepcopy(case)
            result = _jit.STAND_INS.run(stand_in, mine)
            assert result is not NotImplemented, (name, i)
            yield name, i, (result, mine)


def bits(found):
    """Everything, with types and shapes, as bytes."""
    if isinstance(found, tuple):
        return tuple(map(bits, found))
    if found is None:
        return None
    array = np.asarray(found)
    return array.dtype.kind, array.shape, array.tobytes()


if __name__ == "__main__":
    wanted = sys.argv[1:] or list(CASES)
    missing = set(names()) - CASES.keys()
    found = list(differences(wanted))
    for each in found:
        print(*each)
    print("without a case:", *sorted(missing)) if missing else print(len(CASES), "cases")
    sys.exit(bool(found or missing))
