"""Who computes on which samples: what nodes of a tree keep, and how they pass on the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code, code_of
from fastgc.systems.schemes.parent_codes import arcs
from fastgc.systems.timing.trees import Tree


@dataclass(frozen=True)
class NodeWork:
    """What a node does with the data it is given: it keeps some and passes on the rest.

    ``kept`` is the share of all data that it computes on, ``code`` that of its children, None where
    there are none, ``sizes`` those of the code's partitions, as shares of all data.
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
    # neighbouring partitions that all workers treat alike are joined: then the number of samples
    # must be divisible for the joined ones only
    new = np.any(code.B[1:] != code.B[:-1], axis=1)
    first = np.concatenate([[0], np.flatnonzero(new) + 1])
    counts: list[int] = np.diff([*first, code.k]).tolist()
    joined = code_of(code.B[first], code.name, code.tolerance)
    kept, passed = Fraction(0), Fraction(1)
    work = []
    for layer in range(layers):
        sizes = tuple(passed * count / code.k for count in counts)
        work += [NodeWork(kept, joined, sizes)] * n**layer
        kept, passed = load, held * passed - load
    return [*work, *[NodeWork(load)] * n**layers]


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


def capacities(parents: Sequence[int], s: int) -> list[Fraction]:
    """Return how much data the subtree of every node can be given, (N + 1,), the master's first.

    Node i + 1 is child of node ``parents[i]`` ≤ i. A leaf takes 1, any other node 1 + m: m is the
    most data of which every point can be in the subtrees of s + 1 children, none of them given more
    than it can take (see `passed_on`). The master keeps nothing: its capacity is m, and the
    smallest load of the tree 1/m. Every parent has more than s children.

    >>> capacities([0, 0, 0], s=1)
    [Fraction(3, 2), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    >>> capacities([0, 0, 1, 1], s=1)  # the second child of the master must hold everything
    [Fraction(1, 1), Fraction(2, 1), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    """
    below: list[list[Fraction]] = [[] for _ in range(len(parents) + 1)]
    found = [Fraction(1)] * (len(parents) + 1)
    for v in reversed(range(len(parents) + 1)):
        own = Fraction(1 if v else 0)
        found[v] = own + passed_on(below[v], s) if below[v] else own
        if v:
            below[parents[v - 1]].append(found[v])
    return found


def passed_on(capacities: Sequence[Fraction], s: int) -> Fraction:
    """Return the largest m with Σ_c min(capacity of c, m) = (s + 1) m.

    That much data fits on the children, every point in s + 1 different ones. Where no child can
    take more than m, m = Σ capacity/(s + 1); a child that could takes all of it, m.
    """
    largest_first = sorted(capacities, reverse=True)
    rest = sum(largest_first, Fraction(0))
    for full, capacity in enumerate(largest_first):
        m = rest / (s + 1 - full)
        if full == s or capacity <= m:
            return m
        rest -= capacity
    raise AssertionError("a parent has more than s children")


@dataclass(frozen=True, eq=False)
class Share:
    """Samples (m,), int64, each with the coefficient that its gradient is multiplied by."""

    samples: NDArray[np.int64]
    coefficients: Values

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.samples)

    def part(self, first: int, last: int) -> "Share":
        """Return samples ``first`` … ``last`` − 1 of the share."""
        return Share(self.samples[first:last], self.coefficients[first:last])


def allocate(share: Share, code: Code, sizes: Sequence[int]) -> list[Share]:
    """Give every worker of a code its partitions: CompAlloc, Algorithm 1 of paper `codedreduce`.

    Partitions of these ``sizes`` (k,) follow each other in ``share``. Worker i holds partition κ
    with the share's coefficients times ``code.B[κ, i]``, where that is not 0.

    >>> from fastgc.codes import frc
    >>> share = Share(np.arange(6), np.ones(6))
    >>> [each.samples.tolist() for each in allocate(share, frc(n=2, d=1), [3, 3])]
    [[0, 1, 2], [3, 4, 5]]
    """
    ends = np.cumsum(sizes).tolist()
    partitions = [share.part(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    given = []
    for column in code.B.T:
        held = np.flatnonzero(column).tolist()
        given.append(
            Share(
                np.concatenate([partitions[i].samples for i in held]),
                np.concatenate([column[i] * partitions[i].coefficients for i in held]),
            )
        )
    return given


@dataclass(frozen=True, eq=False)
class Allocation(Sequence[NDArray[np.int64]]):
    """The samples of every worker: a sequence of int64 arrays, worker 0 first.

    * ``shares``: the samples of every worker with their coefficients.

    >>> from fastgc.systems import coded_reduce
    >>> allocation = coded_reduce(n=2, layers=1, s=0).allocate(4)
    >>> allocation[1].tolist(), allocation.coefficients[1].tolist()
    ([2, 3], [1.0, 1.0])
    """

    shares: tuple[Share, ...]

    @property
    def coefficients(self) -> tuple[Values, ...]:
        """Coefficient of each of a worker's samples, one array a worker."""
        return tuple(share.coefficients for share in self.shares)

    def __len__(self) -> int:
        """Return the number of workers."""
        return len(self.shares)

    @overload
    def __getitem__(self, worker: int) -> NDArray[np.int64]: ...

    @overload
    def __getitem__(self, worker: slice) -> list[NDArray[np.int64]]: ...

    def __getitem__(self, worker: int | slice) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        """Return the samples of one worker, or of several."""
        if isinstance(worker, slice):
            return [share.samples for share in self.shares[worker]]
        return self.shares[worker].samples

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """Go through the workers' samples."""
        return (share.samples for share in self.shares)

    def __repr__(self) -> str:
        """Return the numbers of workers and of samples that they hold."""
        return f"Allocation({len(self)} workers, {sum(map(len, self.shares))} samples held)"
