"""Regular trees of workers, node by node: sizes, loads, and which stragglers they survive.

Node 0 is the master; the children of a node come together, layer by layer. A straggler sends
nothing, so its subtree is lost too; a parent answers if it is no straggler and all but s of its
children answer.

A data point is held by a set of workers. All sets of them are tried: those of which a worker always
reaches the master, whatever s children of every parent straggle; without ``needless``, only sets
from which no worker can be left out.
"""

import bisect
import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError
from fastgc.validation.finite.brute_force.counting import harmonic_difference

Children = list[list[int]]
#: All sets of more workers are too many to look at.
_MOST_WORKERS = 16


def tree_size(n: int, layers: int) -> int:
    """Count the workers one by one."""
    return len(children_of(n, layers)) - 1


def allocated_load(n: int, layers: int, s: int) -> Fraction:
    """Run CR.Allocate on a data set of size 1 and return the most that a worker holds."""
    return max(_allocated(n, layers, s))


def balanced_load(n: int, layers: int, s: int) -> Fraction:
    """Solve: what a leaf gets is r, where a node of a layer passes on a − b r of the data."""
    share = Fraction(s + 1, n)
    a, b = Fraction(1), Fraction(0)
    for _ in range(layers - 1):
        a, b = a * share, b * share + 1
    return a * share / (1 + b * share)


def star_to_tree_load(n: int, layers: int, s: int) -> Fraction:
    """Divide the load in a star of the tree's workers, sN/n stragglers, by that in the tree."""
    workers = sum(n**layer for layer in range(1, layers + 1))
    star = balanced_load(workers, 1, 0) * (Fraction(s * workers, n) + 1)
    return star / balanced_load(n, layers, s)


def gradients_computed(n: int, layers: int, s: int, samples: int) -> Fraction:
    """Add up the data points of all workers."""
    return sum(_allocated(n, layers, s), Fraction(0)) * samples


def largest_resilience(n: int, layers: int, load: float) -> float:
    """Return the largest s/n whose load is not above the given one; loads grow with s."""
    fails = bisect.bisect_right(range(n), Fraction(load), key=lambda s: balanced_load(n, layers, s))
    return max(fails - 1, 0) / n


def children_of(n: int, layers: int) -> Children:
    """Children of every node, the master's first."""
    inner = sum(n**layer for layer in range(layers))
    leaves: Children = [[] for _ in range(n**layers)]
    return [list(range(1 + n * node, 1 + n * (node + 1))) for node in range(inner)] + leaves


def _allocated(n: int, layers: int, s: int) -> list[Fraction]:
    # layer by layer: a child's subtree gets (s+1)/n of what its parent passes on; an inner node
    # keeps r of it, and a leaf all: r is such that what a leaf gets is r
    passed, held = Fraction(1), list[Fraction]()
    for layer in range(1, layers + 1):
        gets = passed * Fraction(s + 1, n)
        keeps = balanced_load(n, layers, s) if layer < layers else gets
        held += [keeps] * n**layer
        passed = gets - keeps
    return held


def spread_patterns_survived(n: int, layers: int, s: int) -> int:
    """Count the patterns of exactly s stragglers below every parent that the master survives."""
    children = children_of(n, layers)
    below = [itertools.combinations(own, s) for own in children if own]
    return sum(
        answers(children, set(itertools.chain.from_iterable(lost)), s)
        for lost in itertools.product(*below)
    )


def survives_first_layer(n: int, layers: int, s: int, stragglers: int) -> bool:
    """Tell whether the master has enough answers if so many of its own children straggle."""
    return answers(children_of(n, layers), set(range(1, stragglers + 1)), s)


def answers(children: Children, stragglers: set[int], s: int, node: int = 0) -> bool:
    """Tell whether a node, by default the master, is no straggler and has enough answers."""
    below = children[node]
    served = sum(answers(children, stragglers, s, child) for child in below)
    return node not in stragglers and (not below or served >= len(below) - s)


def decodable_share(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Share of the straggler sets that leave the master with n − s answers, child after child.

    Of the sets of so many stragglers, or of all sets weighed as for iid stragglers.
    """
    # of a subtree, and of siblings: how many sets by (how many answer, how many straggle)
    subtree = Counter({(1, 0): 1, (0, 1): 1})
    for _ in range(layers):
        siblings = Counter({(0, 0): 1})
        for _ in range(n):
            fewer, siblings = siblings, Counter()
            for (sent, lost), sets in fewer.items():
                for (more, others), times in subtree.items():
                    siblings[sent + more, lost + others] += sets * times
        below: Counter[tuple[int, int]] = Counter()
        for (sent, lost), sets in siblings.items():
            below[int(sent >= n - s), lost] += sets
        subtree = below.copy()
        for (_, lost), sets in below.items():
            subtree[0, lost + 1] += sets
    workers = tree_size(n, layers)
    if stragglers is not None:
        return below[1, stragglers] / math.comb(workers, stragglers)
    q = Fraction(p or 0)
    terms = (below[1, i] * q**i * (1 - q) ** (workers - i) for i in range(workers + 1))
    return float(sum(terms, Fraction(0)))


def least_load(n: int, layers: int, s: int) -> Fraction:
    """Minimise the load over all placements of the data, by a linear programme.

    Shares x_S ≥ 0 of the data are given to the sets S of workers of which one always reaches the
    master; Σ x_S = 1, and no worker holds more than the load.
    """
    workers = tree_size(n, layers)
    robust = surviving_sets(children_of(n, layers), s, needless=False)
    cost = np.append(np.zeros(len(robust)), 1.0)
    least = _optimum(cost, robust, np.zeros(workers), -np.ones((workers, 1)))
    # the optimum is rational with a small denominator; its float is good to 1e-9
    return Fraction(least).limit_denominator(10_000)


# the least cost of shares of the sets, which add up to 1, where no worker holds too much
def _optimum(cost: Values, sets: NDArray[np.int64], most: Values, more: Values) -> float:
    from scipy.optimize import linprog

    holds = (sets[None, :] >> np.arange(len(most))[:, None] & 1).astype(float)
    whole = np.append(np.ones(len(sets)), np.zeros(len(cost) - len(sets)))[None, :]
    found = linprog(cost, A_ub=np.hstack([holds, more]), b_ub=most, A_eq=whole, b_eq=[1.0])
    return float(found.fun)


def surviving_sets(children: Children, s: int, needless: bool = True) -> NDArray[np.int64]:
    """All sets of workers, bit j − 1 for worker j, of which one always reaches the master.

    Without ``needless`` only those from which no worker can be left out.
    """
    workers = len(children) - 1
    if workers > _MOST_WORKERS:
        raise FastgcError(f"tree: {workers} workers, and sets of {_MOST_WORKERS} can be tried")
    reaching = set()
    for lost in itertools.product(*(itertools.combinations(own, s) for own in children if own)):
        gone = set(itertools.chain.from_iterable(lost))
        for node, below in enumerate(children):
            if node in gone:
                gone.update(below)
        reaching.add(sum(1 << node - 1 for node in range(1, workers + 1) if node not in gone))
    sets = np.arange(1 << workers, dtype=np.int64)
    robust = np.ones(1 << workers, dtype=bool)
    for mask in reaching:
        robust &= sets & mask != 0
    if needless:
        return sets[robust]
    smallest = robust.copy()
    for worker in range(workers):
        with_it = sets[robust & (sets >> worker & 1 == 1)]
        smallest[with_it[robust[with_it ^ (1 << worker)]]] = False
    return sets[smallest]


def messages_at_once(n: int, layers: int, s: int) -> int:
    """Return the largest number of ports of a regular tree that receive at the same time.

    All workers take the same time for their own work; a port receives one message after the other,
    and a node sends its own once n − s of its children's have come.
    """
    children = children_of(n=n, layers=layers)
    sends = [0] * len(children)
    busy: Counter[int] = Counter()  # ports, by the moment at which a message begins
    for node in reversed(range(len(children))):
        free = 0
        for arrival in sorted(sends[child] for child in children[node])[: n - s]:
            start = max(free, arrival)
            busy[start] += 1
            free = start + 1
        sends[node] = free
    return max(busy.values())


# ---- where data may be placed so that it reaches the master: the steps of a lower bound


def share_of_subtree(n: int, layers: int, s: int, layer: int) -> Fraction:
    """Share of the data in a subtree that begins in this layer, added up from the leaves.

    A node holds as much as every other, and each data point below it is in s + 1 of n subtrees.
    """
    load = balanced_load(n, layers, s)
    share = load
    for _ in range(layers - layer):
        share = load + share * n / (s + 1)
    return share


def fewest_subtrees(n: int, layers: int, s: int) -> int:
    """Of how many subtrees of the master's children a data point is in one of at least."""
    children = children_of(n, layers)
    held = [_in_subtree(children, surviving_sets(children, s), child) for child in children[0]]
    return int(np.sum(held, axis=0).min())


def fewest_below(n: int, layers: int, s: int, needless: bool) -> int:
    """Of how many subtrees of a worker's children a data point is at least.

    Of all points that are in the worker's own subtree, and not held by the worker itself; of all
    workers with children.
    """
    children, least = children_of(n, layers), n
    sets = surviving_sets(children, s, needless)
    for node, below in enumerate(children):
        if node and below:
            held = np.sum([_in_subtree(children, sets, child) for child in below], axis=0)
            counted = _in_subtree(children, sets, node) & (sets >> node - 1 & 1 == 0)
            least = min(least, int(held[counted].min(initial=n)))
    return least


def largest_subtree(n: int, layers: int, s: int, load: float, layer: int) -> float:
    """The most that a subtree of this layer can hold if no worker has more than the load.

    By a linear programme over all placements without needless copies.
    """
    children = children_of(n, layers)
    sets = surviving_sets(children, s, needless=False)
    cost = -_in_subtree(children, sets, tree_size(n, layer - 1) + 1).astype(float)
    workers = len(children) - 1
    return -_optimum(cost, sets, np.full(workers, load), np.zeros((workers, 0)))


def _in_subtree(children: Children, sets: NDArray[np.int64], node: int) -> Mask:
    own = [node]
    for each in own:
        own += children[each]
    return np.asarray(sets & sum(1 << each - 1 for each in own) != 0)


# ---- what paper codedreduce prints: an example with its matrices, and sizes of data
#
# Example 2 runs message by message with the matrices printed in (4). Which row of the decoding
# matrix is used follows from where its zeros are, never from what it decodes: a wrong entry of
# either matrix makes a wrong sum.


#: Row i of the encoding matrix: what child i sends of three partitions. Floats are exact here.
ENCODING = np.array([[0.5, 1.0, 0.0], [0.0, 1.0, -1.0], [0.5, 0.0, 1.0]])
#: Rows of the decoding matrix.
DECODING = ((0, 1, 2), (1, 0, 1), (2, -1, 0))

#: Data points and features of the figures' data.
DATA = {8: (6552, 5001), 10: (7644, 6500), 12: (32760, 5000)}
DATA |= {9: DATA[8], 11: DATA[10]}


def example_row(survivors: Sequence[int]) -> int:
    """Number of the first row of A that is 0 for all but these children."""
    used = [{child for child, a in enumerate(row, 1) if a} for row in DECODING]
    return next((i for i, children in enumerate(used, 1) if children <= set(survivors)), 0)


def example_coefficient(row: int, child: int) -> Fraction:
    """By what a row of A multiplies a child's message."""
    return Fraction(DECODING[row - 1][child - 1])


def example_failures() -> int:
    """Example 2: count the patterns of at most one straggler per parent that are not decoded.

    A pattern is the straggling child, 0 for none, of the master and of its three children. It is
    decoded if the master's sum has 1 of every one of 15 data points.
    """
    allocated = list(map(_allocation, range(3)))
    failures = 0
    for master, *others in itertools.product(range(4), repeat=4):
        pairs = zip(allocated, others, strict=True)
        messages = [_recovered(leaves, lost) + own for (own, leaves), lost in pairs]
        failures += not np.array_equal(_recovered(np.array(messages), master), np.ones(15))
    return failures


def example_load() -> Fraction:
    """Example 2: the largest share of the data points that a worker holds."""
    held = [each for own, leaves in map(_allocation, range(3)) for each in (own, *leaves)]
    return Fraction(max(int(np.count_nonzero(each)) for each in held), 15)


def _allocation(subtree: int) -> tuple[Values, Values]:
    """What a child of the master and its three children hold, each of 15 points by its factor.

    CR.Allocate with 4 of 15 points.
    """

    def cut(data: Values, parts: int) -> Values:
        out = np.zeros((parts, 15))
        for part, points in zip(out, np.split(np.flatnonzero(data), parts), strict=True):
            part[points] = data[points]
        return out

    sets = cut(ENCODING[subtree] @ cut(np.ones(15), 3), 5)
    return sets[0] + sets[1], ENCODING @ sets[2:]


def _recovered(messages: Values, straggler: int) -> Values:
    """Combine the survivors' messages with the first row that is 0 at the straggler."""
    number = example_row([child for child in (1, 2, 3) if child != straggler])
    return np.asarray(np.array(DECODING[number - 1]) @ messages if number else np.zeros(15))


def times_as_large(samples: int, features: int, figure: int) -> Fraction:
    """How many times as many numbers such data have as a figure's."""
    return Fraction(samples * features, math.prod(DATA[figure]))


def features_of_figure(figure: int) -> int:
    """Features of a figure's data, as its own section or caption has them."""
    return DATA[figure][1]


def speedup_over(first: float, second: float) -> float:
    """How many times as long as the second the first takes, by what a third is faster than both."""
    return first / second


# ---- times of coded trees without ports, by Beta laws
#
# Workers' own times are exponential with mean 1. T_(n−s) is the time at which n − s of n siblings
# have done their own work; T~ is the largest T_(n−s) of all groups of siblings, T the tree's time.
# The conditional means are those of trees of two layers, which have n + 1 groups.


#: Nodes of a Gauss rule on each piece: of deep trees' steep tails, of gaps.
_NODES, _FEW = 160, 64
_gauss = functools.cache(np.polynomial.legendre.leggauss)


def tree_time_mean(n: int, layers: int, s: int) -> float:
    """Mean time of a regular tree: a node is late if it is itself, or if more than s children are.

    More than s of n are late with the probability of a Beta law.
    """

    def late(t: Values) -> Values:
        node = own = np.exp(-t)
        for _ in range(layers - 1):
            node = own + (1 - own) * _more_than(n, s, node)
        return _more_than(n, s, node)

    return _integral(late, _pieces(n, s))


def late_group_exponent(n: int, s: int, groups: int = 1) -> float:
    """−log P(T_(n−s) > E T_(n−s) + n^(−1/4)) in at least one of so many groups."""
    return -math.log(late_group_chance(n, s, n**-0.25, groups))


def late_group_chance(n: int, s: int, epsilon: float, groups: int = 1) -> float:
    """P(T_(n−s) > E T_(n−s) + ε) in at least one of so many groups."""
    return float(_group_late(n, s, groups, np.array(harmonic_difference(n, s) + epsilon)))


def concentrated_mean(n: int, s: int) -> float:
    """E[T | T~ ≤ c] in a tree of two layers, c = E T_(n−s) + n^(−1/4)."""
    c = _limit(n, s)
    whole = _within(n, s, c)
    pieces = [p for p in _pieces(n, s) if p < c] + [c]  # T is never later than T~
    return _integral(lambda t: whole - _done_within(n, s, t, c), pieces) / whole


def scattered_mean(n: int, s: int) -> float:
    """E[T | T~ > c] in a tree of two layers."""
    c, high = _limit(n, s), 60.0
    probability = _within(n, s, high) - _within(n, s, c)

    def late(t: Values) -> Values:
        return probability - _done_within(n, s, t, high) + _done_within(n, s, t, c)

    return _integral(late, _pieces(n, s, c)) / probability


def slowest_group_share(n: int, groups: int, s: int, above: float) -> float:
    """E[T~; T~ > above] of so many groups."""
    late = functools.partial(_group_late, n, s, groups)
    probability = float(late(np.array(above)))
    pieces = [above, *(p for p in _pieces(n, s) if p > above)]
    return above * probability + _integral(late, pieces)


def very_late_share(n: int, groups: int, s: int, above: float) -> float:
    """P(T~ > above | T~ > c), c = E T_(n−s) + n^(−1/4)."""
    late = _group_late(n, s, groups, np.maximum([above, 0.0], _limit(n, s)))
    return float(late[0] / late[1])


def _limit(n: int, s: int) -> float:
    return harmonic_difference(n, s) + float(n**-0.25)


def gap_moment(n: int, i: int, power: int) -> float:
    """E[(T_(i) − T_(i−1))^power] of n siblings, T_(0) = 0, from their joint law.

    All that are left when T_(i−1) is t are later than t + x where the gap is more than x.
    """
    left = n - i + 1
    nodes, weights = _gauss(_FEW)
    pieces = list(itertools.pairwise(_pieces(n, left)))
    t = np.concatenate([low + (high - low) / 2 * (nodes + 1) for low, high in pieces])
    # the density of T_(i−1) at t is this times P(n − i + 1 are later than t)
    logs = math.lgamma(n + 1) - math.lgamma(max(i - 1, 1)) - math.lgamma(left + 1)
    density = np.exp(logs + (i - 2) * np.log(-np.expm1(-t)) - t)
    density *= np.concatenate([(high - low) / 2 * weights for low, high in pieces])

    def more(x: Values) -> Values:
        if i == 1:
            return np.asarray(np.exp(-x) ** n)
        return np.asarray(np.exp(-(t + x[:, None])) ** left @ density)

    ends = [end / left for end in (0, 5, 20, 60)]
    return _integral(lambda x: power * x ** (power - 1) * more(x), ends, _FEW)


def gap_squares(n: int, s: int) -> float:
    """Add up E[(T_(i) − T_(i−1))²] for i ≤ n − s."""
    return math.fsum(gap_moment(n, i, 2) for i in range(1, n - s + 1))


def _more_than(n: int, s: int, late: Values) -> Values:
    from scipy.special import betainc

    return np.asarray(betainc(s + 1, n - s, np.clip(late, 0.0, 1.0)))


def _group_late(n: int, s: int, groups: int, t: Values) -> Values:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(groups * np.log1p(-_more_than(n, s, np.exp(-t)))))


def _within(n: int, s: int, limit: float) -> float:
    late = _more_than(n, s, np.exp(-np.array([limit])))
    return float(np.exp((n + 1) * np.log1p(-late))[0])


# P(T ≤ t, T~ ≤ limit)
def _done_within(n: int, s: int, t: Values, limit: float) -> Values:
    t = np.minimum(t, limit)
    lower = 1 - _more_than(n, s, np.exp(-np.array([limit])))
    both = (1 - np.exp(-t)) * (1 - _more_than(n, s, np.exp(-t))) / lower
    return np.asarray(np.exp(n * np.log(lower)) * _more_than(n, n - s - 1, both))


def _pieces(n: int, s: int, *more: float) -> list[float]:
    """Moments between which tails are smooth: they fall within some 1/√n of the mean."""
    mean, width = harmonic_difference(n, s), 1 / math.sqrt(n)
    steps = [mean + width * x for x in (-8, -4, -2, -1, 0, 1, 2, 4, 8, 16)]
    return sorted({0.0, *(p for p in steps if 0 < p < 50), *more, mean + 3.0, mean + 9.0, 60.0})


def _integral(
    function: Callable[[Values], Values], pieces: Sequence[float], count: int = _NODES
) -> float:
    nodes, weights = _gauss(count)
    halves = ((low, (high - low) / 2) for low, high in itertools.pairwise(pieces))
    return math.fsum(half * float(weights @ function(x + half * (nodes + 1))) for x, half in halves)
