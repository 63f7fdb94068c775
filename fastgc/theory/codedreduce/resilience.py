"""Which stragglers a tree survives (codedreduce, Example 2, Remark 3).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.
"""

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import brute, built, finite
from fastgc.theory.cases.tables import Table, iid, tree, uniform
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree, tree_load, tree_size
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.papers.claim import Case, Cases
from fastgc.theory.papers.paper import at

#: The tree of Example 2, and the encoding matrix of (4).
_EXAMPLE = {"n": 3, "layers": 2, "s": 1}
_B = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]
#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000
Polynomial = list[int]


@paper.claim("example2.printed", "Example 2", category="number")
def _() -> Cases:
    """On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one straggler per parent
    give the exact sum (failures, load)."""
    yield finite("example_failures", 0, scale=256)
    yield finite("example_load", tree_load(3, 2, 1))
    yield built("undecoded_patterns", 0, 256, **_EXAMPLE, rows=_B)
    yield built("largest_share", tree_load(3, 2, 1), **_EXAMPLE)


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
    return _rows(1)


@paper.claim(
    "example2.rows.corrected",
    "Example 2, corrected",
    proof="The first row of A in (4) is [0, 1, 2], which takes nothing from child 1; [2, -1, 0] is "
    "the third.",
)
def _() -> Cases:
    """Children 1 and 2 are decoded with the third row of A, [2, -1, 0], children 1 and 3 with the
    second."""
    return _rows(3)


def _rows(row: int) -> Cases:
    yield finite("example_row", row, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=row, child=1)


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


@paper.claim("remark3.resilient.printed", "Remarks 2 and 3")
def _() -> Cases:
    """CR survives any s = alpha n stragglers below every parent, alpha N in all: all C(n,s)^(N/n)
    sets, and none of at most s below every parent is missed."""
    for n, layers, s in ((2, 2, 1), (3, 2, 1), (2, 3, 1)):
        sets = float(math.comb(n, s) ** (int(tree_size(n, layers)) // n))
        yield finite("spread_patterns_survived", sets, n=n, layers=layers, s=s)
        yield built("undecoded_patterns", 0, sets, n=n, layers=layers, s=s)


@paper.states("remark3.adversarial.printed", "Remark 3")
@at(
    [
        (n, layers, s, stragglers)
        for n, layers, s in ((12, 2, 5), (4, 3, 1), (3, 2, 1))
        for stragglers in (n, s + 1, s)
    ],
    brute("survives_first_layer"),
)
def _survives(n: int, layers: int, s: int, stragglers: int) -> float:
    """An adversary who makes stragglers of the master's children breaks CR (1 if it survives): all
    n of them are enough, s + 1 already, though not s."""
    return stragglers <= s


@paper.elementwise
def decodable_probability(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Probability that the master of the (n, L)-regular tree gets the exact gradient.

    It is counted for a given number of ``stragglers``, all sets alike, or follows by recursion for
    iid stragglers, each with probability ``p``.
    """
    check_tree(n, layers, s)
    if (stragglers is None) == (p is None):
        raise FastgcError(
            "stragglers, p: give exactly one, the number of stragglers or the probability to "
            "straggle"
        )
    if p is not None:
        check.probabilities(p=p)
        answers = 1.0 - p
        for _ in range(int(layers) - 1):
            answers = (1.0 - p) * _at_least(n, n - s, answers)
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
    large = {"n": 12, "layers": 2, "s": 5}
    for given in (
        large | {"stragglers": 65},
        {"n": 4, "layers": 3, "s": 1, "stragglers": 21},
        _EXAMPLE | {"stragglers": 4},
    ):
        yield finite("decodable_share", decodable_probability(**given), **given)
    yield finite("decodable_share", decodable_probability(12, 2, 5, p=5 / 12), **large, p=5 / 12)
    yield _decodable(tree(3, 2, 1), uniform(4), decodable_probability(3, 2, 1, stragglers=4))
    for *shape, p in ((12, 2, 5, 0.3), (12, 2, 5, 0.2), (4, 3, 1, 0.1)):
        yield _decodable(tree(*shape), iid(p), decodable_probability(*shape, p=p))


def _decodable(system: Table, stragglers: Table, theory: float) -> Case:
    return timed(completion(system, measure="decodable", stragglers=stragglers), theory)


def decodable_patterns(n: int, layers: int, s: int) -> Polynomial:
    """Number of sets of 0 … N stragglers that the (n, L)-regular tree survives."""
    answering: Polynomial = [1]
    size = 0
    for _ in range(layers):
        # a node that answers is no straggler; one that does not is everything else
        answering = [*answering, 0]
        size += 1
        silent = [math.comb(size, j) - count for j, count in enumerate(answering)]
        # Σ_{i ≤ s} C(n, i) answering^(n−i) silent^i by large whole numbers: evaluated at a power
        # of two so large that the coefficients do not touch
        size *= n
        bits = size + 2 * n + 2
        a, b = (sum(c << bits * j for j, c in enumerate(p)) for p in (answering, silent))
        total = sum(math.comb(n, i) * a ** (n - i) * b**i for i in range(s + 1))
        answering = [total >> bits * j & (1 << bits) - 1 for j in range(size + 1)]
    return answering


def _at_least(n: int, least: int, probability: float) -> float:
    return math.fsum(binomial_probabilities(int(n), probability)[int(least) :].tolist())
