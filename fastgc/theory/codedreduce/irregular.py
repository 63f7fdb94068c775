"""CodedReduce on trees of any shape: load, stragglers survived, times. Derived (paper codedreduce).

Worker i is child of node ``parents[i]`` ≤ i, node 0 is the master and node i + 1 is worker i; every
parent waits for all but s of its children. A worker's whole task takes a unit exponential time.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import completion, timed, whole
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import Table, iid
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.time import Values
from fastgc.theory.common.arguments import check_count, check_not_negative, check_probabilities
from fastgc.theory.common.elementary import expm1
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.papers.claim import Cases

#: Children of a parent that a port's order of arrivals is enumerated for.
LARGEST_FAMILY = 6

_FLAT_AND_DEEP, _TWO_SIZES = (0, 0, 0, 1, 1), (0, 0, 0, 1, 1, 1, 2, 2)
_THREE_LAYERS = (0, 0, 1, 1, 1, 2, 2, 3, 3)
_TREES = (_FLAT_AND_DEEP, _TWO_SIZES, _THREE_LAYERS)


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
    check_probabilities(p=p)
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
    check_not_negative(receive=receive)
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
    Polynomial = list[int]

    def product(a: Polynomial, b: Polynomial) -> Polynomial:
        out = [0] * (len(a) + len(b) - 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                out[i + j] += x * y
        return out

    def added(a: Polynomial, b: Polynomial) -> Polynomial:
        return [x + y for x, y in itertools.zip_longest(a, b, fillvalue=0)]

    def below(node: int) -> tuple[Polynomial, Polynomial]:
        """Sets below a node that leave it enough, and the others."""
        by_lost: list[Polynomial] = [[1]]
        for child in children[node]:
            enough, few = below(child)
            answers, lost = enough, added(few, [0, *added(enough, few)])
            shifted = [product(p, answers) for p in by_lost] + [[0]]
            for i, p in enumerate(by_lost):
                shifted[i + 1] = added(shifted[i + 1], product(p, lost))
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
        check_count(f"parents[{worker}]", parent, 0, worker)
        children[int(parent)].append(worker + 1)
    check_count("s", s, 0)
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
    for chance in late:
        for i in range(s, -1, -1):
            counts[i] = counts[i] * (1.0 - chance) + (counts[i - 1] * chance if i else 0.0)
    return np.asarray(np.maximum(1.0 - sum(counts), 0.0))


def _in_time(sent: Values) -> Values:
    """P(at least i of the children are there by the i-th moment, for all i).

    ``sent`` is each child's chance, (children, moments, times), earliest moment first.
    """
    moments = sent.shape[1]
    found = np.zeros(sent.shape[2:])
    # by which moment each child is there; the last number is never
    steps = np.diff(sent, axis=1, prepend=0.0, append=1.0)
    for arrivals in itertools.product(range(moments + 1), repeat=len(sent)):
        if all(sum(a <= i for a in arrivals) > i for i in range(moments)):
            found = found + np.prod([step[a] for step, a in zip(steps, arrivals, strict=True)], 0)
    return found
