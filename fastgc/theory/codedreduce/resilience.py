"""Which stragglers a tree survives (paper codedreduce, Remark 3).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.codedreduce.load import check_tree, tree_size
from fastgc.theory.common.arguments import check_count, check_probabilities, elementwise
from fastgc.theory.common.combinatorics import binomial_probabilities

#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000

Polynomial = list[int]


@elementwise
def decodable_probability(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Probability that the master of the (n, L)-regular tree gets the exact gradient.

    Given so many stragglers, all sets alike (exact counts), or for iid stragglers (recursion).

    >>> round(decodable_probability(12, 2, 5, stragglers=65), 5)
    0.04083
    >>> round(decodable_probability(12, 2, 5, p=0.3), 3)
    0.71
    """
    check_tree(n, layers, s)
    if (stragglers is None) == (p is None):
        raise FastgcError(
            "stragglers, p: give exactly one, the number of stragglers or the probability to "
            "straggle"
        )
    if p is not None:
        check_probabilities(p=p)
        answers = 1.0
        for layer in range(int(layers)):
            enough = _at_least(n, n - s, answers) if layer else 1.0
            answers = (1.0 - p) * enough
        return _at_least(n, n - s, answers)
    workers = int(tree_size(n, layers))
    assert stragglers is not None
    check_count("stragglers", stragglers, 0, workers)
    if workers > LARGEST_TREE:
        raise FastgcError(
            f"n, layers: got a tree of {workers} workers, but patterns are counted up to "
            f"{LARGEST_TREE}; give p instead"
        )
    patterns = decodable_patterns(int(n), int(layers), int(s))
    return patterns[int(stragglers)] / math.comb(workers, int(stragglers))


def decodable_patterns(n: int, layers: int, s: int) -> Polynomial:
    """Number of sets of 0 … N stragglers that the (n, L)-regular tree survives.

    >>> decodable_patterns(2, 1, 1)
    [1, 2, 0]
    """
    answering: Polynomial = [1]
    size = 0
    for _ in range(layers):
        # a node that answers is no straggler; one that does not is everything else
        answering = [*answering, 0]
        size += 1
        silent = [math.comb(size, j) - count for j, count in enumerate(answering)]
        answering = _all_but(n, s, answering, silent)
        size *= n
    return answering


@elementwise
def star_decodable_probability(n: int, s: int, p: float) -> float:
    """Probability that at most s of n iid stragglers straggle: gradient coding succeeds.

    >>> round(star_decodable_probability(156, 65, 5 / 12), 3)
    0.534
    """
    check_tree(n, 1, s)
    check_probabilities(p=p)
    return _at_least(n, n - s, 1.0 - p)


@elementwise
def breaking_stragglers_printed(n: int, layers: int, s: int) -> float:
    """Fewest stragglers that break CR, αN + 1 as for GC (codedreduce, Remark 3). Wrong.

    >>> breaking_stragglers_printed(12, 2, 5)
    66.0
    """
    check_tree(n, layers, s)
    return s * float(tree_size(n, layers)) / n + 1


@elementwise
def breaking_stragglers(n: int, layers: int, s: int) -> float:
    """Fewest stragglers that break CR: s + 1 children of the master (Remark 3, corrected).

    >>> breaking_stragglers(12, 2, 5)
    6.0
    """
    check_tree(n, layers, s)
    return s + 1


def _at_least(n: int, least: int, chance: float) -> float:
    return math.fsum(binomial_probabilities(int(n), chance)[int(least) :].tolist())


def _all_but(n: int, s: int, answering: Polynomial, silent: Polynomial) -> Polynomial:
    """Coefficients of Σ_{i ≤ s} C(n, i) answering^{n−i} silent^i, by large whole numbers."""
    # evaluated at a power of two so large that the coefficients do not touch
    degree = (len(answering) - 1) * n
    bits = degree + 2 * n + 2
    a, b = (sum(c << bits * j for j, c in enumerate(p)) for p in (answering, silent))
    total = sum(math.comb(n, i) * a ** (n - i) * b**i for i in range(s + 1))
    mask = (1 << bits) - 1
    return [total >> bits * j & mask for j in range(degree + 1)]
