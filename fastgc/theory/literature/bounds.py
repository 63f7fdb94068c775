"""Bounds of the error: from below for any code, from above by expansion."""

from __future__ import annotations

import math
from dataclasses import replace

from fastgc.theory.cases.tables import Table, bibd, binary, circulant, finite, graph, iid
from fastgc.theory.common.arguments import check_count
from fastgc.theory.common.codes import error_lower_bound
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import RAVIV, partitions, sampled
from fastgc.theory.literature.graphs import Edges, edges_of
from fastgc.theory.papers.claim import LOOSE, Case, Cases

paper.formula(error_lower_bound)


@paper.claim(
    "lower-bound.derived", "Derived: a partition without a surviving holder costs 1", relation=">="
)
def _() -> Cases:
    """For iid stragglers no code's mean error is below sum_i q^(d_i), d_i the number of
    workers that hold partition i."""
    codes: tuple[tuple[Table, int, float], ...] = (
        (binary(11, 3), 4, 0.6),
        (circulant(12, 3), 3, 0.5),
        ({"family": "cyclic", "n": 8, "d": 3, "seed": 1}, 3, 0.5),
        ({"family": "cyclic-mds", "n": 9, "d": 3}, 3, 0.5),
        ({"family": "sparse-regular", "n": 16, "d": 3, "seed": 1}, 3, 0.5),
        (graph("petersen"), 3, 0.3),
        (bibd("fano"), 3, 0.5),
    )
    for code, holders, p in codes:
        yield sampled(code, iid(p), error_lower_bound([holders] * partitions(code), p))


@paper.elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.

    >>> round(expander_bound(10, 3, 2.0, 2), 6)
    1.111111
    """
    check_count("n", n, 1)
    check_count("d", d, 1, n)
    check_count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)


def _largest(code: Table, n: int, d: int, eigenvalue: float, s: int) -> Case:
    bound = expander_bound(n, d, eigenvalue, s)
    return finite("largest_error", bound, scale=n, code=code, survivors=n - s)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    """The adjacency matrix of a d-regular graph as a code."""
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    case = _largest({"family": "matrix", "rows": rows}, vertices, d, eigenvalue, s)
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)


@paper.claim("expander.normal.derived", "Derived: the proof needs no graph", LOOSE, relation="<=")
def _() -> Cases:
    """The same bound holds of every normal B with d ones in every row and column, such as a
    circulant, with lambda its second largest singular value."""
    for n, d, s in ((9, 4, 2), (10, 3, 4), (11, 2, 3)):
        # A circulant's singular values are |sin(πdj/n)/sin(πj/n)|.
        angles = [math.pi * j / n for j in range(1, n)]
        second = max(abs(math.sin(d * x) / math.sin(x)) for x in angles)
        yield _largest(circulant(n, d), n, d, second, s)
