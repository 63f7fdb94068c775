"""What CodedReduce asks of each worker: loads, resiliency, sizes of trees (paper codedreduce).

n children per parent, ``layers`` = L, s stragglers per parent, α = s/n; N = n + … + n^L workers.
"""

from __future__ import annotations

import math
from fractions import Fraction

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise

#: A deeper tree has more workers than anybody counts.
_MOST_LAYERS = 64


def check_tree(n: int, layers: int, s: int = 0) -> None:
    """Refuse what is no regular tree, or leaves a parent with nothing to wait for."""
    check_count("n", n, 1)
    check_count("layers", layers, 1, _MOST_LAYERS)
    check_count("s", s, 0, n - 1)


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


@elementwise
def tree_load(n: int, layers: int, s: int) -> float:
    """Share r_CR = 1/(x + … + x^L), x = n/(s+1), of the data that a worker holds.

    codedreduce, Theorem 1 (5): no scheme that survives s stragglers per parent needs less. Exact.

    >>> tree_load(12, 2, 5)
    0.16666666666666666
    """
    return float(tree_load_fraction(n, layers, s))


@elementwise
def star_load(n: int, s: int) -> float:
    """Share (s+1)/n that gradient coding gives each of n workers (codedreduce, Section II-C).

    >>> star_load(3, 1)
    0.6666666666666666
    """
    check_tree(n, 1, s)
    return (s + 1) / n


@elementwise
def tree_load_limit_printed(alpha: float, layers: int) -> float:
    """α^L, which r_CR is said to be about for large n (codedreduce, Remark 2). Wrong for L > 1.

    >>> tree_load_limit_printed(0.5, 3)
    0.125
    """
    return alpha ** int(_limit(alpha, layers))


@elementwise
def tree_load_limit(alpha: float, layers: int) -> float:
    """Limit α^L (1−α)/(1−α^L) of r_CR as n grows with s = αn (Remark 2, corrected).

    >>> round(tree_load_limit(0.5, 3), 9)
    0.071428571
    """
    layers = _limit(alpha, layers)
    return 1.0 / math.fsum(alpha**-layer for layer in range(1, int(layers) + 1))


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


@elementwise
def resiliency_printed(load: float, layers: int) -> float:
    """Resiliency α = r^(1/L) at load r (codedreduce, Remark 1 and Table I). Approximate at best.

    >>> round(resiliency_printed(0.0714, 3), 4)
    0.4149
    """
    _limit(0.5, layers)
    _share("load", load)
    return float(load ** (1.0 / layers))


@elementwise
def resiliency(load: float, layers: int) -> float:
    """Share α of stragglers that large trees survive at load r: α^−1 + … + α^−L = 1/r.

    Correction of codedreduce, Table I. At r = 1/L and above every share below 1 is survived.

    >>> round(resiliency(1 / 14, 3), 9)
    0.5
    """
    _limit(0.5, layers)
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


@elementwise
def largest_resilience(n: int, layers: int, load: float) -> float:
    """Largest share s/n of stragglers per parent that fits a load: (⌊n α⌋ − 1)/n, α = `resiliency`.

    Table I, corrected, for a tree of any size; 0 where not even s = 0 fits.

    >>> largest_resilience(100, 3, 0.0714)
    0.48
    """
    check_tree(n, layers)
    return max(math.floor(n * float(resiliency(load, layers))) - 1, 0) / n


@elementwise
def parallel_receivers(n: int, layers: int) -> float:
    """Parents n^(L−1) of leaves, which can receive at the same time (codedreduce, Table I).

    Θ(N^(1−1/L)); a star has one.

    >>> parallel_receivers(12, 2)
    12.0
    """
    check_tree(n, layers)
    return float(int(n) ** (int(layers) - 1))


@elementwise
def gradients_printed(n: int, layers: int, s: int, samples: int) -> float:
    """Gradients α^L N d that an iteration computes in all (codedreduce, Section III-C). Wrong.

    >>> gradients_printed(12, 2, 6, 100)
    3900.0
    """
    check_tree(n, layers, s)
    check_count("samples", samples, 1)
    return (s / n) ** layers * float(tree_size(n, layers)) * samples


@elementwise
def gradients(n: int, layers: int, s: int, samples: int) -> float:
    """Gradients N r_CR d that an iteration of CR computes in all (corrected).

    >>> round(gradients(12, 2, 5, 100), 6)
    2600.0
    """
    check_count("samples", samples, 1)
    load = tree_load_fraction(n, layers, s)
    return float(load * int(tree_size(n, layers)) * int(samples))


def _limit(alpha: float, layers: int) -> int:
    if not 0.0 < alpha < 1.0:
        raise FastgcError(f"alpha: got {alpha}, but a share between 0 and 1 is needed")
    check_count("layers", layers, 1, _MOST_LAYERS)
    return int(layers)


def _share(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise FastgcError(f"{name}: got {value}, but a share above 0 and at most 1 is needed")
