"""Trees of any shape, and which stragglers they survive (codedreduce, Examples, Remark 3).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.

Worker i is child of node ``parents[i]`` ≤ i, node 0 is the master and node i + 1 is worker i; every
parent waits for all but s of its children. A worker's whole task takes a unit exponential time.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import Table, iid, star, tree, uniform, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import built_tree, check_tree, on_tree, tree_load, tree_size
from fastgc.theory.common import check
from fastgc.theory.common.numerics import (
    binomial_probabilities,
    expm1,
    half_line,
    polynomial_product,
)
from fastgc.theory.papers.claim import Case, Cases

#: The encoding matrix of (4).
_B = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]
#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000
Polynomial = list[int]
_SMALL = ((2, 2, 1), (3, 2, 1), (2, 3, 1))
#: Children of a parent that a port's order of arrivals is enumerated for.
LARGEST_FAMILY = 6
_FLAT_AND_DEEP, _TWO_SIZES = (0, 0, 0, 1, 1), (0, 0, 0, 1, 1, 1, 2, 2)
_THREE_LAYERS = (0, 0, 1, 1, 1, 2, 2, 3, 3)
_TREES = (_FLAT_AND_DEEP, _TWO_SIZES, _THREE_LAYERS)


@paper.claim("example1.printed", "Example 1 and (4)", category="arithmetic")
def _() -> Cases:
    """With the matrices (4) any two of three workers give the sum of all three partial gradients
    (largest deviation of a coefficient from 1, decoded with the row of A that is 0 at the third;
    and the patterns that fastgc's least squares do not decode)."""
    for straggler in (1, 2, 3):
        yield finite("example_error", 0, straggler=straggler)
    yield built("undecoded_patterns", 0, scale=4, n=3, layers=1, s=1, rows=_B)


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


@paper.elementwise
def star_decodable_probability(n: int, s: int, p: float) -> float:
    """Probability that at most s of n iid stragglers straggle: gradient coding succeeds.

    >>> round(star_decodable_probability(156, 65, 5 / 12), 3)
    0.534
    """
    check_tree(n, 1, s)
    check.probabilities(p=p)
    return _at_least(n, n - s, 1.0 - p)


@paper.claim("remark3.star.derived", "Remark 3, extended")
def _() -> Cases:
    """Gradient coding survives iid stragglers as often as at most S straggle."""
    theory = star_decodable_probability(156, 65, 5 / 12)
    yield on_tree("decodable_share", theory, 156, 1, 65, p=5 / 12)
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


@paper.formula
def irregular_load(parents: Sequence[int], s: int) -> float:
    """Least load with which a tree of any shape survives s stragglers below every parent.

    A subtree holds 1 + m times a worker's load, where what its root passes on is at most
    m = min over j ≤ s of the capacities of all but the j largest children, over s + 1 − j: every
    point that is passed on is in s + 1 of them. The master passes on everything.

    >>> irregular_load([0, 0, 0, 1, 1], 1)
    0.5
    """
    children = _children(parents, s)

    def passed_on(node: int) -> Fraction:
        held = sorted(1 + passed_on(child) if children[child] else Fraction(1)
                      for child in children[node])  # fmt: skip
        return min(sum(held[: len(held) - j], Fraction(0)) / (s + 1 - j) for j in range(s + 1))

    return float(1 / passed_on(0))


@paper.claim("irregular.load.derived", "Theorem 1, on trees of any shape")
def _() -> Cases:
    """No placement of the data that survives s stragglers per parent has less load than 1/m, where
    m = min over j <= s of (capacities of all but the j largest children)/(s + 1 - j), a leaf has
    the capacity 1 and another child 1 + m of its own; and one placement has it."""
    for parents in _TREES:
        given: Table = {"parents": list(parents), "s": 1}
        yield finite("least_load", irregular_load(parents, 1), **given)
        yield built("largest_share", irregular_load(parents, 1), **given)
        yield timed(completion(_tree(parents), measure="load"), irregular_load(parents, 1))


@paper.claim("irregular.resilient.derived", "Remark 3, on trees of any shape")
def _() -> Cases:
    """On trees of any shape all patterns of at most s stragglers per parent give the exact sum."""
    for parents in _TREES:
        yield built("undecoded_patterns", 0, scale=64, parents=list(parents), s=1)


@paper.claim("irregular.sets.derived", "Remark 3, on trees of any shape")
def _() -> Cases:
    """The sets of stragglers that give the exact sum are those that leave all but s children to the
    master, a child being lost if it straggles or has not all but s of its own."""
    for parents, stragglers in zip(_TREES, (3, 3, 4), strict=True):
        given: Table = {"parents": list(parents), "s": 1, "stragglers": stragglers}
        sets = survived_sets(parents, 1)[stragglers]
        yield finite("decodable_sets", sets, **given)
        yield built("decoded_sets", sets, **given)


@paper.formula
def irregular_decodable_probability(parents: Sequence[int], s: int, p: float) -> float:
    """Probability that the master gets the exact gradient where each worker straggles with p.

    >>> round(irregular_decodable_probability([0, 0, 0, 1, 1], 1, 0.5), 6)
    0.4375
    """
    check.probabilities(p=p)
    children = _children(parents, s)

    def enough(node: int) -> float:
        lost = [1.0 - (1.0 - p) * enough(child) for child in children[node]]
        return 1.0 - float(_more_late(np.array(lost)[:, None], s)[0]) if lost else 1.0

    return enough(0)


@paper.claim("irregular.decodable.derived", "Remark 3, on trees of any shape")
def _() -> Cases:
    """Of iid stragglers such a tree survives the share that the recursion over its nodes gives."""
    for parents, p in zip(_TREES, (0.5, 0.2, 0.1), strict=True):
        theory = irregular_decodable_probability(parents, 1, p)
        yield timed(completion(_tree(parents), measure="decodable", stragglers=iid(p)), theory)


@paper.formula
def irregular_mean(
    parents: Sequence[int], s: int, receive: float = 0.0, opens: str = "start"
) -> float:
    """Mean time of a tree of any shape, its ports taking ``receive`` for a message.

    The i-th of k messages must arrive receive·(k − i + 1) before the end: all ways for children to
    arrive between these moments are added up. With ``opens`` "after-own" a node receives once its
    own work is done.

    >>> round(irregular_mean([0, 0, 0, 1, 1], 1), 9)
    0.9
    """
    check.not_negative(receive=receive)
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    children = _children(parents, s)

    def received(node: int, t: Values) -> Values:
        """P(a node has what it needs of its children by t)."""
        need = len(children[node]) - s
        lags = [receive * (need - i) for i in range(need)] if receive else [0.0]
        sent = np.array([[_sent(child, t - lag) for lag in lags] for child in children[node]])
        if not receive:
            return np.asarray(1.0 - _more_late(1.0 - sent[:, 0], s))
        return _in_time(sent)

    def _sent(node: int, t: Values) -> Values:
        below = children[node]
        busy = receive * (len(below) - s) if below and opens == "after-own" else 0.0
        own = -expm1(-np.maximum(t - busy, 0.0))
        return np.asarray(own * received(node, t) if below else own)

    def late(t: Values) -> Values:
        return np.asarray(1.0 - received(0, t))

    if not receive:
        return half_line(late, 0.0, 1.0)
    # kinks are at whole numbers of messages, no more of them than there are workers
    nodes, weights = np.polynomial.legendre.leggauss(48)
    steps = len(parents) + 1
    before = sum(
        receive / 2 * float(weights @ late(receive * (step + (nodes + 1) / 2)))
        for step in range(steps)
    )
    return before + half_line(late, steps * receive, 1.0)


@paper.claim("irregular.mean.derived", "Section III-C, on trees of any shape, t_c = 0")
def _() -> Cases:
    """Without a port a node is late if it is itself, or if more than s of its children are: E T_CR
    is 9/10 on the tree with three children of the master, two below the first, and s = 1."""
    for parents in _TREES:
        yield timed(completion(whole(_tree(parents))), irregular_mean(parents, 1))


@paper.claim("irregular.port.derived", "Section III-C, on trees of any shape, with ports")
def _() -> Cases:
    """With ports the i-th of a node's k messages must arrive (k-i+1) t_c before it has all, also
    where children are unlike."""
    for parents, t in zip(_TREES, (0.3, 0.2, 0.5), strict=True):
        for opens in ("start", "after-own"):
            experiment = completion(whole(_tree(parents)), receive=t, opens=opens)
            yield timed(experiment, irregular_mean(parents, 1, t, opens))


def survived_sets(parents: Sequence[int], s: int) -> list[int]:
    """Number of sets of 0 … N stragglers that leave the master all but s of its children.

    >>> survived_sets([0, 0], 1)
    [1, 2, 0]
    """
    children = _children(parents, s)

    def added(a: Polynomial, b: Polynomial) -> Polynomial:
        return [x + y for x, y in itertools.zip_longest(a, b, fillvalue=0)]

    def below(node: int) -> tuple[Polynomial, Polynomial]:
        """Sets below a node that leave it enough, and the others."""
        by_lost: list[Polynomial] = [[1]]
        for child in children[node]:
            enough, few = below(child)
            answers, lost = enough, added(few, [0, *added(enough, few)])
            shifted = [polynomial_product(p, answers) for p in by_lost] + [[0]]
            for i, p in enumerate(by_lost):
                shifted[i + 1] = added(shifted[i + 1], polynomial_product(p, lost))
            by_lost = shifted
        kept: Polynomial = [0]
        gone: Polynomial = [0]
        for lost_children, p in enumerate(by_lost):
            if lost_children <= s:
                kept = added(kept, p)
            else:
                gone = added(gone, p)
        return kept, gone

    found = below(0)[0]
    return found + [0] * (len(parents) + 1 - len(found))


def _tree(parents: Sequence[int]) -> Table:
    return {"family": "coded-reduce", "parents": list(parents), "s": 1}


def _children(parents: Sequence[int], s: int) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for worker, parent in enumerate(parents):
        check.count(f"parents[{worker}]", parent, 0, worker)
        children[int(parent)].append(worker + 1)
    check.count("s", s, 0)
    for node, own in enumerate(children):
        if 0 < len(own) <= s or len(own) > LARGEST_FAMILY or not (own or node):
            raise FastgcError(
                f"parents: node {node} has {len(own)} children, but more than s = {s} and at most "
                f"{LARGEST_FAMILY} are needed"
            )
    return children


def _more_late(late: Values, s: int) -> Values:
    """P(more than s of some children are late), children along the first axis."""
    counts = [np.ones(late.shape[1:])] + [np.zeros(late.shape[1:]) for _ in range(s)]
    for p in late:
        for i in range(s, -1, -1):
            counts[i] = counts[i] * (1.0 - p) + (counts[i - 1] * p if i else 0.0)
    return np.asarray(np.maximum(1.0 - sum(counts), 0.0))


def _in_time(sent: Values) -> Values:
    """P(at least i of the children are there by the i-th moment, for all i).

    ``sent`` is each child's probability, (children, moments, times), earliest moment first.
    """
    moments = sent.shape[1]
    found = np.zeros(sent.shape[2:])
    # by which moment each child is there; the last number is never
    steps = np.diff(sent, axis=1, prepend=0.0, append=1.0)
    for arrivals in itertools.product(range(moments + 1), repeat=len(sent)):
        if all(sum(a <= i for a in arrivals) > i for i in range(moments)):
            found = found + np.prod([step[a] for step, a in zip(steps, arrivals, strict=True)], 0)
    return found
