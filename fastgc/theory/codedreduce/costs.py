"""What a load buys and costs: resiliency, receivers, messages, gradients (Table I, Section III-C).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, star, timed
from fastgc.theory.cases.finite import finite
from fastgc.theory.codedreduce.load import (
    check_layers,
    check_tree,
    on_tree,
    tree_load_fraction,
    tree_load_limit,
    tree_size,
)
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.papers.claim import REFUTED
from fastgc.theory.papers.paper import Cases

#: n, layers, load.
_LOADS = ((100, 3, 0.0714), (100, 2, 0.2), (400, 4, 0.05), (1000, 2, 0.01))
#: n, layers, s, data points.
_SHAPES = ((12, 2, 5, 49920), (4, 3, 1, 6552), (12, 2, 3, 6552))


@paper.formula
@elementwise
def resiliency_printed(load: float, layers: int) -> float:
    """Resiliency α = r^(1/L) at load r (codedreduce, Remark 1 and Table I). Approximate at best.

    >>> round(resiliency_printed(0.0714, 3), 4)
    0.4149
    """
    check_layers(layers)
    _share("load", load)
    return float(load ** (1.0 / layers))


@paper.formula
@elementwise
def resiliency(load: float, layers: int) -> float:
    """Share α of stragglers that large trees survive at load r: α^−1 + … + α^−L = 1/r.

    Correction of codedreduce, Table I. At r = 1/L and above every share below 1 is survived.

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


@paper.formula
@elementwise
def largest_resilience(n: int, layers: int, load: float) -> float:
    """Largest share s/n of stragglers per parent that fits a load: (⌊n α⌋ − 1)/n, α = `resiliency`.

    codedreduce, Table I, corrected; for a tree of any size. It is 0 where not even s = 0 fits.

    >>> largest_resilience(100, 3, 0.0714)
    0.48
    """
    check_tree(n, layers)
    return max(math.floor(n * float(resiliency(load, layers))) - 1, 0) / n


@paper.claim("table1.resiliency.printed", "Remark 1 and Table I", REFUTED)
def _() -> Cases:
    """With load r, CR survives the share r^(1/L) of every parent's children (the largest share that
    fits the load)."""
    for n, layers, load in _LOADS:
        share = resiliency_printed(load, layers)
        yield finite("largest_resilience", share, n=n, layers=layers, load=load)


@paper.claim("table1.resiliency.corrected", "Remark 1 and Table I, corrected")
def _() -> Cases:
    """With load r, CR survives the share (floor(n alpha) - 1)/n of every parent's children, where
    alpha^-1 + ... + alpha^-L = 1/r."""
    for n, layers, load in _LOADS:
        share = largest_resilience(n, layers, load)
        yield finite("largest_resilience", share, n=n, layers=layers, load=load)


@paper.formula
@elementwise
def parallel_receivers(n: int, layers: int) -> float:
    """Number n^(L−1) of parents of leaves, which can receive at once (codedreduce, Table I).

    They are Θ(N^(1−1/L)) of N workers; a star has one.

    >>> parallel_receivers(12, 2)
    12.0
    """
    check_tree(n, layers)
    return float(int(n) ** (int(layers) - 1))


@paper.claim("table1.parallel.printed", "Remark 1 and Table I", relation="<=")
def _() -> Cases:
    """CR has Theta(N^(1-1/L)) parents that can receive at once: n^(L-1) of leaves, at most
    N^(1-1/L)."""
    for n, layers in ((12, 2), (50, 2), (4, 3), (10, 3)):
        most = tree_size(n, layers) ** (1 - 1 / layers)
        yield finite("leaf_parents", most, n=n, layers=layers)


@paper.claim("table1.parallel.corrected", "Table I, made exact")
def _() -> Cases:
    """Exactly n^(L-1) parents have leaves for children."""
    for n, layers in ((12, 2), (4, 3), (10, 1)):
        yield finite("leaf_parents", parallel_receivers(n, layers), n=n, layers=layers)


@paper.claim("gradient-coding.messages.printed", "Section II-C")
def _() -> Cases:
    """The master of gradient coding receives N - S messages one after the other."""
    for n, s in ((12, 5), (30, 12), (156, 65)):
        received = completion(star(n, s), measure="messages", receive=0.1)
        yield timed(received, n - s, scale=float(n))


@paper.formula
@elementwise
def gradients_printed(n: int, layers: int, s: int, samples: int) -> float:
    """Number α^L N d of gradients that an iteration computes (codedreduce, Section III-C). Wrong.

    >>> gradients_printed(12, 2, 6, 100)
    3900.0
    """
    check_tree(n, layers, s)
    check_count("samples", samples, 1)
    return (s / n) ** layers * float(tree_size(n, layers)) * samples


@paper.claim("gradients.printed", "Section III-C, total gradient computation complexity", REFUTED)
def _() -> Cases:
    """An iteration of CR computes alpha^L N d gradients in all."""
    for shape in _SHAPES:
        yield on_tree("gradients_computed", gradients_printed(*shape), *shape)


@paper.formula
@elementwise
def gradients(n: int, layers: int, s: int, samples: int) -> float:
    """Number N r_CR d of gradients that an iteration of CR computes (Section III-C, corrected).

    >>> round(gradients(12, 2, 5, 100), 6)
    2600.0
    """
    check_count("samples", samples, 1)
    load = tree_load_fraction(n, layers, s)
    return float(load * int(tree_size(n, layers)) * int(samples))


@paper.claim("gradients.corrected", "Section III-C, corrected")
def _() -> Cases:
    """An iteration of CR computes N r_CR d gradients in all."""
    for shape in _SHAPES:
        yield on_tree("gradients_computed", gradients(*shape), *shape)


def _share(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise FastgcError(f"{name}: got {value}, but a share above 0 and at most 1 is needed")
