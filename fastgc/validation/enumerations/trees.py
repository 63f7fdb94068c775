"""Trees of workers walked node by node: sizes, and what CodedReduce gives every node.

Node 0 is the master; in a regular tree the children of a node come together, layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

Children = list[list[int]]


def tree_size(n: int, layers: int) -> int:
    """Count the workers one by one."""
    return len(children_of(n=n, layers=layers)) - 1


def allocated_load(n: int, layers: int, s: int) -> Fraction:
    """Run CR.Allocate on a data set of size 1 and return the most that a worker holds.

    A child's subtree gets (s+1)/n of what its parent passes on; an inner node keeps r of it, and a
    leaf all. r is such that what a leaf gets is r.
    """
    return max(_allocated(n, layers, s, balanced_load(n, layers, s)))


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


def points_per_worker(n: int, layers: int, s: int, samples: int) -> Fraction:
    """Data points that a worker is to hold."""
    return balanced_load(n, layers, s) * samples


def least_whole_data(n: int, layers: int, s: int, partitions: int) -> int:
    """Try 1, 2, … data points until all loads and all partitions, in every layer, are whole."""
    load = balanced_load(n, layers, s)
    samples = 0
    while True:
        samples += 1
        sizes, passed = [load * samples], Fraction(samples)
        for _ in range(layers):
            sizes.append(passed / partitions)
            passed = passed * (s + 1) / n - load * samples
        if all(size.denominator == 1 for size in sizes):
            return samples


def gradients_computed(n: int, layers: int, s: int, samples: int) -> Fraction:
    """Add up the data points of all workers."""
    return sum(_allocated(n, layers, s, balanced_load(n, layers, s)), Fraction(0)) * samples


def largest_resilience(n: int, layers: int, load: float) -> float:
    """Return the largest s/n whose load is not above the given one; loads grow with s."""
    fits, fails = -1, n
    while fails - fits > 1:
        s = (fits + fails) // 2
        if balanced_load(n, layers, s) <= load:
            fits = s
        else:
            fails = s
    return max(fits, 0) / n


def children_of(
    n: int | None = None, layers: int | None = None, parents: Sequence[int] | None = None
) -> Children:
    """Children of every node, the master's first, of a regular tree or of one given by parents."""
    above = list(_regular(n or 0, layers or 0)) if parents is None else list(parents)
    children: Children = [[] for _ in range(len(above) + 1)]
    for node, parent in enumerate(above, 1):
        children[parent].append(node)
    return children


def _regular(n: int, layers: int) -> Iterator[int]:
    """Parents of the workers of a regular tree, layer after layer."""
    last, next_node = [0], 1
    for _ in range(layers):
        layer = []
        for parent in last:
            for _ in range(n):
                yield parent
                layer.append(next_node)
                next_node += 1
        last = layer


def _allocated(n: int, layers: int, s: int, load: Fraction) -> list[Fraction]:
    """What each worker keeps; leaves keep all that they get."""
    children = children_of(n=n, layers=layers)
    passed = [Fraction(0)] * len(children)
    passed[0] = Fraction(1)
    kept = []
    for node, below in enumerate(children):
        got = passed[node]
        if node:
            keeps = load if below else got
            kept.append(keeps)
            got -= keeps
        for child in below:
            passed[child] = got * Fraction(s + 1, n)
    return kept
