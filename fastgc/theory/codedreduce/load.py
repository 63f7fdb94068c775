"""What CodedReduce asks of each worker (paper codedreduce, Theorem 1, Remark 2).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fastgc.errors import FastgcError
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.growth import at_size
from fastgc.theory.codedreduce import paper
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import AS_N_GROWS, MISSING_CONDITION, REFUTED, Case, Cases

#: A deeper tree has more workers than anybody counts.
_MOST_LAYERS = 64

#: n, layers, s.
_SHAPES = ((3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 4, 2))
#: n, layers, s with α = 1/2, of the paper's three layers.
_HALVES = ((4, 3, 2), (8, 3, 4), (12, 3, 6), (100, 3, 50))
#: What n grows to.
_LARGE = (12, 120, 1200, 12_000, 1_200_000)


def check_tree(n: int, layers: int, s: int = 0) -> None:
    """Refuse what is no regular tree, or leaves a parent with nothing to wait for."""
    check_count("n", n, 1)
    check_layers(layers)
    check_count("s", s, 0, n - 1)


def check_layers(layers: int) -> None:
    """Refuse what is no number of layers that a tree can have."""
    check_count("layers", layers, 1, _MOST_LAYERS)


@paper.elementwise
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


@paper.elementwise
def tree_load(n: int, layers: int, s: int) -> float:
    """Share r_CR = 1/(x + … + x^L), x = n/(s+1), of the data that a worker holds.

    codedreduce, Theorem 1 (5): no scheme that survives s stragglers per parent needs less. Exact.

    >>> tree_load(12, 2, 5)
    0.16666666666666666
    """
    return float(tree_load_fraction(n, layers, s))


@paper.claim("theorem1.load.printed", "Theorem 1 (5)")
def _() -> Cases:
    """CR loads the workers of the (n,L)-regular tree with r_CR = 1/(x + ... + x^L) of the data,
    x = n/(s+1): the most that any of them is allocated."""
    for shape in _SHAPES:
        yield on_tree("allocated_load", tree_load(*shape), *shape)
        yield built_tree("largest_share", tree_load(*shape), *shape)


@paper.claim("theorem1.optimal.printed", "Theorem 1, optimality")
def _() -> Cases:
    """No placement of the data that survives s stragglers per parent has less load than r_CR, and
    one has r_CR: the optimum of the linear programme over all placements."""
    for shape in ((3, 2, 1), (2, 2, 1), (2, 2, 0), (3, 2, 2), (2, 3, 1), (5, 1, 2)):
        yield on_tree("least_load", tree_load(*shape), *shape)
        yield built_tree("largest_share", tree_load(*shape), *shape)


@paper.elementwise
def star_load(n: int, s: int) -> float:
    """Share (s+1)/n that gradient coding gives each of n workers (codedreduce, Section II-C).

    >>> star_load(3, 1)
    0.6666666666666666
    """
    check_tree(n, 1, s)
    return (s + 1) / n


@paper.claim("gradient-coding.load.printed", "Section II-C")
def _() -> Cases:
    """Gradient coding loads each of N workers with (S+1)/N of the data, and no placement that any S
    stragglers leave whole needs less."""
    for n, s in ((3, 1), (156, 65), (84, 21)):
        yield built_tree("largest_share", star_load(n, s), n, 1, s)
    for n, s in ((3, 1), (5, 2)):
        yield on_tree("least_load", star_load(n, s), n, 1, s)


@paper.claim(
    "gradient-coding.load.limit.printed", "Section I and Remark 2", holds=AS_N_GROWS, limit="ratio"
)
def _() -> Cases:
    """(S+1)/N is about alpha = S/N."""
    for n in _LARGE:
        yield at_size(n, on_tree("balanced_load", 5 / 12, n, 1, 5 * n // 12), 1 / n)


@paper.elementwise
def tree_load_limit_printed(alpha: float, layers: int) -> float:
    """Limit α^L that r_CR is said to have as n grows (codedreduce, Remark 2). Wrong for L > 1.

    >>> tree_load_limit_printed(0.5, 3)
    0.125
    """
    return alpha ** int(_limit(alpha, layers))


@paper.elementwise
def tree_load_limit(alpha: float, layers: int) -> float:
    """Limit α^L (1−α)/(1−α^L) of r_CR as n grows with s = αn (Remark 2, corrected).

    >>> round(tree_load_limit(0.5, 3), 9)
    0.071428571
    """
    layers = _limit(alpha, layers)
    return 1.0 / math.fsum(alpha**-layer for layer in range(1, int(layers) + 1))


@paper.claim(
    "remark2.limit.small.derived",
    "Section I and Remark 2, for small alpha",
    holds=AS_N_GROWS,
    limit="ratio",
    reads="remark2.limit.printed",
)
def _() -> Cases:
    """r_CR is about alpha^L for large n and small alpha: their ratio goes to 1 as alpha goes to 0
    (L = 3)."""
    for inverse in (2, 20, 200, 2000, 20_000):
        theory = tree_load_limit_printed(1 / inverse, 3)
        shape = (inverse * 10**9, 3, 10**9)
        yield at_size(inverse, on_tree("balanced_load", theory, *shape), 1 / inverse)


@paper.claim(
    "remark2.limit.printed",
    "Section I and Remark 2",
    REFUTED,
    holds=AS_N_GROWS,
    limit="ratio",
    kind=MISSING_CONDITION,
)
def _() -> Cases:
    """r_CR is about alpha^L for large n: at the remark's alpha = .5 and L = 3 that would be 4 times
    less than alpha, where the remark itself says 7 times."""
    return _limits(tree_load_limit_printed)


@paper.claim(
    "remark2.limit.corrected",
    "Remark 2, corrected",
    holds=AS_N_GROWS,
    limit="ratio",
    corrects="remark2.limit.printed",
    proof="For alpha = .5 and L = 3 the load is 1/14, 7 times less than alpha, as the paper says; "
    "alpha^3 would be 4 times less. With s = alpha n, n/(s+1) goes to 1/alpha, so that r_CR goes "
    "to 1/(alpha^-1 + ... + alpha^-L), a geometric sum, which is near alpha^L for small alpha.",
)
def _() -> Cases:
    """r_CR goes to alpha^L (1-alpha)/(1-alpha^L) as n grows."""
    return _limits(tree_load_limit)


@paper.elementwise
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


@paper.claim("remark2.seven.printed", "Remark 2", holds=AS_N_GROWS, limit="ratio")
def _() -> Cases:
    """For alpha = 0.5, three layers instead of one reduce the load 7 times."""
    for n in _LARGE:
        yield at_size(n, on_tree("star_to_tree_load", 7, n, 3, n // 2), 1 / n)


@paper.claim("remark2.seven.derived", "Remark 2, at finite n")
def _() -> Cases:
    """For alpha = 0.5 three layers instead of one reduce the load 2.81 (n = 4), 4.14 (8), 4.85
    (12), 6.67 (100) times."""
    for shape in _HALVES:
        yield on_tree("star_to_tree_load", load_reduction(*shape), *shape)


def on_tree(
    name: str, theory: float, n: int, layers: int, s: int, samples: int = 0, **more: Any
) -> Case:
    """Compare an enumeration over a tree, with data points if it takes them, with a theory."""
    points = {"samples": samples, "scale": float(samples)} if samples else {}
    return finite(name, theory, **{"n": n, "layers": layers, "s": s, **points, **more})


def built_tree(name: str, theory: float, n: int, layers: int, s: int, **more: Any) -> Case:
    """Compare what fastgc builds of a tree with a theory."""
    return built(name, theory, **{"n": n, "layers": layers, "s": s, **more})


def _limits(limit: Callable[[float, int], float]) -> Cases:
    for n in _LARGE:
        yield at_size(n, on_tree("balanced_load", limit(0.5, 3), n, 3, n // 2), 1 / n)


def _limit(alpha: float, layers: int) -> int:
    if not 0.0 < alpha < 1.0:
        raise FastgcError(f"alpha: got {alpha}, but a share between 0 and 1 is needed")
    check_layers(layers)
    return int(layers)
