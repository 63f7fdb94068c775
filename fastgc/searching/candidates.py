"""0/1 matrices that a search begins with: families, codes of groups, and uneven groups."""

import contextlib
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values as Matrix
from fastgc.codes.matrix import code_given
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.results.remedies import written
from fastgc.searching.problem import SearchTable

#: Sets of offsets of one group that are looked at, at most.
_MOST_SETS = 2_000
#: Seeds of random families.
_SEEDS = (1, 2, 3)
_DESIGNS = ("fano", "pg(2,3)", "ag(2,3)", "paley-11")


@dataclass(frozen=True, eq=False)
class MatrixCandidate:
    """A matrix, what it is, and whether it is a family or something else that is published."""

    name: str
    B: Matrix
    is_family: bool = False
    #: The ``code`` table of a study, of a family; else which ``construction`` it is.
    table: dict[str, Any] | None = None


def families(problem: SearchTable) -> list[MatrixCandidate]:
    """Return the 0/1 families that fit the problem's sizes and loads.

    Constructions that are published, but no families of studies, are among them.
    """
    found: list[MatrixCandidate] = []
    for table in _tables(problem):
        with contextlib.suppress(FastgcError):
            found.append(
                MatrixCandidate(written(table), np.array(code_given(table).B), True, table)
            )
    kept: dict[bytes, MatrixCandidate] = {}
    for each in (*found, *_constructions(problem)):
        loads = np.count_nonzero(each.B, axis=0)
        if each.B.shape == (problem.partitions, problem.n) and int(loads.max()) <= problem.d:
            kept.setdefault(each.B.tobytes(), each)
    return list(kept.values())


def _tables(problem: SearchTable) -> Iterator[dict[str, Any]]:
    n, k, d = problem.n, problem.partitions, problem.d
    if n == k:
        yield {"family": "uncoded", "n": n}
        for load in range(2, d + 1):
            yield {"family": "frc", "n": n, "d": load}
            yield {"family": "circulant", "n": n, "d": load}
            for seed in _SEEDS:
                yield {"family": "sparse-regular", "n": n, "d": load, "seed": seed}
    for s in range(min(n, d + 1)):
        yield {"family": "binary", "n": n, "s": s, "k": k}
    for name in _DESIGNS:
        yield {"family": "bibd", "name": name}
    for name in ("cycle", "complete", "petersen"):
        graph = {"name": name} if name == "petersen" else {"name": name, "vertices": k}
        yield {"family": "graph"} | graph
    if 2 * n % k == 0:
        random = {"name": "random-regular", "vertices": k, "degree": 2 * n // k}
        for seed in _SEEDS:
            yield {"family": "graph"} | random | {"seed": seed}


def _constructions(problem: SearchTable) -> Iterator[MatrixCandidate]:
    """Yield even groups (Charles and Papailiopoulos 1805.10378), shifts, neighbours in graphs."""
    n, k, d = problem.n, problem.partitions, problem.d
    for load in range(2, d + 1):
        count = -(-k // load)
        own = np.arange(n) * count // n == (np.arange(k) * count // k)[:, np.newaxis]
        uneven = {} if k == n else {"k": k}
        yield _construction("even-groups", own * 1.0, n=n, groups=count, **uneven)
    if n != k:
        return
    for offsets in difference_sets(n, d):
        B = np.zeros((n, n))
        for o in offsets:  # worker j holds the partitions j + o (mod n)
            B[(np.arange(n) + o) % n, np.arange(n)] = 1.0
        yield _construction("shifts", B, n=n, offsets=list(offsets))
    graphs: list[dict[str, Any]] = [{"name": name, "vertices": n} for name in ("cycle", "complete")]
    graphs += [{"name": "petersen"}] if n == 10 else []
    for degree, seed in itertools.product(range(2, d + 1), _SEEDS):
        graphs.append({"name": "random-regular", "vertices": n, "degree": degree, "seed": seed})
    for graph in graphs:
        with contextlib.suppress(FastgcError):
            ends = code_given({"family": "graph"} | graph).B
            both = ends @ ends.T
            yield _construction("neighbours", both - np.diag(np.diag(both)), **graph)


def _construction(kind: str, B: Matrix, **keys: Any) -> MatrixCandidate:
    name = written({"family": kind} | keys)
    return MatrixCandidate(name, B, True, {"construction": kind} | keys)


def others(problem: SearchTable) -> Iterator[MatrixCandidate]:
    """Yield 0/1 matrices: codes of groups, and repetition in uneven groups.

    Those of the cyclic group are published, with any offsets: they count as families.
    """
    yield from _uneven_groups(problem)
    if problem.partitions == problem.n:
        for name, table in groups(problem.n):
            for offsets in _offsets(problem, name, problem.d):
                B = np.zeros((problem.n, problem.n))
                for o in offsets:  # worker g holds partitions g·o
                    B[table[:, o], np.arange(problem.n)] = 1.0
                said = f"{name} with offsets {' '.join(map(str, offsets))}"
                known = {"construction": "shifts", "n": problem.n, "offsets": list(offsets)}
                is_cyclic = name == f"Z{problem.n}"
                yield MatrixCandidate(said, B, is_cyclic, known if is_cyclic else None)


def _uneven_groups(problem: SearchTable) -> Iterator[MatrixCandidate]:
    # fractional repetition in groups of sizes that need not be equal
    n, k, d = problem.n, problem.partitions, problem.d
    for count in range(-(-k // d), min(n, k) + 1):
        workers, parts = (
            [total // count + (i < total % count) for i in range(count)] for total in (n, k)
        )
        for sizes in (workers, workers[::-1])[: 1 + (workers[0] != workers[-1])]:
            held = np.repeat(np.arange(count), parts)[:, np.newaxis]
            B = (held == np.repeat(np.arange(count), sizes)).astype(float)
            sizes_, parts_ = (", ".join(map(str, each)) for each in (sizes, parts))
            yield MatrixCandidate(f"groups of {sizes_} workers for {parts_} partitions", B)


def groups(n: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield groups of n elements as tables of products: cyclic, of two cyclic ones, dihedral."""
    e = np.arange(n)
    yield f"Z{n}", (e[:, np.newaxis] + e) % n
    for a in range(2, math.isqrt(n) + 1):
        b = n // a
        if a * b == n and math.gcd(a, b) > 1:
            x, y = np.divmod(e, b)
            sums = (x[:, np.newaxis] + x) % a * b + (y[:, np.newaxis] + y) % b
            yield f"Z{a}×Z{b}", sums
    if n % 2 == 0 and n > 4:
        m = n // 2
        flip, turn = np.divmod(e, m)
        sign = 1 - 2 * flip  # a flip before turns the other way
        turned = (turn[:, np.newaxis] + sign[:, np.newaxis] * turn) % m
        yield f"D{m}", (flip[:, np.newaxis] + flip) % 2 * m + turned


def _offsets(problem: SearchTable, name: str, d: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of d offsets, the first of them 0; of a cyclic group one of each kind."""
    n = problem.n
    if name.startswith("D") or "×" in name:
        sets: Iterable[tuple[int, ...]] = itertools.combinations(range(1, n), d - 1)
        if math.comb(n - 1, d - 1) > _MOST_SETS:
            numbers = uniforms(problem.seed, f"search/{name}/{d}", _MOST_SETS * (n - 1))
            order = np.argsort(numbers.reshape(_MOST_SETS, -1), axis=1, kind="stable")[:, : d - 1]
            sets = sorted({tuple(row) for row in (1 + np.sort(order, axis=1)).tolist()})
        yield from ((0, *rest) for rest in sets)
        return
    units = [u for u in range(1, n + 1) if math.gcd(u, n) == 1]
    seen: set[tuple[int, ...]] = set()
    for rest in itertools.combinations(range(1, n), d - 1):
        if (0, *rest) in seen:
            continue
        yield (0, *rest)
        for u in units:
            turned = [u * o % n for o in (0, *rest)]
            for start in turned:
                seen.add(tuple(sorted((o - start) % n for o in turned)))


def difference_sets(n: int, d: int) -> list[tuple[int, ...]]:
    """Return the first difference set of each size up to d: differences occur equally often."""
    found = []
    for size in range(3, min(d, n - 2) + 1):
        if size * (size - 1) % (n - 1):
            continue
        for rest in itertools.combinations(range(1, n), size - 1):
            offsets = (0, *rest)
            counts = np.bincount([(a - b) % n for a in offsets for b in offsets], minlength=n)
            if (counts[1:] == counts[1]).all():
                found.append(offsets)
                break
    return found
