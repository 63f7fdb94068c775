"""Encoding matrices of finite statements, built here anew: partitions × workers."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError

Matrix = NDArray[Any]
Assignment = NDArray[np.int64]
_DIFFERENCE_SETS: dict[str, tuple[int, frozenset[int]]] = {
    "fano": (7, frozenset({0, 1, 3})),
    "pg(2,3)": (13, frozenset({0, 1, 3, 9})),
    "paley-11": (11, frozenset({1, 3, 4, 5, 9})),
}


def matrix(code: Mapping[str, Any]) -> Matrix:
    """Encoding matrix of a code's table, as in a study.

    Random codes draw from ``numpy.random``: a seed gives another matrix than in a study.

    Raises FastgcError if the family is none of those built here.
    """
    arguments = dict(code)
    family = arguments.pop("family", None)
    if family not in _FAMILIES:
        allowed = ", ".join(map(repr, sorted(_FAMILIES)))
        raise FastgcError(f"family: got {family!r}, allowed are {allowed}")
    return _FAMILIES[family](**arguments)


def repetition(n: int, d: int) -> Matrix:
    """Groups of d workers that hold the same d partitions."""
    return np.asarray(np.kron(np.eye(n // d), np.ones((d, d))), dtype=np.float64)


def circulant(n: int, d: int) -> Matrix:
    """Worker j holds partitions j … j+d−1 modulo n."""
    return _turned(np.ones(d), n)


def cyclic(n: int, d: int, seed: int = 0) -> Matrix:
    """Tandon, Lei, Dimakis, Karampatziakis (ICML 2017), Algorithm 2."""
    H = np.random.default_rng(seed).standard_normal((d - 1, n))
    H[:, -1] = -H[:, :-1].sum(axis=1)
    B = np.zeros((n, n))
    for j in range(n):
        others = [(j + i) % n for i in range(1, d)]
        B[j, j] = 1.0
        B[others, j] = -np.linalg.solve(H[:, others], H[:, j])
    return B


def cyclic_mds(n: int, d: int, field: str = "real") -> Matrix:
    """Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858): shifts of a cyclic MDS codeword.

    The generator polynomial's roots are d−1 consecutive powers of a primitive n-th root of unity
    around the exponent n/2, closed under conjugation where n + d is even; 1 is no root.
    """
    odd = (n + d) % 2
    if odd and field == "real":
        raise FastgcError(f"cyclic-mds: n + d must be even for a real code (got n={n}, d={d})")
    exponents = (n + odd) / 2 + np.arange(d - 1) - (d - 2) / 2
    polynomial = np.poly(np.exp(2j * np.pi * exponents / n))
    return _turned(polynomial if odd else np.real(polynomial), n)


def binary(n: int, s: int, k: int | None = None) -> Matrix:
    """Charalambides, Mahdavifar, Hero: Algorithms 1 and 2 corrected, which are for k = n."""
    if k is None or k == n:
        return encoding(n, s).T.astype(np.float64)
    return balanced(n, s, k)


def balanced(n: int, s: int, k: int | None = None) -> Matrix:
    """Every residue class modulo s + 1 shares out all partitions, as evenly as can be."""
    k = n if k is None else k
    B = np.zeros((k, n))
    for residue in range(s + 1):
        workers = range(residue, n, s + 1)
        for worker, held in zip(workers, np.array_split(np.arange(k), len(workers)), strict=True):
            B[held, worker] = 1.0
    return B


def graph(name: str = "", vertices: int = 0, edges: list[list[int]] | None = None) -> Matrix:
    """Worker = edge, partition = vertex."""
    if name == "cycle":
        edges = [[v, (v + 1) % vertices] for v in range(vertices)]
    elif name == "complete":
        edges = [list(pair) for pair in itertools.combinations(range(vertices), 2)]
    elif edges is None:
        # Petersen's: vertices are the pairs out of five things, edges join pairs that share nothing
        pairs = list(itertools.combinations(range(5), 2))
        both = itertools.combinations(range(10), 2)
        edges = [[u, v] for u, v in both if not {*pairs[u]} & {*pairs[v]}]
    B = np.zeros((max(vertices, 1 + max(map(max, edges))), len(edges)))
    for j, edge in enumerate(edges):
        B[edge, j] = 1.0
    return B


def design(name: str) -> Matrix:
    """Worker = point, partition = block."""
    if name == "ag(2,3)":
        points = list(itertools.product(range(3), repeat=2))
        slopes = ((1, 0), (0, 1), (1, 1), (1, 2))
        return np.array(
            [
                [float((a * x + b * y) % 3 == c) for x, y in points]
                for a, b in slopes
                for c in range(3)
            ]
        )
    n, differences = _DIFFERENCE_SETS[name]
    return np.array(
        [[float((point - block) % n in differences) for point in range(n)] for block in range(n)]
    )


def rows(rows: list[list[float]]) -> Matrix:
    """A matrix given by its rows."""
    found = np.array(rows)
    return found if np.iscomplexobj(found) else found.astype(np.float64)


def _turned(column: NDArray[Any], n: int) -> Matrix:
    """Column 0 begins with these entries, every next column is turned down by one."""
    B = np.zeros((n, n), column.dtype)
    for j in range(n):
        B[(j + np.arange(len(column))) % n, j] = column
    return B


_FAMILIES: dict[str, Callable[..., Matrix]] = {
    "bibd": design,
    "binary": binary,
    "circulant": circulant,
    "cyclic": cyclic,
    "cyclic-mds": cyclic_mds,
    "frc": repetition,
    "graph": graph,
    "matrix": rows,
}


# Algorithms 1 to 3 of paper binary (Charalambides, Mahdavifar, Hero: Numerically Stable Binary
# Gradient Coding), step by step. Rows are workers there; workers count from 0 and partitions, in
# the paper's slices, from 1.


def assignment(algorithm: int, version: str, n: int, s: int) -> Assignment:
    """Run Algorithm 1 or 2 (workers × partitions), corrected or with one slip of the print.

    Algorithm 1 has a slip in the division that gives "lambda", Algorithm 2 one in its "loop" over
    the classes and one in the "ends" of its larger blocks.
    """
    out = np.zeros((n, n), dtype=np.int64)
    blocks, r = divmod(n, s + 1)
    # printed: n = λ(s+1) + r̃
    size, larger = divmod(n, s + 1 if version == "lambda" else blocks + 1)
    t, q = divmod(r, blocks)
    for i in range(r) if algorithm == 1 else ():
        if blocks + r > s:
            for j in range(1, blocks + r - s + 1):
                _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + 1) + 1, j * (s + 1))
            for j in range(blocks + r - s + 1, blocks + 2):
                first = (j - 1) * s + blocks + r - s + 1
                _fill(out, (j - 1) * (s + 1) + i, first, (j - 1) * s + blocks + r)
        else:
            for j in range(1, larger + 1):
                _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (size + 1) + 1, j * (size + 1))
            for j in range(larger + 1, blocks + 2):
                first = (j - 1) * size + larger + 1
                _fill(out, (j - 1) * (s + 1) + i, first, first + size - 1)
    # printed: i = r to r, and the larger blocks end at j(s+t+1)
    for i in range(r, r + 1 if version == "loop" else s + 1) if algorithm == 2 else ():
        for j in range(1, q + 1):
            last = j * (s + t + 1) if version == "ends" else j * (s + t + 2)
            _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + t + 2) + 1, last)
        for j in range(q + 1, blocks + 1):
            last = j * (s + t + 1) + q
            _fill(out, (j - 1) * (s + 1) + i, (j - 1) * (s + t + 1) + q + 1, last)
    return out


def encoding(n: int, s: int) -> Assignment:
    """Add up what both algorithms assign, corrected: the paper's encoding matrix."""
    return assignment(1, "corrected", n, s) + assignment(2, "corrected", n, s)


def algorithm3(
    n: int, s: int, pattern: int, early: bool = False, first: int | None = None
) -> tuple[int | None, int]:
    """Algorithm 3's vector as a word, and the number of workers looked up.

    With ``early`` it goes through the classes 0 … s−1 and else takes class s without a look. It
    begins with class ``first``, by default with r.
    """
    start, looked = n % (s + 1) if first is None else first, 0
    for residue in range(s) if early else [*range(start, s + 1), *range(start)]:
        members = range(residue, n, s + 1)
        for worker in members:
            looked += 1
            if not pattern >> worker & 1:
                break
        else:
            return sum(1 << worker for worker in members), looked
    return sum(1 << worker for worker in range(s, n, s + 1)) if early else None, looked


def _fill(out: Assignment, worker: int, first: int, last: int) -> None:
    # B[worker, first:last] = 1 with the paper's slices; what lies outside is dropped
    if worker < len(out):
        out[worker, first - 1 : max(first - 1, last)] = 1
