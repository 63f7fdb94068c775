"""Regular trees of workers walked node by node: sizes, allocations, straggler sets, placements.

Node 0 is the master; the children of a node come together, layer by layer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError

#: All sets of more workers are too many to look at.
_MOST_WORKERS = 16


def tree_size(n: int, layers: int) -> int:
    """Count the workers one by one."""
    return sum(1 for _ in _nodes(n, layers))


def leaf_parents(n: int, layers: int) -> int:
    """Count the parents whose children are all leaves."""
    children = _children(n, layers)
    leaves = {node for node in range(1, len(children)) if not children[node]}
    return sum(1 for below in children if below and set(below) <= leaves)


def allocated_load(n: int, layers: int, s: int) -> Fraction:
    """Run CR.Allocate on a data set of size 1 and return what each worker holds.

    A child's subtree gets (s+1)/n of what its parent passes on; a node keeps r of it. r is such
    that leaves, who pass nothing on, keep what they get.
    """
    load = _load(n, layers, s)
    sizes = _allocated(n, layers, s, load)
    if any(kept != load for kept in sizes):
        raise AssertionError("the allocation does not load all workers alike")
    return load


def star_to_tree_load(n: int, layers: int, s: int) -> Fraction:
    """Divide the load in a star of the tree's workers, sN/n stragglers, by that in the tree."""
    workers = tree_size(n, layers)
    star = _load(workers, 1, 0) * (Fraction(s * workers, n) + 1)
    return star / _load(n, layers, s)


def load_gap(n: int, layers: int, s: int, limit: float) -> float:
    """Distance of the load from a limit."""
    return abs(float(_load(n, layers, s)) - limit)


def points_per_worker(n: int, layers: int, s: int, samples: int) -> Fraction:
    """Data points that a worker is to hold."""
    return allocated_load(n, layers, s) * samples


def points_left_over(n: int, layers: int, s: int, samples: int) -> Fraction:
    """By how much the data points of a worker fail to be whole."""
    points = _load(n, layers, s) * samples
    return abs(points - round(points))


def broken_partitions(n: int, layers: int, s: int, samples: int, partitions: int) -> int:
    """Count the layers at which so many equal partitions are no whole data points."""
    load = _load(n, layers, s) * samples
    passed, broken = Fraction(samples), 0
    for _ in range(layers):
        broken += (passed / partitions).denominator != 1
        passed = passed * (s + 1) / n - load
    return broken


def gradients_computed(n: int, layers: int, s: int, samples: int) -> Fraction:
    """Add up the data points of all workers."""
    return sum(_allocated(n, layers, s, _load(n, layers, s)), Fraction(0)) * samples


def largest_resilience(n: int, layers: int, load: float) -> float:
    """Try every s and return the largest s/n whose load is not above the given one."""
    fitting = [s for s in range(n) if _load(n, layers, s) <= load]
    return max(fitting, default=0) / n


def breaking_stragglers(n: int, layers: int, s: int) -> int:
    """Try all sets of stragglers, small ones first, until one leaves the master without n − s."""
    workers = _few_workers(n, layers)
    children = _children(n, layers)
    for size in range(workers + 1):
        for stragglers in itertools.combinations(range(1, workers + 1), size):
            if not _answers(children, set(stragglers), n - s, 0):
                return size
    raise AssertionError("even without workers the master is served")


def decodable_sets(n: int, layers: int, s: int, stragglers: int) -> int:
    """Count the sets of so many stragglers that leave the master with n − s answers."""
    workers = _few_workers(n, layers)
    children = _children(n, layers)
    return sum(
        _answers(children, set(chosen), n - s, 0)
        for chosen in itertools.combinations(range(1, workers + 1), stragglers)
    )


def decodable_share(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Share of the straggler sets that leave the master with n − s answers, child after child.

    Of the sets of so many stragglers, or of all sets weighed as for iid stragglers.
    """
    # [answers?][stragglers] of a subtree: how many sets
    leaf = {True: {0: 1}, False: {1: 1}}
    subtree = leaf
    for layer in range(layers):
        answering = {0: {0: 1}}
        for _ in range(n):
            after: dict[int, dict[int, int]] = {}
            for count, sets in answering.items():
                for answers, more in subtree.items():
                    _add_products(after.setdefault(count + answers, {}), sets, more)
            answering = after
        below: dict[bool, dict[int, int]] = {True: {}, False: {}}
        for count, sets in answering.items():
            _add_products(below[count >= n - s], sets, {0: 1})
        if layer < layers - 1:
            subtree = {True: below[True], False: {}}
            for sets in below.values():
                _add_products(subtree[False], sets, {1: 1})
            _add_products(subtree[False], below[False], {0: 1})
    workers = tree_size(n, layers)
    if stragglers is not None:
        return below[True].get(stragglers, 0) / math.comb(workers, stragglers)
    chance = Fraction(p or 0)
    return float(
        sum(
            (
                sets * chance**lost * (1 - chance) ** (workers - lost)
                for lost, sets in below[True].items()
            ),
            Fraction(0),
        )
    )


def least_load(n: int, layers: int, s: int) -> Fraction:
    """Minimise the load over all placements of the data, by a linear programme.

    A data point is held by a set of workers. It must reach the master whatever s children of every
    parent straggle. Shares x_S ≥ 0 of the data are given to the sets S that do; Σ x_S = 1, and no
    worker holds more than the load.
    """
    from scipy.optimize import linprog

    workers = _few_workers(n, layers)
    robust = _robust_sets(n, layers, s)
    holds = (robust[None, :] >> np.arange(workers)[:, None] & 1).astype(float)
    cost = np.zeros(len(robust) + 1)
    cost[-1] = 1.0
    found = linprog(
        cost,
        A_ub=np.hstack([holds, -np.ones((workers, 1))]),
        b_ub=np.zeros(workers),
        A_eq=np.append(np.ones(len(robust)), 0.0)[None, :],
        b_eq=[1.0],
    )
    # the optimum is rational with a small denominator; its float is good to 1e-9
    return Fraction(float(found.fun)).limit_denominator(10_000)


def _nodes(n: int, layers: int) -> Iterator[int]:
    node = 0
    for layer in range(1, layers + 1):
        for _ in range(n**layer):
            node += 1
            yield node


def _children(n: int, layers: int) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in range(tree_size(n, layers) + 1)]
    for node in _nodes(n, layers):
        children[(node - 1) // n].append(node)
    return children


def _load(n: int, layers: int, s: int) -> Fraction:
    """Solve: what a leaf gets is r. What a node of a layer passes on is a − b r."""
    share = Fraction(s + 1, n)
    a, b = Fraction(1), Fraction(0)
    for _ in range(layers - 1):
        a, b = a * share, b * share + 1
    return a * share / (1 + b * share)


def _allocated(n: int, layers: int, s: int, load: Fraction) -> list[Fraction]:
    """What each worker keeps; leaves keep all that they get."""
    children = _children(n, layers)
    passed = [Fraction(0)] * len(children)
    passed[0] = Fraction(1)
    kept = []
    for node in range(1, len(children)):
        got = passed[(node - 1) // n] * Fraction(s + 1, n)
        keeps = load if children[node] else got
        passed[node] = got - keeps
        kept.append(keeps)
    return kept


def _answers(children: list[list[int]], stragglers: set[int], need: int, node: int) -> bool:
    if node in stragglers:
        return False
    below = children[node]
    return not below or sum(_answers(children, stragglers, need, c) for c in below) >= need


def _add_products(into: dict[int, int], a: dict[int, int], b: dict[int, int]) -> None:
    for i, x in a.items():
        for j, y in b.items():
            into[i + j] = into.get(i + j, 0) + x * y


def _robust_sets(n: int, layers: int, s: int) -> NDArray[np.int64]:
    """Smallest sets of workers, bit j for worker j, of which one always reaches the master."""
    children = _children(n, layers)
    workers = len(children) - 1
    parents = [node for node in range(workers + 1) if children[node]]
    reaching = set()
    for lost in itertools.product(*(itertools.combinations(children[v], s) for v in parents)):
        gone = set(itertools.chain.from_iterable(lost))
        for node in _nodes(n, layers):
            if (node - 1) // n in gone:
                gone.add(node)
        reaching.add(sum(1 << node - 1 for node in _nodes(n, layers) if node not in gone))
    sets = np.arange(1 << workers, dtype=np.int64)
    robust = np.ones(1 << workers, dtype=bool)
    for mask in reaching:
        robust &= sets & mask != 0
    smallest = robust.copy()
    for worker in range(workers):
        with_it = sets[robust & (sets >> worker & 1 == 1)]
        smallest[with_it[robust[with_it ^ (1 << worker)]]] = False
    return sets[smallest]


def _few_workers(n: int, layers: int) -> int:
    workers = tree_size(n, layers)
    if workers > _MOST_WORKERS:
        raise FastgcError(
            f"n, layers: got a tree of {workers} workers, but all sets are tried up to "
            f"{_MOST_WORKERS}"
        )
    return workers
