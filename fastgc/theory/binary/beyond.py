"""What the binary code decodes beyond its guarantee: sets of survivors, probabilities. Derived.

For k = n, or a multiple of n. The classes 0 … r−1 hold the data in ℓ+1 consecutive blocks, each
held by r workers; the classes r … s in ℓ blocks, each held by s+1−r workers. Inner boundaries of
the two divisions never coincide, so that least squares is exact iff one division has a survivor
in each of its blocks. Algorithm 3 wants more: a class all of whose workers survive.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, blocks_and_remainder
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import binary, decoding, iid, point_of, uniform
from fastgc.theory.common.arguments import check_count, check_given
from fastgc.theory.papers.claim import Case, Cases

#: n, s, survivors
_SETS = ((*EXAMPLE, 3), (*EXAMPLE, 6), (10, 4, 3), (12, 3, 7))


@paper.elementwise
def complete_patterns(n: int, s: int, survivors: int) -> float:
    """Number of sets of r survivors for which Algorithm 3 finds a complete class. Derived.

    >>> complete_patterns(11, 3, 3)
    12.0
    """
    return float(_complete(n, s, survivors))


@paper.claim("algorithm3.incomplete.derived", "Algorithm 3, beyond its guarantee")
def _() -> Cases:
    """With more than s stragglers Algorithm 3 finds a vector for as many sets of
    survivors as include a complete class: n=11, s=3, 3 survivors: 12 of 165."""
    for n, s, r in _SETS:
        theory = complete_patterns(n, s, r)
        yield finite("complete_patterns", theory, n=n, s=s, survivors=r)
        yield built("recovering_sets", theory, code=binary(n, s), survivors=r, decoder="class")


@paper.elementwise
def exact_patterns(n: int, s: int, survivors: int) -> float:
    """Number of sets of r survivors for which least squares is exact, k = n. Derived.

    >>> exact_patterns(11, 3, 3)
    36.0
    """
    return float(_exact(n, s, survivors))


@paper.claim("exact-patterns.derived", "Section IV, beyond its guarantee")
def _() -> Cases:
    """Least squares is exact iff one of the two divisions of the data has a survivor in
    each of its blocks: n=11, s=3, 3 survivors: 36 of 165 sets."""
    for n, s, r in _SETS:
        theory = exact_patterns(n, s, r)
        yield finite("exact_patterns", theory, code=binary(n, s), survivors=r)
        yield built("recovering_sets", theory, code=binary(n, s), survivors=r, decoder="optimal")


@paper.elementwise
def exact_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that the binary code decodes exactly, k = n. Derived.

    Stragglers iid with probability q: with a = 1−q^r and b = 1−q^(s+1−r),
    1 − (1−a^(ℓ+1))(1−b^ℓ) for r > 0 and (1−q^(s+1))^ℓ for r = 0. Given a number of survivors, all
    sets of so many are equally likely.

    >>> round(exact_probability(11, 3, p=0.2), 6)
    0.991429
    """
    blocks, r = blocks_and_remainder(n, s)
    check_given(n, survivors, p)
    if p is None:
        assert survivors is not None
        return _exact(n, s, survivors) / math.comb(n, survivors)
    if r == 0:
        return (1.0 - p ** (s + 1)) ** blocks
    first = (1.0 - p**r) ** (blocks + 1)
    second = (1.0 - p ** (s + 1 - r)) ** blocks
    return 1.0 - (1.0 - first) * (1.0 - second)


def _exact_cases(
    chance: Callable[..., Any],
    decoder: str,
    independent: tuple[tuple[int, int, float], ...],
    counted: tuple[tuple[int, int, int], ...],
) -> Cases:
    """Compare the probability of exactness at points (n, s, p) and (n, s, stragglers)."""
    laws = [(n, s, iid(p), chance(n, s, p=p)) for n, s, p in independent]
    laws += [(n, s, uniform(lost), chance(n, s, survivors=n - lost)) for n, s, lost in counted]
    for n, s, stragglers, theory in laws:
        experiment = decoding("exact", binary(n, s), stragglers, decoder=decoder)
        yield Case(point_of(experiment), theory, experiment, "exact")


_INDEPENDENT = ((*EXAMPLE, 0.2), (*EXAMPLE, 0.45), (12, 2, 0.3), (17, 4, 0.4))


@paper.claim("exact-probability.derived", "Section IV, beyond its guarantee")
def _() -> Cases:
    """For iid stragglers the code decodes exactly with probability
    1-(1-a^(l+1))(1-b^l), a = 1-q^r, b = 1-q^(s+1-r), and (1-q^(s+1))^l for r = 0;
    for a given number of survivors with the share of exact sets."""
    counted = ((*EXAMPLE, 8), (12, 2, 6), (17, 4, 9))
    independent = (*_INDEPENDENT, (20, 5, 0.35))
    return _exact_cases(exact_probability, "optimal", independent, counted)


@paper.elementwise
def class_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that Algorithm 3 alone decodes: some class is complete. Derived.

    Stragglers iid with probability q: 1 − (1−(1−q)^(ℓ+1))^r (1−(1−q)^ℓ)^(s+1−r). Given a number of
    survivors, all sets of so many are equally likely.

    >>> round(class_probability(11, 3, p=0.2), 6)
    0.958163
    """
    blocks, r = blocks_and_remainder(n, s)
    check_given(n, survivors, p)
    if p is None:
        assert survivors is not None
        return _complete(n, s, survivors) / math.comb(n, survivors)
    alive = 1.0 - p
    return 1.0 - (1.0 - alive ** (blocks + 1)) ** r * (1.0 - alive**blocks) ** (s + 1 - r)


@paper.claim("algorithm3.probability.derived", "Algorithm 3, beyond its guarantee")
def _() -> Cases:
    """For iid stragglers Algorithm 3 alone decodes with probability
    1-(1-p^(l+1))^r (1-p^l)^(s+1-r), p = 1-q; for a given number of survivors with
    the share of sets that include a complete class."""
    return _exact_cases(class_probability, "class", _INDEPENDENT, ((*EXAMPLE, 6),))


def _exact(n: int, s: int, survivors: int) -> int:
    """Number of sets of survivors, less those in which both divisions lack a block."""
    blocks, r = blocks_and_remainder(n, s)
    check_count("survivors", survivors, 0, n)
    lacking = [1]
    for holders, pieces in ((r, blocks + 1), (s + 1 - r, blocks)):
        if holders == 0:
            continue
        held = [math.comb(holders, i) for i in range(holders + 1)]
        covered = _power([0, *held[1:]], pieces)
        every = _power(held, pieces)
        lacking = _times(lacking, [a - b for a, b in zip(every, covered, strict=True)])
    return math.comb(n, survivors) - lacking[survivors]


def _complete(n: int, s: int, survivors: int) -> int:
    """Number of sets of survivors, less those in which every class lacks a worker."""
    blocks, r = blocks_and_remainder(n, s)
    check_count("survivors", survivors, 0, n)
    lacking = [1]
    for size, classes in ((blocks + 1, r), (blocks, s + 1 - r)):
        broken = [math.comb(size, i) for i in range(size)] + [0]
        lacking = _times(lacking, _power(broken, classes))
    return math.comb(n, survivors) - lacking[survivors]


def _times(a: list[int], b: list[int]) -> list[int]:
    """Product of two polynomials with whole coefficients."""
    product = np.convolve(np.array(a, dtype=object), np.array(b, dtype=object))
    return [int(x) for x in product]


def _power(a: list[int], exponent: int) -> list[int]:
    """Power of a polynomial with whole coefficients."""
    return functools.reduce(_times, [a] * exponent, [1])
