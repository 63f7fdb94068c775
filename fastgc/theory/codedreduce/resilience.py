"""Trees of any shape, and which stragglers they survive (codedreduce, Examples, Remark 3).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.

Worker i is child of node ``parents[i]`` ≤ i, node 0 is the master and node i + 1 is worker i; every
parent waits for all but s of its children. A worker's whole task takes a unit exponential time.
"""

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.tables import Table, iid, tree, uniform
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import built_tree, check_tree, on_tree, tree_load, tree_size
from fastgc.theory.common import check
from fastgc.theory.common.numerics import (
    binomial_probabilities,
)
from fastgc.theory.papers.claim import Case, Cases

#: The encoding matrix of (4).
_B = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]
#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000
Polynomial = list[int]
_SMALL = ((2, 2, 1), (3, 2, 1), (2, 3, 1))


@paper.claim("example2.printed", "Example 2", category="number")
def _() -> Cases:
    """On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one straggler per parent
    give the exact sum (failures, load)."""
    yield finite("example_failures", 0, scale=256)
    yield finite("example_load", tree_load(3, 2, 1))
    yield built_tree("undecoded_patterns", 0, 3, 2, 1, scale=256, rows=_B)
    yield built_tree("largest_share", tree_load(3, 2, 1), 3, 2, 1)


@paper.claim(
    "example2.rows.printed",
    "Example 2, (4)",
    kind="misprint",
    category="arithmetic",
    printed="using the first row in A, it uploads m_(1,1) = [2, −1, 0][m_(2,1); m_(2,2); m_(2,3)] "
    "+ … using the second row of decoding matrix A and surviving children (1,1) and (1,3)",
)
def _() -> Cases:
    """Children 1 and 2 are decoded with the first row of A, [2, -1, 0], children 1 and 3 with the
    second."""
    yield finite("example_row", 1, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=1, child=1)


@paper.claim(
    "example2.rows.corrected",
    "Example 2, corrected",
    proof="The first row of A in (4) is [0, 1, 2], which takes nothing from child 1; [2, -1, 0] is "
    "the third.",
)
def _() -> Cases:
    """Children 1 and 2 are decoded with the third row of A, [2, -1, 0], children 1 and 3 with the
    second."""
    yield finite("example_row", 3, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=3, child=1)


@paper.claim(
    "example2.survivors.printed",
    "Example 2, node (1,1)",
    kind="misprint",
    category="arithmetic",
    printed="Node (1,1) can recover from any 2 surviving children, e.g. from (2,1) and (2,1)",
)
def _() -> Cases:
    """Node (1,1) recovers its gradient, with the row [2, -1, 0], from the messages of two children,
    which the text calls (2,1) and (2,1) (what the row takes from each)."""
    for child, coefficient in ((1, 2), (2, 0), (3, 0)):
        yield finite("example_coefficient", coefficient, row=3, child=child)


@paper.claim(
    "example2.survivors.corrected",
    "Example 2, corrected",
    proof="The two surviving children are (2,1) and (2,2): m_(1,1) is computed as 2 m_(2,1) - "
    "m_(2,2), and no row of A makes do with one child.",
)
def _() -> Cases:
    """It takes the messages of children (2,1) and (2,2) and of no other."""
    yield finite("example_row", 3, survivors=[1, 2])
    yield finite("example_coefficient", -1, row=3, child=2)
    yield finite("example_coefficient", 0, row=3, child=3)


# ---- which stragglers a tree survives (Remark 3)


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
        check.probabilities(p=p)
        answers = 1.0
        for layer in range(int(layers)):
            enough = _at_least(n, n - s, answers) if layer else 1.0
            answers = (1.0 - p) * enough
        return _at_least(n, n - s, answers)
    workers = int(tree_size(n, layers))
    assert stragglers is not None
    check.count("stragglers", stragglers, 0, workers)
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
    for *shape, stragglers in ((12, 2, 5, 65), (4, 3, 1, 21), (3, 2, 1, 4)):
        theory = decodable_probability(*shape, stragglers=stragglers)
        yield on_tree("decodable_share", theory, *shape, stragglers=stragglers)
    theory = decodable_probability(12, 2, 5, p=5 / 12)
    yield on_tree("decodable_share", theory, 12, 2, 5, p=5 / 12)
    yield _decodable(tree(3, 2, 1), uniform(4), decodable_probability(3, 2, 1, stragglers=4))
    for *shape, p in ((12, 2, 5, 0.3), (12, 2, 5, 0.2), (4, 3, 1, 0.1)):
        yield _decodable(tree(*shape), iid(p), decodable_probability(*shape, p=p))


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


def _decodable(system: Table, stragglers: Table, theory: float) -> Case:
    return timed(completion(system, measure="decodable", stragglers=stragglers), theory)


def _at_least(n: int, least: int, probability: float) -> float:
    return math.fsum(binomial_probabilities(int(n), probability)[int(least) :].tolist())


def _all_but(n: int, s: int, answering: Polynomial, silent: Polynomial) -> Polynomial:
    """Coefficients of Σ_{i ≤ s} C(n, i) answering^{n−i} silent^i, by large whole numbers."""
    # evaluated at a power of two so large that the coefficients do not touch
    degree = (len(answering) - 1) * n
    bits = degree + 2 * n + 2
    a, b = (sum(c << bits * j for j, c in enumerate(p)) for p in (answering, silent))
    total = sum(math.comb(n, i) * a ** (n - i) * b**i for i in range(s + 1))
    mask = (1 << bits) - 1
    return [total >> bits * j & mask for j in range(degree + 1)]


# ---- trees of any shape: load, stragglers survived, times. Derived
