"""Who computes on which samples: what nodes of a tree keep, and how they pass on the rest."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code, code_of
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.systems.coded_reduce import capacities
from fastgc.systems.timing.trees import Tree
from fastgc_kernels.decode import elimination

#: Draws of a code of unequal shares, at most: some are singular.
_ATTEMPTS = 100


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


def arcs(
    shares: Sequence[Fraction], total: Fraction, s: int, seed: int = 0
) -> tuple[Code, tuple[Fraction, ...]]:
    """Build a code for workers of given shares, each point held by s + 1, exact with s stragglers.

    Shares, at most ``total`` each and (s + 1) ``total`` together, lie end to end around a circle
    that is as long as the data, so that they go around it s + 1 times. Where shares begin cuts the
    data into partitions, whose sizes are returned with the code.

    The decoding vectors are taken from a random space of s + 1 dimensions, rows of Q (s + 1, n):
    one of them vanishes on any s stragglers. A row of B with the holders H solves
    Σ_{j ∈ H} b_j Q_j = g with one g for all rows, so that every a = Qᵀu with u·g = 1 gives B a = 1.
    With the powers of n points as Q these are divided differences; random numbers lose fewer
    digits (n = 30, s = 10: 5 instead of 7).

    """
    unit = math.lcm(total.denominator, *(share.denominator for share in shares))
    around = int(total * unit)
    lengths = [int(share * unit) for share in shares]
    starts = [start % around for start in accumulate(lengths[:-1], initial=0)]
    cuts = sorted(set(starts))
    sizes = tuple(Fraction(b - a, unit) for a, b in pairwise([*cuts, around]))
    # whole numbers of any size: deep trees have large denominators
    dtype = np.int64 if around < 2**62 else object
    since = np.array(cuts, dtype)[:, np.newaxis] - np.array(starts, dtype)
    holds = np.asarray(since % around < np.array(lengths, dtype), np.bool_)
    name = f"arcs(n={len(shares)}, s={s}, seed={seed})"
    if s == 0 or holds.all() or np.all(holds.sum(axis=0) == 1):
        # one holder of each partition is enough, and there is one
        return code_of(holds.astype(np.float64), name, s), sizes
    for attempt in range(_ATTEMPTS):
        if (found := _solved(holds, s, seed, attempt)) is not None:
            return code_of(found, name, s), sizes
    raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take another seed")


def _solved(holds: Mask, s: int, seed: int, attempt: int) -> Values | None:
    """Return B of given holders, the largest entries 1; None where a draw is singular."""
    k, n = holds.shape
    # sums of twelve uniforms are normal for all practical purposes
    draws = uniforms(seed, f"arcs/{n}/{s}/{attempt}", 12 * (s + 1) * (n + 1))
    normal = np.full((s + 1, n + 1), -6.0)
    for part in draws.reshape(12, s + 1, n + 1):
        normal += part
    Q, g = normal[:, :n], np.ascontiguousarray(normal[:, n])
    B = np.zeros((k, n))
    x = np.empty(s + 1)
    for row in range(k):
        holders = np.flatnonzero(holds[row])
        if not elimination.solve(np.ascontiguousarray(Q[:, holders]), g, x):
            return None
        B[row, holders] = x
    largest = np.abs(B).argmax(axis=0)
    return np.asarray(B / B[largest, np.arange(n)])
