"""CodedReduce: a tree in which every parent waits for all but s of its children."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal, Self

import numpy as np
import pydantic

from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.systems.system import (
    LARGEST,
    Candidates,
    Cluster,
    Count,
    System,
    Workers,
    require_either,
)
from fastgc.systems.timing.stars import Tree

_Parents = Annotated[
    tuple[Annotated[int, pydantic.Field(ge=0)], ...],
    pydantic.Field(min_length=1, max_length=LARGEST),
]

#: Workers of the smallest tree of two layers.
SMALLEST_TREE = 6


@register("system")
class CodedReduce(System):
    """A tree of workers below a master; every parent waits for all but s of its children.

    The system of paper `codedreduce`, Section III. Either regular, with n children a parent and
    ``layers`` layers, or by ``parents``.

    * ``n`` (int, optional): Children of every parent; with ``layers``, n + … + n^layers workers.
    * ``layers`` (int, optional): Layers of workers below the master.
    * ``parents`` (tuple of int, optional): Instead of n and layers, any tree: node i + 1 is child
      of node ``parents[i]`` ≤ i; node 0 is the master.
    * ``s`` (int): Children of each parent that are not waited for, fewer than the parent has.

    >>> tree = CodedReduce(n=3, layers=2, s=1)
    >>> tree.workers(), tree.share(), tree.structure().need
    (12, 0.26666666666666666, (2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    """

    family: Literal["coded-reduce"] = "coded-reduce"
    n: Workers | None = None
    layers: Annotated[int | None, pydantic.Field(ge=1)] = None
    parents: _Parents | None = None
    s: Count

    @pydantic.field_validator("parents")
    @classmethod
    def _come_first(cls, parents: tuple[int, ...] | None) -> tuple[int, ...] | None:
        for i, parent in enumerate(parents or ()):
            if parent > i:
                raise ValueError(
                    f"must name nodes that come before: node {i + 1} can be child of 0, the "
                    f"master, to {i} (got {parent})"
                )
        return parents

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        require_either(self, "parents", ("n", "layers"), "n and layers or parents")
        if self.n is not None and self.layers is not None:
            if self.s >= self.n:
                raise ValueError(
                    f"s must be less than n, the children of a parent (got n={self.n}, s={self.s})"
                )
            if _size(self.n, self.layers) > LARGEST:
                raise ValueError(
                    f"a tree must have at most {LARGEST} workers (got n={self.n}, "
                    f"layers={self.layers})"
                )
        for node, count in enumerate(_counts(self.parents or ())):
            if 0 < count <= self.s:
                raise ValueError(
                    f"every parent needs more than s children (got s={self.s}, and node {node} "
                    f"has {count})"
                )
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return every regular tree of two or more layers that fits, for every s."""
        if cluster.workers < SMALLEST_TREE:
            raise FastgcError(
                f"no tree of two or more layers fits {cluster.workers} workers: the smallest has "
                f"{SMALLEST_TREE} (2 children of the master, 2 of each of these)"
            )
        return [
            Candidates(tuple(cls(n=n, layers=layers, s=s) for s in range(n)), f"{layers} layers")
            for n, layers in trees(cluster.workers)
        ]

    def workers(self) -> int:
        shape = self._shape()
        return len(self.parents or ()) if shape is None else _size(*shape)

    def structure(self) -> Tree:
        shape = self._shape()
        parents = (self.parents or ()) if shape is None else _regular(*shape)
        need = tuple(count - self.s if count else 0 for count in _counts(parents))
        return Tree(parents, need, None if shape is None else (*shape, shape[0] - self.s))

    def default_share(self) -> float:
        """Return r_CR of paper `codedreduce`, (5), of irregular trees by `capacities`."""
        shape = self._shape()
        if shape is None:
            return float(1 / capacities(self.parents or (), self.s)[0])
        ratio = Fraction(shape[0], self.s + 1)
        return float(1 / sum(ratio**layer for layer in range(1, shape[1] + 1)))

    def _shape(self) -> tuple[int, int] | None:
        """Children a parent and layers, where they are the same everywhere."""
        if self.parents is None:
            assert self.n is not None and self.layers is not None
            return self.n, self.layers
        n, node, layers = self.parents.count(0), len(self.parents), 0
        while node:
            node, layers = self.parents[node - 1], layers + 1
        fits = _size(n, layers) == len(self.parents) and _regular(n, layers) == self.parents
        return (n, layers) if fits else None


def _size(n: int, layers: int) -> int:
    total = 0
    for _ in range(layers):  # up to the largest there can be
        total = n * (total + 1)
        if total > LARGEST:
            break
    return total


def _regular(n: int, layers: int) -> tuple[int, ...]:
    # layer by layer, the children of a node together
    return tuple(i // n for i in range(_size(n, layers)))


def _counts(parents: tuple[int, ...]) -> list[int]:
    counts: list[int] = np.bincount(parents, minlength=len(parents) + 1).tolist()
    return counts


def trees(workers: int) -> list[tuple[int, int]]:
    """Return (n, layers) of all regular trees of so many workers, n ≥ 2 and layers ≥ 2."""
    found, layers = [], 2
    while _size(2, layers) <= workers:
        n = 2
        while _size(n, layers) <= workers:
            found.append((n, layers))
            n += 1
        layers += 1
    return found


def capacities(parents: Sequence[int], s: int) -> list[Fraction]:
    """Return how much data the subtree of every node can be given, (N + 1,), the master's first.

    Node i + 1 is child of node ``parents[i]`` ≤ i. A leaf takes 1, any other node 1 + m: m is the
    most data of which every point can be in the subtrees of s + 1 children, none of them given more
    than it can take: the largest m with Σ_c min(capacity of c, m) = (s + 1) m. The master keeps
    nothing: its capacity is m, and the smallest load of the tree 1/m. Every parent has more than s
    children.
    """
    below: list[list[Fraction]] = [[] for _ in range(len(parents) + 1)]
    found = [Fraction(1)] * (len(parents) + 1)
    for v in reversed(range(len(parents) + 1)):
        rest, passed_on = sum(below[v], Fraction(0)), Fraction(0)
        for full, capacity in enumerate(sorted(below[v], reverse=True)):
            # where no further child can take more; one that could takes all of it
            passed_on = rest / (s + 1 - full)
            if full == s or capacity <= passed_on:
                break
            rest -= capacity
        found[v] = passed_on + (1 if v else 0)
        if v:
            below[parents[v - 1]].append(found[v])
    return found
