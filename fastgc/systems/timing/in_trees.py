"""Which workers of a tree are in what the master has when it is done."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.systems.timing.structure import Tree


def in_trees(
    tree: Tree, times: NDArray[np.float64], receive: float = 0.0, after_own: bool = False
) -> NDArray[np.bool_]:
    """Return whose answers reach the master, (N, T), by their parents and those of these.

    Every parent takes the first answers of its children, as many as it needs; of some that come at
    once, those of the children with smaller numbers. ``times`` (N, T), the port and when it opens
    are as for `fastgc.systems.timing.evaluator.Evaluator`.

    >>> tree = Tree(parents=(0, 0, 1, 1), need=(1, 1, 0, 0, 0))
    >>> in_trees(tree, np.array([[1.0], [9.0], [5.0], [2.0]])).ravel().tolist()
    [True, False, False, True]
    """
    offsets, nodes = tree.children
    sent = np.concatenate([np.zeros((1, times.shape[1])), times])
    taken = np.ones(sent.shape, np.bool_)
    for v in reversed(np.flatnonzero(tree.need).tolist()):
        below = nodes[offsets[v] : offsets[v + 1]]
        order = np.argsort(sent[below], axis=0, kind="stable")[: tree.need[v]]
        first = np.zeros((below.size, times.shape[1]), np.bool_)
        np.put_along_axis(first, order, True, axis=0)
        taken[below] = first
        clock = sent[v].copy() if after_own else np.zeros(times.shape[1])
        for arrival in np.take_along_axis(sent[below], order, axis=0):
            clock = np.maximum(clock, arrival) + receive
        sent[v] = np.maximum(sent[v], clock)
    taken &= np.isfinite(sent) | (np.arange(len(sent)) == 0)[:, np.newaxis]
    for node, parent in enumerate(tree.parents, 1):  # parents come before their children
        taken[node] &= taken[parent]
    return taken[1:]
