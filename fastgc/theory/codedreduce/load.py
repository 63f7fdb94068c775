"""What a load buys and costs in rings and trees (codedreduce, II-B, Theorem 1, Table I, III-C).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

import math
from fractions import Fraction
from typing import Any

from fastgc.errors import FastgcError
from fastgc.theory.cases.statements import at_size, built, finite, printed_number
from fastgc.theory.codedreduce import paper
from fastgc.theory.common import check
from fastgc.theory.common.numerics import bisection
from fastgc.theory.papers.claim import Case, Cases

#: A deeper tree has more workers than can be counted.
_MOST_LAYERS = 64
#: What n grows to.
_LARGE = (12, 120, 1200, 12_000, 1_200_000)
#: The load at which α = 1/2 is survived on three layers, 1/14.
_HALF_LOAD = 0.0714


# ---- what CodedReduce asks of each worker (Theorem 1, Remark 2)


def check_tree(n: int, layers: int, s: int = 0) -> None:
    """Refuse what is no regular tree, or leaves a parent with nothing to wait for."""
    check.count("n", n, 1)
    check_layers(layers)
    check.count("s", s, 0, n - 1)


def check_layers(layers: int) -> None:
    """Refuse what is no number of layers that a tree can have."""
    check.count("layers", layers, 1, _MOST_LAYERS)


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
    for shape in ((3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 4, 2)):
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


@paper.elementwise
def tree_load_limit_printed(alpha: float, layers: int) -> float:
    """What r_CR is about (codedreduce, Remark 2): α^L, for small α.

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
    limit="ratio",
    reads="remark2.limit.printed",
)
def _() -> Cases:
    """r_CR is about alpha^L for small alpha: their ratio goes to 1 as alpha goes to 0 (L = 3, trees
    so large that (alpha n + 1)/n is alpha)."""
    for inverse in (2, 20, 200, 2000, 20_000):
        theory = tree_load_limit_printed(1 / inverse, 3)
        shape = (inverse * 10**9, 3, 10**9)
        yield at_size(inverse, on_tree("balanced_load", theory, *shape), 1 / inverse)


@paper.claim(
    "remark2.limit.printed",
    "Section I and Remark 2",
    kind="missing condition",
    printed="r_CR = 1/Σ_(l=1)^L (n/(αn+1))^l ≈ α^L. For α = 0.5 as an instance, CR reduces the "
    "computation load 7× by rearranging the nodes from 1 layer to 3 layers",
)
def _() -> Cases:
    """r_CR is about alpha^L at the remark's own instance, alpha = .5 and L = 3: three layers
    instead of one would then reduce the load alpha/alpha^3 = 4 times, where the remark says 7 times
    (at n at which its 7 is right)."""
    for n in _LARGE[2:]:
        yield printed_number(0, on_tree("star_to_tree_load", 4, n, 3, n // 2))


@paper.claim(
    "remark2.limit.corrected",
    "Remark 2, corrected",
    limit="ratio",
    proof="For alpha = .5 and L = 3 the load is 1/14, 7 times less than alpha, as the paper says; "
    "alpha^3 would be 4 times less. With s = alpha n, n/(s+1) goes to 1/alpha, so that r_CR goes "
    "to 1/(alpha^-1 + ... + alpha^-L), a geometric sum, which is near alpha^L for small alpha.",
)
def _() -> Cases:
    """r_CR goes to alpha^L (1-alpha)/(1-alpha^L) as n grows."""
    for n in _LARGE:
        theory = tree_load_limit(0.5, 3)
        yield at_size(n, on_tree("balanced_load", theory, n, 3, n // 2), 1 / n)


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


@paper.claim("remark2.seven.printed", "Remark 2", limit="ratio", category="number")
def _() -> Cases:
    """For alpha = 0.5, three layers instead of one reduce the load 7 times."""
    for n in _LARGE:
        yield at_size(n, on_tree("star_to_tree_load", 7, n, 3, n // 2), 1 / n)


@paper.claim("remark2.seven.derived", "Remark 2, at finite n")
def _() -> Cases:
    """For alpha = 0.5 three layers instead of one reduce the load 2.81 (n = 4), 4.14 (8), 4.85
    (12), 6.67 (100) times."""
    for shape in ((4, 3, 2), (8, 3, 4), (12, 3, 6), (100, 3, 50)):
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


def _limit(alpha: float, layers: int) -> int:
    if not 0.0 < alpha < 1.0:
        raise FastgcError(f"alpha: got {alpha}, but a share between 0 and 1 is needed")
    check_layers(layers)
    return int(layers)


# ---- resiliency, receivers, messages, gradients (Table I, Section III-C)


@paper.elementwise
def resiliency_printed(load: float, layers: int) -> float:
    """Resiliency α ≈ r^(1/L) at load r (codedreduce, Remark 1 and Table I): of small loads.

    >>> round(resiliency_printed(0.0714, 3), 4)
    0.4149
    """
    check_layers(layers)
    _share("load", load)
    return float(load ** (1.0 / layers))


@paper.elementwise
def resiliency(load: float, layers: int) -> float:
    """Share α of stragglers that large trees survive at load r: α^−1 + … + α^−L = 1/r.

    What codedreduce, Table I, approximates. At r = 1/L and above every share below 1 is survived.

    >>> round(resiliency(1 / 14, 3), 9)
    0.5
    """
    check_layers(layers)
    _share("load", load)
    if load * layers >= 1.0:
        return 1.0
    return bisection(lambda a: float(tree_load_limit(a, layers)) <= load, 0.0, 1.0)[0]


@paper.elementwise
def largest_resilience(n: int, layers: int, load: float) -> float:
    """Largest share s/n of stragglers per parent that fits a load: (⌊n α⌋ − 1)/n, α = `resiliency`.

    codedreduce, Table I, for a tree of any size. It is 0 where not even s = 0 fits.

    >>> largest_resilience(100, 3, 0.0714)
    0.48
    """
    check_tree(n, layers)
    return max(math.floor(n * float(resiliency(load, layers))) - 1, 0) / n


@paper.claim("table1.resiliency.printed", "Remark 1 and Table I", limit="ratio")
def _() -> Cases:
    """With load r, CR survives about the share r^(1/L) of every parent's children, an approximation
    for small r: the largest share that fits, over r^(1/L), goes to 1 as r goes to 0 (L = 2)."""
    for inverse in (10, 100, 1000, 10_000, 1_000_000):
        share = resiliency_printed(1 / inverse, 2)
        case = finite("largest_resilience", share, n=10**9, layers=2, load=1 / inverse)
        yield at_size(inverse, case, inverse**-0.5)


@paper.claim("table1.resiliency-star.printed", "Remark 1 and Table I", limit="ratio")
def _() -> Cases:
    """With load r, gradient coding survives about the share r of N workers (r = 1/4)."""
    for n in (12, 120, 1200, 12_000):
        yield at_size(n, finite("largest_resilience", 0.25, n=n, layers=1, load=0.25), 1 / n)


@paper.claim("table1.resiliency.derived", "Remark 1 and Table I, made exact by (5)")
def _() -> Cases:
    """With load r, CR survives the share (floor(n alpha) - 1)/n of every parent's children, where
    alpha^-1 + ... + alpha^-L = 1/r: at r = 1/14 and L = 3 half of them, for r^(1/L) = .41."""
    for n, layers, load in ((100, 3, _HALF_LOAD), (100, 2, 0.2), (400, 4, 0.05), (1000, 2, 0.01)):
        share = largest_resilience(n, layers, load)
        yield finite("largest_resilience", share, n=n, layers=layers, load=load)


@paper.elementwise
def parallel_receivers(n: int, layers: int) -> float:
    """Number n^(L−1) of parents of leaves, which can receive at once (codedreduce, Table I).

    They are Θ(N^(1−1/L)) of N workers; a star has one.

    >>> parallel_receivers(12, 2)
    12.0
    """
    check_tree(n, layers)
    return float(int(n) ** (int(layers) - 1))


@paper.claim("table1.parallel.printed", "Remark 1 and Table I", limit="order")
def _() -> Cases:
    """CR has Theta(N^(1-1/L)) messages at once, where workers all take the same time (L = 2)."""
    for n in (10, 30, 100, 300):
        workers = tree_size(n, 2)
        case = on_tree("messages_at_once", workers**0.5, n, 2, n // 3)
        yield at_size(workers, case)


@paper.claim("table1.parallel-deep.printed", "Remark 1 and Table I", limit="order")
def _() -> Cases:
    """CR has Theta(N^(1-1/L)) messages at once, where workers all take the same time (L = 3)."""
    for n in (12, 24, 48, 96):
        workers = tree_size(n, 3)
        case = on_tree("messages_at_once", workers ** (2 / 3), n, 3, n // 3)
        yield at_size(workers, case)


@paper.claim("table1.parallel-star.printed", "Section II-C and Table I", limit="order")
def _() -> Cases:
    """Gradient coding has Theta(1) messages at once."""
    for n in (12, 60, 300, 1500):
        yield at_size(n, on_tree("messages_at_once", 1.0, n, 1, n // 3))


@paper.claim("table1.parallel.derived", "Table I, made exact")
def _() -> Cases:
    """Exactly n^(L-1) ports, all those above leaves, receive at once; in a star one does."""
    for n, layers, s in ((12, 2, 5), (4, 3, 1), (10, 1, 3)):
        yield on_tree("messages_at_once", parallel_receivers(n, layers), n, layers, s)


def _share(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise FastgcError(f"{name}: got {value}, but a share above 0 and at most 1 is needed")
