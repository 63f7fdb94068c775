"""Graph codes: worker = edge, partition = vertex.

The edges that survive fall into components. A bipartite one with sides L and R costs
(|L|−|R|)²/|V| (an isolated vertex 1), any other one nothing. Glasgow, Wootters (arXiv:2006.09638).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.cases.tables import edges as edge_list
from fastgc.theory.cases.tables import finite, graph, iid, uniform
from fastgc.theory.common.arguments import check_given
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import GLASGOW, sampled
from fastgc.theory.papers.claim import Cases

Edges = tuple[tuple[int, int], ...]

#: Above it, the components of all 2ⁿ sets of edges take seconds.
LARGEST_GRAPH = 16


@paper.formula
def edges_of(name: str, vertices: int = 10) -> Edges:
    """Edges of a named graph: cycle, complete, petersen.

    >>> edges_of("cycle", 3)
    ((0, 1), (1, 2), (0, 2))
    """
    if name == "complete":
        return tuple(itertools.combinations(range(vertices), 2))
    if name == "cycle":
        return (*itertools.pairwise(range(vertices)), (0, vertices - 1))
    if name == "petersen":
        # An outer and an inner ring of five, the inner one with steps of two, joined by spokes.
        return tuple(
            edge
            for v in range(5)
            for edge in ((v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5))
        )
    raise FastgcError(f"name: got {name!r}, allowed are 'complete', 'cycle', 'petersen'")


@paper.formula
@lru_cache(maxsize=8)
def graph_errors(edges: Edges, vertices: int) -> NDArray[np.float64]:
    """Errors of all 2ⁿ sets of surviving edges, bit j for edge j, by components.

    Every vertex has two copies, and an edge joins unlike copies of its ends: the copies of a
    bipartite component fall apart into two components, those of another one do not, and the
    error is half the sum of (difference of the copies)²/size.

    >>> graph_errors(((0, 1), (1, 2)), vertices=3).round(6).tolist()
    [3.0, 1.0, 1.0, 0.333333]
    """
    n = len(edges)
    if n > LARGEST_GRAPH:
        raise FastgcError(
            f"edges: got {n}, but all sets of edges are visited only for at most {LARGEST_GRAPH}"
        )
    patterns = np.arange(2**n)
    label = np.tile(np.arange(2 * vertices, dtype=np.int16)[:, None], (1, 2**n))
    ends = [(patterns >> j & 1 == 1, u, v) for j, (u, v) in enumerate(edges)]
    while True:
        before = label.copy()
        for survives, u, v in ends:
            for a, b in ((u, v + vertices), (u + vertices, v)):
                least = np.minimum(label[a], label[b])
                label[a] = np.where(survives, least, label[a])
                label[b] = np.where(survives, least, label[b])
        if np.array_equal(before, label):
            break
    errors = np.zeros(2**n)
    for root in range(2 * vertices):
        member = label == root
        size = member.sum(axis=0)
        apart = member[:vertices].sum(axis=0) - member[vertices:].sum(axis=0)
        errors += apart**2 / np.maximum(size, 1) / 2.0
    return errors


#: Two triangles that share a vertex, with a tail: bipartite parts, odd rings and a leaf.
_KITE: Edges = ((0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (5, 6))
_STAR: Edges = tuple((0, leaf) for leaf in range(1, 8))


@paper.claim("graph.components.printed", GLASGOW)
def _() -> Cases:
    """Optimal decoding of a graph code gives the partitions of a bipartite component of the
    surviving edges, with sides L and R, the weights 1 -+ (|L|-|R|)/(|L|+|R|), and all others the
    weight 1: the error is the sum of (|L|-|R|)^2/(|L|+|R|) (largest difference, all patterns)."""
    for name, code, pairs, vertices in (
        ("cycle 7", graph("cycle", 7), edges_of("cycle", 7), 7),
        ("complete 5", graph("complete", 5), edges_of("complete", 5), 5),
        ("star 8", edge_list(*_STAR), _STAR, 8),
        ("triangles and tail", edge_list(*_KITE), _KITE, 7),
    ):
        errors = graph_errors(pairs, vertices).tolist()
        case = finite("largest_difference", 0, scale=vertices, code=code, errors=errors)
        yield replace(case, point={"graph": name})


@paper.formula
def graph_mean_error(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Mean error for iid stragglers, or given so many survivors, all patterns alike.

    >>> round(graph_mean_error(edges_of("petersen"), 10, p=0.1) / 10, 8)
    0.00121778
    """
    return _mean(graph_errors(edges, vertices), len(edges), survivors, p)


@paper.formula
def graph_error_variance(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Variance of the error of one iteration.

    >>> round(graph_error_variance(((0, 1), (1, 2)), 3, p=0.5), 6)
    1.0
    """
    errors = graph_errors(edges, vertices)
    mean = _mean(errors, len(edges), survivors, p)
    return _mean((errors - mean) ** 2, len(edges), survivors, p)


@paper.formula
def graph_exact_probability(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that no component costs anything.

    >>> graph_exact_probability(edges_of("complete", 3), 3, p=0.5)
    0.125
    """
    exact = (graph_errors(edges, vertices) == 0.0).astype(np.float64)
    return _mean(exact, len(edges), survivors, p)


def _mean(values: NDArray[np.float64], n: int, survivors: int | None, p: float | None) -> float:
    check_given(n, survivors, p)
    sums = np.bincount([v.bit_count() for v in range(2**n)], values, n + 1)
    if p is not None:
        return math.fsum(s * p ** (n - r) * (1.0 - p) ** r for r, s in enumerate(sums.tolist()))
    assert survivors is not None
    return float(sums[survivors]) / math.comb(n, survivors)


@paper.claim("graph.mean.derived", "Derived: the components' costs, averaged")
def _() -> Cases:
    """The mean error of a graph code is the average of the components' costs: Petersen
    graph, iid q=.1: .00121778 k; q=.3: .0335226 k."""
    code, pairs = graph("petersen"), edges_of("petersen")
    for p in (0.1, 0.3):
        yield finite("mean_error", graph_mean_error(pairs, 10, p=p), scale=10, code=code, p=p)
    for p in (0.3, 0.5):
        yield sampled(code, iid(p), graph_mean_error(pairs, 10, p=p))
    yield sampled(code, uniform(8), graph_mean_error(pairs, 10, survivors=7))
    complete = edges_of("complete", 5)
    yield sampled(graph("complete", 5), iid(0.5), graph_mean_error(complete, 5, p=0.5))


@paper.claim("graph.cycle.derived", "Derived: the edges of a cycle are the circulant's workers")
def _() -> Cases:
    """The code of the cycle graph has the mean error of the circulant with d = 2."""
    for n, p in ((7, 0.3), (12, 0.4)):
        yield sampled(graph("cycle", n), iid(p), circulant_mean_error(n, 2, p=p))
    yield sampled(graph("cycle", 11), uniform(4), circulant_mean_error(11, 2, survivors=7))
