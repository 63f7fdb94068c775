"""Which sets of stragglers a tree survives, set by set, and how little load that takes.

A straggler sends nothing, so its subtree is lost too; a parent answers if it is no straggler and
all but s of its children answer. Trees are regular (n, layers) or given by their parents.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.validation.enumerations.trees import Children, children_of, tree_size

#: All sets of more workers are too many to look at.
_MOST_WORKERS = 16

Parents = Sequence[int] | None


def breaking_stragglers(
    s: int, n: int | None = None, layers: int | None = None, parents: Parents = None
) -> int:
    """Try all sets of stragglers, small ones first, until one leaves the master without enough."""
    children = _few_workers(children_of(n, layers, parents))
    workers = range(1, len(children))
    return next(
        size
        for size in range(len(children))
        if any(
            not answers(children, set(lost), s) for lost in itertools.combinations(workers, size)
        )
    )


def decodable_sets(
    s: int,
    stragglers: int,
    n: int | None = None,
    layers: int | None = None,
    parents: Parents = None,
) -> int:
    """Count the sets of so many stragglers that leave the master with enough answers."""
    children = _few_workers(children_of(n, layers, parents))
    workers = range(1, len(children))
    return sum(
        answers(children, set(lost), s) for lost in itertools.combinations(workers, stragglers)
    )


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
    if node in stragglers:
        return False
    below = children[node]
    served = sum(answers(children, stragglers, s, child) for child in below)
    return not below or served >= len(below) - s


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
                for sent, more in subtree.items():
                    _add_products(after.setdefault(count + sent, {}), sets, more)
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


def least_load(
    s: int, n: int | None = None, layers: int | None = None, parents: Parents = None
) -> Fraction:
    """Minimise the load over all placements of the data, by a linear programme.

    A data point is held by a set of workers. It must reach the master whatever s children of every
    parent straggle. Shares x_S ≥ 0 of the data are given to the sets S that do; Σ x_S = 1, and no
    worker holds more than the load.
    """
    from scipy.optimize import linprog

    children = _few_workers(children_of(n, layers, parents))
    workers = len(children) - 1
    robust = _robust_sets(children, s)
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


def _add_products(into: dict[int, int], a: dict[int, int], b: dict[int, int]) -> None:
    for i, x in a.items():
        for j, y in b.items():
            into[i + j] = into.get(i + j, 0) + x * y


def _robust_sets(children: Children, s: int) -> NDArray[np.int64]:
    """Smallest sets of workers, bit j for worker j, of which one always reaches the master."""
    workers = len(children) - 1
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
    smallest = robust.copy()
    for worker in range(workers):
        with_it = sets[robust & (sets >> worker & 1 == 1)]
        smallest[with_it[robust[with_it ^ (1 << worker)]]] = False
    return sets[smallest]


def _few_workers(children: Children) -> Children:
    if len(children) - 1 > _MOST_WORKERS:
        raise FastgcError(
            f"tree: got {len(children) - 1} workers, but all sets are tried up to {_MOST_WORKERS}"
        )
    return children
