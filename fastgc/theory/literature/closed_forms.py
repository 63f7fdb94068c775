"""Closed forms beside rows that no one of the five papers has, and the claims that test them.

The edges of a graph that survive fall into components. A bipartite one with sides L and R costs
(|L|−|R|)²/|V| (an isolated vertex 1), any other one nothing. Glasgow, Wootters (arXiv:2006.09638).

A placement is balanced if d workers hold each partition and all workers hold as many. With r of n
workers, all sets alike, a partition is lost with probability C(n−d, r)/C(n, r).
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases import studies
from fastgc.theory.cases.experiment_tables import compared, completion, sampled
from fastgc.theory.cases.statements import both, finite
from fastgc.theory.cases.studies import bibd, circulant, frc, graph, uniform
from fastgc.theory.common import check, code_means
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.literature import SOURCES, paper
from fastgc.theory.papers.claim import Cases

Edges = tuple[tuple[int, int], ...]

paper.share(
    models.frc_autocovariance,
    models.frc_error_variance,
    models.frc_exact_probability,
    models.frc_mean_error,
    models.frc_uncovered_probability,
    code_means.circulant_error_variance,
    code_means.circulant_exact_probability,
    code_means.circulant_mean_error,
    code_means.error_lower_bound,
    times.exponential_order_mean,
    times.exponential_order_variance,
    times.harmonic,
    times.order_tail,
)

# ---- workers that straggle in runs: two-state Markov chains, from their stationary law


paper.share(
    models.markov_stationary,
    models.markov_frc_covariance,
    models.markov_frc_mean_error_variance,
)


# ---- nothing is lost: by complex answers


@paper.claim("cyclic-mds.complex.tolerance.printed", SOURCES["1707.03858"])
def _() -> Cases:
    """The cyclic MDS code over the complex numbers, which is there for all n and d, decodes exactly
    whatever d-1 workers straggle."""
    codes = [studies.cyclic_mds(*size) | {"field": "complex"} for size in ((6, 3), (9, 4), (10, 3))]
    for code in codes:
        n, d = code["n"], code["d"]
        yield from both("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for code in codes:
        yield sampled(code, uniform(code["d"] - 1), 0)


# ---- what descent makes of gradients with errors


@paper.formula
def biased_descent_bound(
    excess: float, shares: Sequence[float], ratio: float, rest: float = 0.0
) -> float:
    """Bound of the excess loss after descent with the step 1/L by gradients with errors.

    Where ‖ĝ − g‖² ≤ δ_l ‖g‖² + ζ² in iteration l, the loss is L-smooth, and ‖g‖² ≥ 2μ times its
    excess over the least one: each step multiplies the excess by 1 − (1−δ_l) μ/L and adds ζ²/(2L).
    ``shares`` are the δ_l, ``ratio`` is μ/L, ``rest`` is ζ²/L. By the descent lemma; derived.
    """
    check.probabilities(ratio=ratio)
    for share in shares:
        excess = (1.0 - (1.0 - share) * ratio) * excess + 0.5 * rest
    return excess


# ---- graph codes


#: Above it, the components of all 2ⁿ sets of edges take seconds.
LARGEST_GRAPH = 16
#: Two triangles that share a vertex, with a tail: bipartite parts, odd rings and a leaf.
_KITE: Edges = ((0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (5, 6))


@paper.formula
def edges_of(name: str, vertices: int = 10) -> Edges:
    """Edges of a named graph: cycle, complete, petersen."""
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
def graph_errors(edges: Edges, vertices: int) -> Values:
    """Errors of all 2ⁿ sets of surviving edges, bit j for edge j, by components.

    Every vertex has two copies, and an edge joins unlike copies of its ends: the copies of a
    bipartite component fall apart into two components, those of another one do not, and the
    error is half the sum of (difference of the copies)²/size.
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


@paper.claim("graph.components.printed", f"{SOURCES['2006.09638']}, Section 4")
def _() -> Cases:
    """Optimal decoding of a graph code gives the partitions of a bipartite component of the
    surviving edges, with sides L and R, the weights 1 -+ (|L|-|R|)/(|L|+|R|), and all others the
    weight 1: the error is the sum of (|L|-|R|)^2/(|L|+|R|) (largest difference, all patterns)."""
    star: Edges = tuple((0, leaf) for leaf in range(1, 8))
    for name, code, pairs, vertices in (
        ("cycle 7", graph("cycle", 7), edges_of("cycle", 7), 7),
        ("complete 5", graph("complete", 5), edges_of("complete", 5), 5),
        ("star 8", studies.edges(*star), star, 8),
        ("triangles and tail", studies.edges(*_KITE), _KITE, 7),
    ):
        errors = graph_errors(pairs, vertices).tolist()
        case = finite("largest_difference", 0, scale=vertices, code=code, errors=errors)
        yield replace(case, point={"graph": name})


@paper.formula
def graph_mean_error(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Mean error for iid stragglers, or given so many survivors, all patterns alike."""
    return _mean(graph_errors(edges, vertices), len(edges), survivors, p)


@paper.formula
def graph_error_variance(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Variance of the error of one iteration."""
    errors = graph_errors(edges, vertices)
    mean = _mean(errors, len(edges), survivors, p)
    return _mean((errors - mean) ** 2, len(edges), survivors, p)


@paper.formula
def graph_exact_probability(
    edges: Edges, vertices: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that no component costs anything."""
    exact = (graph_errors(edges, vertices) == 0.0).astype(np.float64)
    return _mean(exact, len(edges), survivors, p)


def _mean(values: Values, n: int, survivors: int | None, p: float | None) -> float:
    check.arguments(n=n, survivors=survivors, p=p)
    sums = np.bincount([v.bit_count() for v in range(2**n)], values, n + 1)
    if p is not None:
        return math.fsum(s * p ** (n - r) * (1.0 - p) ** r for r, s in enumerate(sums.tolist()))
    assert survivors is not None
    return float(sums[survivors]) / math.comb(n, survivors)


# ---- which share of the partitions is lost: held by no worker that answers


@paper.elementwise
def lost_mean(n: int, d: int, survivors: int) -> float:
    """Mean share C(n−d, r)/C(n, r) of the partitions that none of r survivors holds."""
    return math.comb(n - d, survivors) / math.comb(n, survivors)


@paper.claim(
    "coverage.mean.derived", f"Derived, for what {SOURCES['2402.12584']} says in its abstract"
)
def _() -> Cases:
    """All balanced placements of k partitions with d workers each cover k (1 - C(n-d,r)/C(n,r)) of
    them with r of n workers, on average: the mean share that is lost is C(n-d,r)/C(n,r)."""
    circulants = [
        (circulant(n, d), n, d, r) for n, d, r in ((7, 3, 3), (6, 2, 3), (13, 4, 6), (12, 3, 5))
    ]
    for code, n, d, r in (
        *circulants,
        (bibd("fano"), 7, 3, 3),
        (bibd("pg(2,3)"), 13, 4, 9),
        (frc(12, 3), 12, 3, 5),
        (graph("petersen"), 15, 3, 6),
    ):
        yield sampled(code, uniform(n - r), lost_mean(n, d, r), "lost")


# ---- what clones cost


@paper.claim(
    "clones.cost.derived", f"Derived, for what {SOURCES['1710.00748']} says: delay saves no work"
)
def _() -> Cases:
    """n pieces of exponential work cost n times the mean in seconds of all workers, however many
    copies there are and whenever they begin: all copies that run are as likely to end next."""
    for n, r, after, mean in (
        (4, 2, 0.5, 1.0),
        (10, 2, 1.0, 1.0),
        (6, 3, 0.3, 2.0),
        (5, 2, 0.0, 1.0),
    ):
        system = {"family": "clones", "n": n, "r": r, "after": after, "load": 1.0}
        # its law is known of no system: it is sampled
        work = completion(system, studies.exponential(mean), measure="worker_seconds")
        yield replace(compared(work, n * mean), tolerance=0.01)
