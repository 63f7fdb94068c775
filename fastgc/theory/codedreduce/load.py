"""What CodedReduce asks of each worker (paper codedreduce, Theorem 1, Remark 2).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, star, timed, tree
from fastgc.theory.cases.finite import finite
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.papers.claim import LOOSE, REFUTED, Case
from fastgc.theory.papers.paper import Cases

#: A deeper tree has more workers than anybody counts.
_MOST_LAYERS = 64

#: n, layers, s and data points of the experiments where r_CR d is whole.
_WHOLE = ((12, 2, 1, 6552), (12, 2, 3, 6552), (4, 3, 1, 6552), (12, 2, 3, 7644), (12, 2, 3, 32760))
#: Those where it is not, and what it is.
_BROKEN = (((12, 2, 2, 6552), 327.6), ((12, 2, 2, 7644), 382.2))
#: Those of trees of twelve children.
_BY_12 = ((12, 2, 3, 6552), (12, 2, 3, 7644), (12, 2, 5, 49920), (12, 2, 3, 32760))
#: n, layers, s with α = 1/2.
_HALVES = ((4, 3, 2), (8, 3, 4), (12, 3, 6), (100, 3, 50))


def check_tree(n: int, layers: int, s: int = 0) -> None:
    """Refuse what is no regular tree, or leaves a parent with nothing to wait for."""
    check_count("n", n, 1)
    check_layers(layers)
    check_count("s", s, 0, n - 1)


def check_layers(layers: int) -> None:
    """Refuse what is no number of layers that a tree can have."""
    check_count("layers", layers, 1, _MOST_LAYERS)


@paper.formula
@elementwise
def tree_size(n: int, layers: int) -> float:
    """Workers N = n + … + n^L of the (n, L)-regular tree (codedreduce, Section III-A).

    >>> tree_size(12, 2), tree_size(4, 3)
    (156.0, 84.0)
    """
    check_tree(n, layers)
    return float(sum(int(n) ** layer for layer in range(1, int(layers) + 1)))


def tree_load_fraction(n: int, layers: int, s: int) -> Fraction:
    """r_CR of `tree_load` as a fraction.

    >>> tree_load_fraction(3, 2, 1)
    Fraction(4, 15)
    """
    check_tree(n, layers, s)
    ratio = Fraction(int(n), int(s) + 1)
    return 1 / sum((ratio**layer for layer in range(1, int(layers) + 1)), Fraction(0))


@paper.formula
@elementwise
def tree_load(n: int, layers: int, s: int) -> float:
    """Share r_CR = 1/(x + … + x^L), x = n/(s+1), of the data that a worker holds.

    codedreduce, Theorem 1 (5): no scheme that survives s stragglers per parent needs less. Exact.

    >>> tree_load(12, 2, 5)
    0.16666666666666666
    """
    return float(tree_load_fraction(n, layers, s))


@paper.claim("theorem1.load.printed", "Theorem 1 (5)")
def _() -> Cases:
    """CR loads every worker of the (n,L)-regular tree with r_CR = 1/(x + ... + x^L) of the data,
    x = n/(s+1)."""
    for shape in ((3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 4, 2)):
        yield on_tree("allocated_load", tree_load(*shape), *shape)
    for shape in ((12, 2, 5), (4, 3, 1), (3, 2, 1)):
        yield timed(completion(tree(*shape), measure="load"), tree_load(*shape))


@paper.claim("theorem1.optimal.printed", "Theorem 1, optimality")
def _() -> Cases:
    """No placement of the data that survives s stragglers per parent has less load than r_CR, and
    one has r_CR: the optimum of the linear programme over all placements."""
    for shape in ((2, 2, 1), (2, 2, 0), (3, 2, 1), (3, 2, 2), (2, 3, 1), (5, 1, 2)):
        yield on_tree("least_load", tree_load(*shape), *shape)


@paper.formula
@elementwise
def star_load(n: int, s: int) -> float:
    """Share (s+1)/n that gradient coding gives each of n workers (codedreduce, Section II-C).

    >>> star_load(3, 1)
    0.6666666666666666
    """
    check_tree(n, 1, s)
    return (s + 1) / n


@paper.claim("gradient-coding.load.printed", "Section II-C")
def _() -> Cases:
    """Gradient coding loads each of N workers with (S+1)/N of the data."""
    for n, s in ((3, 1), (156, 65), (84, 21)):
        yield timed(completion(star(n, s), measure="load"), star_load(n, s))


@paper.claim("theorem1.whole.printed", "Section III-A and Figures 8 to 12", REFUTED)
def _() -> Cases:
    """In all experiments every worker picks r_CR d data points, a whole number (what it misses one
    by)."""
    for shape in (*_WHOLE, *(shape for shape, _ in _BROKEN)):
        yield on_tree("points_left_over", 0.0, *shape)


@paper.claim("theorem1.whole.corrected", "Figures 9(b) and 11(b), corrected")
def _() -> Cases:
    """r_CR d is whole at alpha = 1/12 and 3/12, but 327.6 and 382.2 points at alpha = 2/12."""
    for shape in _WHOLE:
        yield on_tree("points_left_over", 0.0, *shape)
    for shape, points in _BROKEN:
        yield on_tree("points_per_worker", points, *shape)


@paper.claim("theorem1.partitions.printed", "Section III-A, CompAlloc", REFUTED)
def _() -> Cases:
    """Cut into k = n partitions as by Algorithm 2 of gradient coding, which CompAlloc takes, the
    data of the experiments come out whole (layers at which they do not)."""
    for shape in _BY_12:
        yield on_tree("broken_partitions", 0.0, *shape, scale=1.0, partitions=shape[0])


@paper.claim("theorem1.partitions.corrected", "Section III-A, CompAlloc, with another code")
def _() -> Cases:
    """Cut into the k = n/(s+1) partitions of fractional repetition, the data of the experiments
    come out whole wherever r_CR d does."""
    for n, layers, s, d in (*_BY_12, (12, 2, 1, 6552), (12, 2, 1, 7644), (4, 3, 1, 6552)):
        k = n // (s + 1)
        yield on_tree("broken_partitions", 0.0, n, layers, s, d, scale=1.0, partitions=k)


@paper.claim("clusters.printed", "Section IV-A", REFUTED)
def _() -> Cases:
    """The tree (n,L) = (12,2) is that of N = 84 as of N = 156 workers."""
    for workers, n, layers in ((84, 12, 2), (84, 4, 3), (12, 3, 2)):
        yield finite("tree_size", workers, n=n, layers=layers)


@paper.claim("clusters.corrected", "Section IV-A, corrected")
def _() -> Cases:
    """The tree (12,2) has N = 156 workers; 84 need (4,3)."""
    for n, layers in ((12, 2), (4, 3), (3, 2)):
        yield finite("tree_size", tree_size(n, layers), n=n, layers=layers)


@paper.formula
@elementwise
def tree_load_limit_printed(alpha: float, layers: int) -> float:
    """Limit α^L that r_CR is said to have as n grows (codedreduce, Remark 2). Wrong for L > 1.

    >>> tree_load_limit_printed(0.5, 3)
    0.125
    """
    return alpha ** int(_limit(alpha, layers))


@paper.formula
@elementwise
def tree_load_limit(alpha: float, layers: int) -> float:
    """Limit α^L (1−α)/(1−α^L) of r_CR as n grows with s = αn (Remark 2, corrected).

    >>> round(tree_load_limit(0.5, 3), 9)
    0.071428571
    """
    layers = _limit(alpha, layers)
    return 1.0 / math.fsum(alpha**-layer for layer in range(1, int(layers) + 1))


@paper.claim("remark2.limit.printed", "Remark 2", REFUTED, relation="<=")
def _() -> Cases:
    """r_CR is about alpha^L for large n (within 1/n)."""
    return _near(tree_load_limit_printed)


@paper.claim("remark2.limit.corrected", "Remark 2, corrected", LOOSE, relation="<=")
def _() -> Cases:
    """r_CR is within 1/n of its limit alpha^L (1-alpha)/(1-alpha^L)."""
    return _near(tree_load_limit)


@paper.formula
@elementwise
def load_reduction(n: int, layers: int, s: int) -> float:
    """How many times less a worker holds in the tree than in a star of its N workers.

    Both survive the share α = s/n of stragglers: (αN+1)/N over r_CR. codedreduce, Remark 2, says 7
    for α = .5 and L = 3, which is the limit for large n.

    >>> round(load_reduction(12, 3, 6), 3), round(load_reduction(4, 3, 2), 3)
    (4.851, 2.806)
    """
    load = tree_load_fraction(n, layers, s)
    workers = int(tree_size(n, layers))
    return float((Fraction(int(s) * workers, int(n)) + 1) / workers / load)


@paper.claim("remark2.seven.printed", "Remark 2", REFUTED)
def _() -> Cases:
    """For alpha = 0.5 three layers instead of one reduce the load 7 times."""
    for shape in _HALVES:
        yield on_tree("star_to_tree_load", 7, *shape)


@paper.claim("remark2.seven.corrected", "Remark 2, corrected")
def _() -> Cases:
    """For alpha = 0.5 three layers instead of one reduce the load 2.81 (n = 4), 4.14 (8), 4.85
    (12), 6.67 (100) times; 7 is the limit."""
    for shape in _HALVES:
        yield on_tree("star_to_tree_load", load_reduction(*shape), *shape)


def on_tree(
    name: str, theory: float, n: int, layers: int, s: int, samples: int = 0, **more: Any
) -> Case:
    """Compare an enumeration over a tree, with data points if it takes them, with a theory."""
    points = {"samples": samples, "scale": float(samples)} if samples else {}
    return finite(name, theory, **{"n": n, "layers": layers, "s": s, **points, **more})


def _near(limit: Callable[[float, int], float]) -> Cases:
    for n, layers, s in ((1000, 2, 500), (1000, 3, 500), (1200, 2, 500)):
        yield on_tree("load_gap", 1 / n, n, layers, s, limit=limit(s / n, layers))


def _limit(alpha: float, layers: int) -> int:
    if not 0.0 < alpha < 1.0:
        raise FastgcError(f"alpha: got {alpha}, but a share between 0 and 1 is needed")
    check_layers(layers)
    return int(layers)
