"""What each node of a tree keeps of the data it is given, and how it passes on the rest."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fastgc.codes.code import Code, code_of
from fastgc.systems.schemes.arcs import arcs
from fastgc.systems.schemes.capacity import capacities
from fastgc.systems.timing.structure import Tree


@dataclass(frozen=True)
class NodeWork:
    """What a node does with the data it is given: it keeps some and passes on the rest.

    Attributes
    ----------
    kept : Fraction
        Share of all data that the node computes on.
    code : Code or None
        The code of the node's children; None where it has none.
    sizes : tuple of Fraction
        Sizes of the code's partitions, as shares of all data.
    """

    kept: Fraction
    code: Code | None = None
    sizes: tuple[Fraction, ...] = ()


def regular_work(tree: Tree, code: Code) -> list[NodeWork]:
    """Return the work of every node of a regular tree, the master first.

    Algorithm 2 of paper `codedreduce`. The same code stands below every parent; a layer's data
    shrinks by what is kept above it, Appendix C, (12) and (13).
    """
    assert tree.regular is not None
    n, layers, _ = tree.regular
    held = Fraction(int(code.loads[0]), code.k)  # of what a parent passes on
    load = 1 / sum(((1 / held) ** layer for layer in range(1, layers + 1)), Fraction(0))
    joined, counts = _joined(code)
    kept, passed = Fraction(0), Fraction(1)
    work = []
    for layer in range(layers):
        sizes = tuple(passed * count / code.k for count in counts)
        work += [NodeWork(kept, joined, sizes)] * n**layer
        kept, passed = load, held * passed - load
    return [*work, *[NodeWork(load)] * n**layers]


def _joined(code: Code) -> tuple[Code, list[int]]:
    """Join neighbouring partitions that all workers treat alike; return the code and the counts.

    Then the number of samples must be divisible for the joined partitions only.
    """
    new = np.any(code.B[1:] != code.B[:-1], axis=1)
    first = np.concatenate([[0], np.flatnonzero(new) + 1])
    counts: list[int] = np.diff([*first, code.k]).tolist()
    return code_of(code.B[first], code.name, code.tolerance), counts


def irregular_work(tree: Tree, s: int, seed: int) -> list[NodeWork]:
    """Return the work of every node of any tree, the master first.

    Every parent gets a code of its own; below a child that could take more than its parent passes
    on, all work less than the load in the same proportion.
    """
    offsets, nodes = tree.children
    most = capacities(tree.parents, s)
    kept = [Fraction(0)] * (tree.workers + 1)
    kept[0] = 1 / most[0]  # the unit: what a worker keeps whose capacity is used up
    work = []
    for node, unit in enumerate(kept):
        own = unit if node else Fraction(0)
        children = nodes[offsets[node] : offsets[node + 1]].tolist()
        if not children:
            work.append(NodeWork(own))
            continue
        passed = most[node] - (1 if node else 0)
        shares = [min(most[child], passed) for child in children]
        for child, share in zip(children, shares, strict=True):
            kept[child] = unit * share / most[child]
        code, sizes = arcs(shares, passed, s, seed)
        work.append(NodeWork(own, code, tuple(unit * size for size in sizes)))
    return work
