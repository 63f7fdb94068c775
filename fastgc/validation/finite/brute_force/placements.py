"""Where data may be placed on a tree so that it reaches the master: the steps of a lower bound.

A data point is held by a set of workers. All sets of them are tried: those of which a worker always
reaches the master, whatever s children of every parent straggle; without ``needless``, only sets
from which no worker can be left out.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask
from fastgc.validation.finite.brute_force.trees import (
    Children,
    balanced_load,
    children_of,
    surviving_sets,
)


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
    children = children_of(n, layers)
    sets = surviving_sets(children, s, needless=needless)
    least = n
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
    from scipy.optimize import linprog

    children = children_of(n, layers)
    sets = surviving_sets(children, s, needless=False)
    node = 1 + sum(n**above for above in range(1, layer))
    holds = (sets[None, :] >> np.arange(len(children) - 1)[:, None] & 1).astype(float)
    found = linprog(
        -_in_subtree(children, sets, node).astype(float),
        A_ub=holds,
        b_ub=np.full(len(holds), load),
        A_eq=np.ones((1, len(sets))),
        b_eq=[1.0],
    )
    return -float(found.fun)


def _in_subtree(children: Children, sets: NDArray[np.int64], node: int) -> Mask:
    """Which of the sets have a worker in a node's subtree."""
    own = [node]
    for each in own:
        own += children[each]
    return np.asarray(sets & sum(1 << each - 1 for each in own) != 0)
