"""What codes lose to stragglers: repetition, other codes, graphs, block designs; bounds of errors.

The edges of a graph that survive fall into components. A bipartite one with sides L and R costs
(|L|−|R|)²/|V| (an isolated vertex 1), any other one nothing. Glasgow, Wootters (arXiv:2006.09638).

Of a design, k blocks, d of them on every point, two points share λ. The survivors' sums are then
equally correlated, so that the error depends on their number alone.

A placement is balanced if d workers hold each partition and all workers hold as many. With r of n
workers, all sets alike, a partition is lost with probability C(n−d, r)/C(n, r), and two that share
t workers with probability C(n−2d+t, r)/C(n, r), which is convex in t.
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
from fastgc.theory.cases.experiment_tables import compared, decoding, sampled
from fastgc.theory.cases.statements import both, built, finite
from fastgc.theory.cases.studies import Table, bibd, circulant, frc, graph, uniform
from fastgc.theory.common import check, code_means
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.code_means import parameters
from fastgc.theory.literature import GLASGOW, KADHE, RAVIV, SOURCES, TANDON, paper
from fastgc.theory.papers.claim import Case, Cases

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
)

_GROUPS = f"Derived for fractional repetition of {TANDON}: groups without a survivor"


@paper.elementwise
def frc_largest_error(n: int, d: int, stragglers: int) -> float:
    """Largest error d⌊s/d⌋ of frc over all sets of s stragglers.

    A group costs its d partitions, and only once all of its d workers straggle.
    """
    check.groups(n, d)
    check.count("stragglers", stragglers, 0, n)
    return d * (stragglers // d)


@paper.claim("frc.worst-case.derived", _GROUPS)
def _() -> Cases:
    """frc's largest error over all sets of s stragglers is d floor(s/d)."""
    for n, d, s in ((8, 2, 3), (9, 3, 2), (9, 3, 5), (12, 4, 9)):
        theory = frc_largest_error(n, d, s)
        yield finite("largest_error", theory, scale=n, code=frc(n, d), survivors=n - s)
        yield built("worst_error", theory, scale=n, code=frc(n, d), stragglers=s)
    for n, d, s in ((40, 4, 14), (60, 3, 11)):
        yield built("worst_error", frc_largest_error(n, d, s), code=frc(n, d), stragglers=s)


# ---- workers that straggle in runs: two-state Markov chains, from their stationary law


BUYUKATES = SOURCES["2011.01922"]

paper.share(
    models.markov_stationary,
    models.markov_frc_covariance,
    models.markov_frc_mean_error_variance,
    models.markov_frc_clusters_error,
)


def _chain(a: float, b: float) -> Table:
    return {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": 1.0 - b}


_CLUSTERS = ((12, 3, 0.05, 0.1), (20, 4, 0.1, 0.2), (6, 2, 0.3, 0.2))


@paper.claim("stragglers.clusters.derived", f"Derived for the clusters of {BUYUKATES}")
def _() -> Cases:
    """If in each iteration frc's groups are made anew, so that the last one's stragglers are spread
    evenly, a group that has j of them is lost with probability (1-b)^j a^(d-j); the mean error
    follows from their binomial number, the first iteration having no past."""
    for n, d, a, b in _CLUSTERS:
        experiment = decoding("error", frc(n, d), _chain(a, b), 4, "clusters")
        theory = models.markov_frc_clusters_error(n, d, 4, a, b)
        yield compared(experiment, theory, scale=float(n), tolerance=0.02)


@paper.claim(
    "stragglers.clusters-help.derived", f"Derived for the clusters of {BUYUKATES}", relation="<"
)
def _() -> Cases:
    """Such groups lose less than fixed ones if workers that straggle are likelier than others to
    straggle again (ratio of mean errors)."""
    for n, d, a, b in _CLUSTERS:
        first = decoding("error", frc(n, d), _chain(a, b), 4, "clusters")
        second = decoding("error", frc(n, d), _chain(a, b), 4)
        yield compared(first, 1.0, against=second, how="ratio", tolerance=0.05)


# ---- nothing is lost: by real or complex answers


def _no_error(codes: list[Table]) -> Cases:
    for code in codes:
        n, d = code["n"], code["d"]
        yield from both("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for code in codes:
        yield sampled(code, uniform(code["d"] - 1), 0)


@paper.claim("cyclic.tolerance.printed", TANDON)
def _() -> Cases:
    """With probability 1 over its random numbers, Tandon's cyclic code decodes exactly whatever
    d-1 workers straggle."""
    return _no_error([studies.cyclic(6, 2, 1), studies.cyclic(8, 3, 1), studies.cyclic(9, 3, 1)])


@paper.claim("cyclic-mds.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the reals, where n and d-1 are not both even or both odd, decodes
    exactly whatever d-1 workers straggle."""
    return _no_error(
        [studies.cyclic_mds(6, 4), studies.cyclic_mds(9, 3), studies.cyclic_mds(10, 4)]
    )


@paper.claim("cyclic-mds.complex.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the complex numbers, which is there for all n and d, decodes exactly
    whatever d-1 workers straggle."""
    sizes = ((6, 3), (9, 4), (10, 3))
    family = {"family": "cyclic-mds", "field": "complex"}
    return _no_error([{**family, "n": n, "d": d} for n, d in sizes])


# ---- bounds of the error: from below for any code, from above by expansion


paper.share(code_means.error_lower_bound)


@paper.elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.
    """
    check.count("n", n, 1)
    check.count("d", d, 1, n)
    check.count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    bound = expander_bound(vertices, d, eigenvalue, s)
    case = finite(
        "largest_error", bound, scale=vertices, code=studies.matrix(rows), survivors=vertices - s
    )
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)


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
_STAR: Edges = tuple((0, leaf) for leaf in range(1, 8))


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


@paper.claim("graph.components.printed", f"{GLASGOW}, Section 4")
def _() -> Cases:
    """Optimal decoding of a graph code gives the partitions of a bipartite component of the
    surviving edges, with sides L and R, the weights 1 -+ (|L|-|R|)/(|L|+|R|), and all others the
    weight 1: the error is the sum of (|L|-|R|)^2/(|L|+|R|) (largest difference, all patterns)."""
    for name, code, pairs, vertices in (
        ("cycle 7", graph("cycle", 7), edges_of("cycle", 7), 7),
        ("complete 5", graph("complete", 5), edges_of("complete", 5), 5),
        ("star 8", studies.edges(*_STAR), _STAR, 8),
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
    check.given(n, survivors, p)
    sums = np.bincount([v.bit_count() for v in range(2**n)], values, n + 1)
    if p is not None:
        return math.fsum(s * p ** (n - r) * (1.0 - p) ** r for r, s in enumerate(sums.tolist()))
    assert survivors is not None
    return float(sums[survivors]) / math.comb(n, survivors)


# ---- balanced incomplete block designs as codes: worker = point, partition = block


@paper.elementwise
def bibd_error(k: int, d: int, common: int, survivors: int) -> float:
    """Error k − d² r/(d + λ(r−1)) of every pattern with r survivors.

    Kadhe, Koyluoglu, Ramchandran (arXiv:1904.13373) show that it depends on the number of
    survivors alone; its value by the symmetric solution x = ρ·1.
    """
    check.count("k", k, 1)
    check.count("d", d, 1, k)
    check.count("common", common, 0, d)
    check.count("survivors", survivors, 0)
    if survivors == 0:
        return k
    return k - d * d * survivors / (d + common * (survivors - 1))


@paper.formula
def bibd_errors(name: str) -> Values:
    """Errors of a named design for r = 0 … n survivors."""
    known = parameters(name)
    k, d, common = known["k"], known["d"], known["common"]
    return np.array([bibd_error(k, d, common, r) for r in range(known["n"] + 1)])


@paper.claim("bibd.error.derived", f"Derived: the value of what {KADHE} shows to be one number")
def _() -> Cases:
    """With workers = points and partitions = blocks, every pattern with r survivors has
    error k - d^2 r/(d + lambda(r-1)): Fano plane 4, 2.5, 1.6, 1, 4/7, 1/4, 0."""
    for name in ("fano", "ag(2,3)", "paley-11"):
        errors = bibd_errors(name).tolist()
        case = finite("largest_difference", 0, scale=errors[0], code=bibd(name), errors=errors)
        yield replace(case, point={"name": name})
    for r in range(1, 8):
        yield sampled(bibd("fano"), uniform(7 - r), bibd_error(7, 3, 1, r))
    yield sampled(bibd("pg(2,3)"), uniform(5), bibd_error(13, 4, 1, 8))
    yield sampled(bibd("ag(2,3)"), uniform(3), bibd_error(12, 4, 1, 6))


@paper.claim("bibd.number.printed", KADHE)
def _() -> Cases:
    """The error of a code from a balanced incomplete block design depends on the number of
    stragglers alone: given that number it does not vary."""
    for name, s in (("fano", 3), ("pg(2,3)", 5), ("ag(2,3)", 4), ("paley-11", 6)):
        yield sampled(bibd(name), uniform(s), 0, statistic="variance")


# ---- which share of the partitions is lost: held by no worker that answers


PLACE = f"Derived, for what {SOURCES['2402.12584']} says in its abstract"
#: n = k, d, survivors.
_CIRCLES = ((7, 3, 3), (6, 2, 3), (13, 4, 6), (12, 3, 5))
#: Symmetric designs, n = k and d; two partitions share a worker.
_DESIGNS = (("fano", 7, 3), ("pg(2,3)", 13, 4))


@paper.elementwise
def lost_mean(n: int, d: int, survivors: int) -> float:
    """Mean share C(n−d, r)/C(n, r) of the partitions that none of r survivors holds."""
    check.count("survivors", survivors, 0, n)
    return math.comb(n - d, survivors) / math.comb(n, survivors)


@paper.formula
def lost_variance(n: int, d: int, survivors: int, shared: Sequence[int]) -> float:
    """Variance of that share, of k partitions of which one and each other have workers in common.

    ``shared`` says how many, for the k − 1 others; it is alike for all partitions.
    """
    one, k = float(lost_mean(n, d, survivors)), len(shared) + 1
    ways = math.comb(n, survivors)
    both = math.fsum(math.comb(n - 2 * d + t, survivors) / ways for t in shared)
    return (one + both) / k - one * one


def _in_groups(n: int, d: int) -> list[int]:
    return [d] * (d - 1) + [0] * (n - d)


@paper.claim("coverage.mean.derived", PLACE)
def _() -> Cases:
    """All balanced placements of k partitions with d workers each cover k (1 - C(n-d,r)/C(n,r)) of
    them with r of n workers, on average: the mean share that is lost is C(n-d,r)/C(n,r)."""
    for n, d, r in _CIRCLES:
        yield sampled(circulant(n, d), uniform(n - r), lost_mean(n, d, r), "lost")
    for name, n, d in _DESIGNS:
        yield sampled(bibd(name), uniform(4), lost_mean(n, d, n - 4), "lost")
    yield sampled(frc(12, 3), uniform(7), lost_mean(12, 3, 5), "lost")
    yield sampled(graph("petersen"), uniform(9), lost_mean(15, 3, 6), "lost")


@paper.claim("coverage.least-variance.derived", PLACE, relation=">=")
def _() -> Cases:
    """No balanced placement of as many partitions as workers has a smaller variance of the share
    that is lost than one where any two partitions share as many workers, as in a block design."""
    for _, n, d in _DESIGNS:
        for r in (n - 4, n // 2, 2):
            theory = lost_variance(n, d, r, [1] * (n - 1))
            code = circulant(n, d)
            yield sampled(code, uniform(n - r), theory, "lost", statistic="variance")


@paper.claim("coverage.most-variance.derived", PLACE, relation="<=")
def _() -> Cases:
    """No balanced placement has a larger variance of the share that is lost than groups of d
    workers that all hold the same d partitions: .96/36 for n = 6, d = 2 and r = 3, against .36/36
    of a ring."""
    for n, d, r in ((6, 2, 3), (12, 3, 5), (12, 4, 4)):
        theory = lost_variance(n, d, r, _in_groups(n, d))
        for code in (circulant(n, d), frc(n, d)):
            yield sampled(code, uniform(n - r), theory, "lost", statistic="variance")
    theory = lost_variance(6, 2, 3, _in_groups(6, 2))
    yield sampled(graph("cycle", 6), uniform(3), theory, "lost", statistic="variance")
