"""What a load buys and costs: resiliency, receivers, messages, gradients (Table I, Section III-C).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import star
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.growth import at_size
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import (
    built_tree,
    check_layers,
    check_tree,
    on_tree,
    tree_load_fraction,
    tree_load_limit,
    tree_size,
)
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import AS_N_GROWS, MISSING_CONDITION, REFUTED, Case, Cases

#: The load at which α = 1/2 is survived on three layers, 1/14; n, layers, load.
_HALF_LOAD = 0.0714
_LOADS = ((100, 3, _HALF_LOAD), (100, 2, 0.2), (400, 4, 0.05), (1000, 2, 0.01))
#: n, layers, s, data points.
_SHAPES = ((12, 2, 5, 49920), (4, 3, 1, 6552), (12, 2, 3, 6552))


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
    low, high = 0.0, 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if float(tree_load_limit(middle, layers)) > load:
            high = middle
        else:
            low = middle
    return low


@paper.elementwise
def largest_resilience(n: int, layers: int, load: float) -> float:
    """Largest share s/n of stragglers per parent that fits a load: (⌊n α⌋ − 1)/n, α = `resiliency`.

    codedreduce, Table I, for a tree of any size. It is 0 where not even s = 0 fits.

    >>> largest_resilience(100, 3, 0.0714)
    0.48
    """
    check_tree(n, layers)
    return max(math.floor(n * float(resiliency(load, layers))) - 1, 0) / n


@paper.claim(
    "table1.resiliency.small.derived",
    "Remark 1 and Table I, for small r",
    holds=AS_N_GROWS,
    limit="ratio",
    reads="table1.resiliency.printed",
)
def _() -> Cases:
    """With load r, CR survives about the share r^(1/L) of every parent's children for small r: the
    largest share that fits, over r^(1/L), goes to 1 as r goes to 0 (L = 2)."""
    for inverse in (10, 100, 1000, 10_000, 1_000_000):
        share = resiliency_printed(1 / inverse, 2)
        case = finite("largest_resilience", share, n=10**7, layers=2, load=1 / inverse)
        yield at_size(inverse, case, inverse**-0.5)


@paper.claim(
    "table1.resiliency.printed",
    "Remark 1 and Table I",
    REFUTED,
    holds=AS_N_GROWS,
    limit="ratio",
    kind=MISSING_CONDITION,
)
def _() -> Cases:
    """With load r, CR survives about the share r^(1/L) of every parent's children, for large n: at
    the load 1/14 of Remark 2 and L = 3 that would be .41, where the remark itself has alpha = .5
    (r = .0714)."""
    for n in (12, 120, 1200, 12_000, 120_000):
        share = resiliency_printed(_HALF_LOAD, 3)
        case = finite("largest_resilience", share, n=n, layers=3, load=_HALF_LOAD)
        yield at_size(n, case, 1 / n)


@paper.claim(
    "table1.resiliency-star.printed", "Remark 1 and Table I", holds=AS_N_GROWS, limit="ratio"
)
def _() -> Cases:
    """With load r, gradient coding survives about the share r of N workers (r = 1/4)."""
    for n in (12, 120, 1200, 12_000):
        yield at_size(n, finite("largest_resilience", 0.25, n=n, layers=1, load=0.25), 1 / n)


@paper.claim(
    "table1.resiliency.corrected",
    "Remark 1 and Table I, corrected",
    corrects="table1.resiliency.printed",
    proof="By (5) and s = alpha n the load of large trees is 1/(alpha^-1 + ... + alpha^-L): alpha "
    "solves that for r. It is r^(1/L) up to a factor that goes to 1 as r goes to 0.",
)
def _() -> Cases:
    """With load r, CR survives the share (floor(n alpha) - 1)/n of every parent's children, where
    alpha^-1 + ... + alpha^-L = 1/r: at r = 1/14 and L = 3 half of them, for r^(1/L) = .41."""
    for n, layers, load in _LOADS:
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


@paper.claim("table1.parallel.printed", "Remark 1 and Table I", holds=AS_N_GROWS, limit="order")
def _() -> Cases:
    """CR has Theta(N^(1-1/L)) messages at once, where workers all take the same time (L = 2)."""
    for n in (3, 10, 30, 100):
        workers = tree_size(n, 2)
        case = on_tree("messages_at_once", workers**0.5, n, 2, n // 3)
        yield at_size(workers, case)


@paper.claim(
    "table1.parallel-deep.printed", "Remark 1 and Table I", holds=AS_N_GROWS, limit="order"
)
def _() -> Cases:
    """CR has Theta(N^(1-1/L)) messages at once, where workers all take the same time (L = 3)."""
    for n in (3, 6, 12, 24):
        workers = tree_size(n, 3)
        case = on_tree("messages_at_once", workers ** (2 / 3), n, 3, n // 3)
        yield at_size(workers, case)


@paper.claim(
    "table1.parallel-star.printed", "Section II-C and Table I", holds=AS_N_GROWS, limit="order"
)
def _() -> Cases:
    """Gradient coding has Theta(1) messages at once."""
    for n in (12, 60, 300, 1500):
        yield at_size(n, on_tree("messages_at_once", 1.0, n, 1, n // 3))


@paper.claim("table1.parallel.derived", "Table I, made exact")
def _() -> Cases:
    """Exactly n^(L-1) ports, all those above leaves, receive at once; in a star one does."""
    for n, layers, s in ((12, 2, 5), (4, 3, 1), (10, 1, 3)):
        yield on_tree("messages_at_once", parallel_receivers(n, layers), n, layers, s)


@paper.claim("gradient-coding.messages.printed", "Section II-C", category="definition")
def _() -> Cases:
    """The master of gradient coding receives N - S messages, whoever is late."""
    for n, s in ((12, 5), (84, 21), (156, 65)):
        for answering in (n, n - s):
            yield _messages(n, s, answering, n - s)


@paper.claim("gradient-coding.too-few.derived", "Section II-C, extended")
def _() -> Cases:
    """Where fewer than N - S workers ever answer, it receives all their messages and waits on."""
    for n, s, answering in ((12, 5, 6), (84, 21, 11), (156, 65, 90)):
        yield _messages(n, s, answering, answering)
        yield built("messages_received", answering, system=star(n, s), answering=answering, seed=1)


@paper.elementwise
def gradients_printed(n: int, layers: int, s: int, samples: int) -> float:
    """Order α^L N d of the gradients that an iteration computes (codedreduce, Section III-C).

    >>> gradients_printed(12, 2, 6, 100)
    3900.0
    """
    check_tree(n, layers, s)
    check_count("samples", samples, 1)
    return (s / n) ** layers * float(tree_size(n, layers)) * samples


@paper.claim(
    "gradients.printed",
    "Section III-C, total gradient computation complexity",
    holds=AS_N_GROWS,
    limit="order",
    category="arithmetic",
)
def _() -> Cases:
    """An iteration of CR computes about alpha^L N d gradients in all, as O(.) means it: the two
    are of one order as n grows (L = 2, alpha = 1/2)."""
    for n in (2, 6, 20, 60, 200):
        printed = gradients_printed(n, 2, n // 2, 1)
        yield at_size(n, on_tree("gradients_computed", printed, n, 2, n // 2, samples=1))


@paper.elementwise
def gradients(n: int, layers: int, s: int, samples: int) -> float:
    """Number N r_CR d of gradients that an iteration of CR computes (Section III-C, made exact).

    >>> round(gradients(12, 2, 5, 100), 6)
    2600.0
    """
    check_count("samples", samples, 1)
    load = tree_load_fraction(n, layers, s)
    return float(load * int(tree_size(n, layers)) * int(samples))


@paper.claim("gradients.derived", "Section III-C, made exact")
def _() -> Cases:
    """An iteration of CR computes N r_CR d gradients in all."""
    for shape in _SHAPES:
        yield on_tree("gradients_computed", gradients(*shape), *shape)
        *tree, samples = shape
        yield built_tree("samples_held", gradients(*shape), *tree, samples=samples, code="frc")


def _messages(n: int, s: int, answering: int, theory: float) -> Case:
    port: Table = {"receive": 0.1, "seed": 1}
    return built("messages_received", theory, system=star(n, s), answering=answering, **port)


def _share(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise FastgcError(f"{name}: got {value}, but a share above 0 and at most 1 is needed")
