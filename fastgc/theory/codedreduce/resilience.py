"""Which stragglers a tree survives (paper codedreduce, Remark 3).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, star, timed, tree
from fastgc.theory.cases.tables import Table, iid, uniform
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import built_tree, check_tree, on_tree, tree_size
from fastgc.theory.common.arguments import check_count, check_probabilities
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.papers.claim import Case, Cases

#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000

Polynomial = list[int]

_SMALL = ((2, 2, 1), (3, 2, 1), (2, 3, 1))
#: n, layers, s and the share s/n of all workers.
_SPREAD = ((12, 2, 5, 65), (4, 3, 1, 21), (3, 2, 1, 4))


@paper.elementwise
def spread_patterns(n: int, layers: int, s: int) -> float:
    """Number C(n, s)^(N/n) of sets of s stragglers below each of N/n parents. Textbook.

    >>> spread_patterns(3, 2, 1)
    81.0
    """
    check_tree(n, layers, s)
    parents = int(tree_size(n, layers)) // int(n)
    return float(math.comb(int(n), int(s)) ** parents)


@paper.claim("remark3.resilient.printed", "Remarks 2 and 3")
def _() -> Cases:
    """CR survives any s = alpha n stragglers below every parent, alpha N in all: all C(n,s)^(N/n)
    sets, and none of at most s below every parent is missed."""
    for shape in _SMALL:
        yield on_tree("spread_patterns_survived", spread_patterns(*shape), *shape)
        yield built_tree("undecoded_patterns", 0, *shape, scale=spread_patterns(*shape))


@paper.claim("remark3.adversarial.printed", "Remark 3")
def _() -> Cases:
    """An adversary who makes stragglers of the master's children breaks CR (1 if it survives): all
    n of them are enough, s + 1 already, though not s."""
    for n, layers, s in ((12, 2, 5), (4, 3, 1), (3, 2, 1)):
        for stragglers, survives in ((n, 0.0), (s + 1, 0.0), (s, 1.0)):
            yield on_tree("survives_first_layer", survives, n, layers, s, stragglers=stragglers)


@paper.elementwise
def breaking_stragglers(n: int, layers: int, s: int) -> float:
    """Fewest stragglers that break CR: s + 1 children of the master (Remark 3). Derived.

    >>> breaking_stragglers(12, 2, 5)
    6.0
    """
    check_tree(n, layers, s)
    return s + 1


@paper.claim("remark3.fewest.derived", "Remark 3, made exact")
def _() -> Cases:
    """s + 1 stragglers, children of the master, break CR, and no fewer."""
    for shape in _SMALL:
        yield on_tree("breaking_stragglers", breaking_stragglers(*shape), *shape)
        yield built_tree("fewest_that_break", breaking_stragglers(*shape), *shape)


@paper.elementwise
def decodable_probability(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Probability that the master of the (n, L)-regular tree gets the exact gradient.

    It is counted for a given number of ``stragglers``, all sets alike, or follows by recursion for
    iid stragglers, each with probability ``p``.

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


@paper.claim("remark3.random.derived", "Remark 3, extended to stragglers at random")
def _() -> Cases:
    """A straggler's subtree is lost too: of alpha N random stragglers CR on the (12,2)-regular
    tree, s = 5, survives 4.083 %; of iid stragglers with p = 5/12 9.94 %, with .3 71.0 %, with .2
    97.2 %."""
    for *shape, stragglers in _SPREAD:
        chance = decodable_probability(*shape, stragglers=stragglers)
        yield on_tree("decodable_share", chance, *shape, stragglers=stragglers)
    chance = decodable_probability(12, 2, 5, p=5 / 12)
    yield on_tree("decodable_share", chance, 12, 2, 5, p=5 / 12)
    yield _decodable(tree(3, 2, 1), uniform(4), decodable_probability(3, 2, 1, stragglers=4))
    for *shape, p in ((12, 2, 5, 0.3), (12, 2, 5, 0.2), (4, 3, 1, 0.1)):
        yield _decodable(tree(*shape), iid(p), decodable_probability(*shape, p=p))


@paper.elementwise
def star_decodable_probability(n: int, s: int, p: float) -> float:
    """Probability that at most s of n iid stragglers straggle: gradient coding succeeds.

    >>> round(star_decodable_probability(156, 65, 5 / 12), 3)
    0.534
    """
    check_tree(n, 1, s)
    check_probabilities(p=p)
    return _at_least(n, n - s, 1.0 - p)


@paper.claim("remark3.star.derived", "Remark 3, extended")
def _() -> Cases:
    """Gradient coding survives iid stragglers as often as at most S straggle."""
    chance = star_decodable_probability(156, 65, 5 / 12)
    yield on_tree("decodable_share", chance, 156, 1, 65, p=5 / 12)
    for n, s, p in ((156, 65, 0.35), (12, 5, 0.3), (84, 21, 0.2)):
        yield _decodable(star(n, s), iid(p), star_decodable_probability(n, s, p))


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


@paper.claim("remark3.sets.derived", "Remark 3, extended")
def _() -> Cases:
    """The sets of stragglers that a tree survives are counted by the polynomials sum_(i <= s)
    C(n,i) A^(n-i) (T - A)^i, A for a child that answers, T for all sets."""
    for n, layers, s, stragglers in ((3, 2, 1, 4), (2, 3, 1, 4), (3, 2, 2, 6)):
        survived = decodable_patterns(n, layers, s)[stragglers]
        yield on_tree("decodable_sets", survived, n, layers, s, stragglers=stragglers)
        yield built_tree("decoded_sets", survived, n, layers, s, stragglers=stragglers)


def _decodable(system: Table, stragglers: Table, theory: float) -> Case:
    return timed(completion(system, measure="decodable", stragglers=stragglers), theory)


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
