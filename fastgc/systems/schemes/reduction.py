"""CodedReduce on real data: which samples each worker computes on, and how they are summed up.

Paper `codedreduce`, Algorithms 1 and 2. The timing of the same tree is the system `coded-reduce`.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.given import made, worker_indices
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.schemes import numbers, seeded
from fastgc.systems.schemes.allocation import (
    Allocation,
    NodeWork,
    Share,
    allocate,
    irregular_work,
    regular_work,
)
from fastgc.systems.schemes.parent_codes import code_for, weights
from fastgc.systems.timing.trees import Tree

Stuck = Literal["refuse", "lost"]


class CodedReduceTree:
    """A tree of workers that computes exact gradients with s stragglers below every parent.

    Made by `coded_reduce`. Workers are numbered 0 … N − 1, layer by layer in a regular tree, the
    children of a node together; the parent of worker j is worker ``structure().parents[j] − 1``,
    or the master.

    * ``system``: the same tree as a study's ``system``: its completion times.
    * ``code``: the code of the master's children; of every parent's in a regular tree.
    * ``children`` (list of lists of int): those of each node, the master's first; worker j is node
      j + 1.

    >>> import numpy as np
    >>> tree = coded_reduce(n=3, layers=2, s=1)
    >>> tree.gradient(np.ones((tree.multiple, 1)), stragglers=[0]).round(9).item() == tree.multiple
    True
    """

    def __init__(self, system: CodedReduce, code: Code, work: Sequence[NodeWork]) -> None:
        self.system = system
        self.code = code
        self._work = tuple(work)
        self._tree = system.structure()
        offsets, nodes = self._tree.children
        self.children = [
            nodes[first:last].tolist()
            for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        ]

    def __repr__(self) -> str:
        """Return the tree's shape and load as text."""
        shape = f"n={self.n}, layers={self.layers}" if self.n else f"layers={self.layers}"
        return f"CodedReduceTree({shape}, s={self.s}, workers={self.workers}, load={self.load:.6g})"

    @property
    def workers(self) -> int:
        """Number of workers N, without the master."""
        return self._tree.workers

    @property
    def n(self) -> int | None:
        """Number of children of every parent; None in an irregular tree."""
        return None if self._tree.regular is None else self._tree.regular[0]

    @cached_property
    def layers(self) -> int:
        """Number of layers of workers on the longest way down."""
        depth = [0] * (self.workers + 1)
        for worker, parent in enumerate(self._tree.parents):
            depth[worker + 1] = depth[parent] + 1
        return max(depth)

    @property
    def s(self) -> int:
        """Stragglers that every parent survives among its children."""
        return self.system.s

    @property
    def load(self) -> float:
        """Largest share of all samples that a worker computes on: r_CR of (5)."""
        return max(self.loads)

    @property
    def codes(self) -> tuple[Code | None, ...]:
        """The code of each node's children (N + 1,), the master's first; None where none are.

        >>> [code and code.n for code in coded_reduce(parents=[0, 0, 1, 1, 1], s=1).codes]
        [2, 3, None, None, None, None]
        """
        return tuple(each.code for each in self._work)

    @cached_property
    def loads(self) -> tuple[float, ...]:
        """Share of all samples that each worker computes on; all alike in a regular tree."""
        return tuple(float(each.kept) for each in self._work[1:])

    @cached_property
    def multiple(self) -> int:
        """The number of samples must be a multiple of this, to be cut into whole partitions."""
        shares = {each.kept for each in self._work}
        shares |= {size for each in self._work for size in each.sizes}
        return math.lcm(*(share.denominator for share in shares))

    def structure(self) -> Tree:
        """Return the tree, which says whose answers are waited for."""
        return self._tree

    def allocate(self, samples: int) -> Allocation:
        """Give every worker its samples and their coefficients.

        CR.Allocate of Algorithm 2: a parent's data is cut by its children's code (CompAlloc,
        Algorithm 1); every child keeps the first of what it gets and passes on the rest.

        Parameters
        ----------
        samples : int
            Number of samples, a multiple of `multiple`.

        Returns
        -------
        Allocation
            A sequence of N arrays of sample indices, 0 ≤ index < samples, worker 0 first;
            ``.coefficients`` has their coefficients.

        Raises
        ------
        FastgcError
            If the samples cannot be cut into whole partitions.

        Examples
        --------
        >>> from fastgc.systems import coded_reduce
        >>> tree = coded_reduce(n=3, layers=2, s=1)
        >>> allocation = tree.allocate(15)
        >>> len(allocation), [len(samples) for samples in allocation[:4]]
        (12, [4, 4, 4, 4])
        """
        self._check_count("samples", samples)
        count = int(samples)
        given: list[Share | None] = [Share(np.arange(count), np.ones(count))]
        given += [None] * self.workers
        kept = []
        for node, work in enumerate(self._work):
            share = given[node]
            given[node] = None  # what was passed on is not needed again
            assert share is not None
            own = int(work.kept * count)
            kept.append(share.part(0, own))
            if work.code is not None:
                sizes = [int(size * count) for size in work.sizes]
                passed = allocate(share.part(own, len(share)), work.code, sizes)
                for child, part in zip(self.children[node], passed, strict=True):
                    given[child] = part
        return Allocation(tuple(kept[1:]))

    def gradient(
        self, per_sample_gradients: ArrayLike, stragglers: ArrayLike = (), stuck: Stuck = "refuse"
    ) -> Values:
        """Return the sum of all samples' gradients as the tree computes it.

        Every worker adds up its own samples' gradients times their coefficients; `reduce` does the
        rest.

        Parameters
        ----------
        per_sample_gradients : array_like (samples, …)
            Finite numbers, one gradient a sample; the number of samples a multiple of `multiple`.
        stragglers, stuck
            As for `reduce`.

        Returns
        -------
        float64 array (…)

        Raises
        ------
        FastgcError
            As `allocate` and `reduce`.

        Examples
        --------
        A least-squares gradient Xᵀ(Xθ − y), with one straggler below the master and one below
        worker 1:

        >>> import numpy as np
        >>> from fastgc.systems import coded_reduce
        >>> tree = coded_reduce(n=3, layers=2, s=1)
        >>> X, y, theta = np.eye(30)[:, :2], np.arange(30.0), np.ones(2)
        >>> gradients = X * (X @ theta - y)[:, np.newaxis]
        >>> tree.gradient(gradients, stragglers=[0, 7]).round(12).tolist()
        [1.0, 0.0]
        """
        gradients = numbers("per_sample_gradients", per_sample_gradients, axes=1)
        self._check_count("per_sample_gradients", len(gradients))
        lost = self._stragglers(stragglers)
        self._survivors(lost, stuck)  # refuse before the work
        flat = gradients.reshape(len(gradients), -1)
        answers = np.zeros((self.workers, flat.shape[1]))
        for worker, share in enumerate(self.allocate(len(gradients)).shares):
            if not lost[worker]:
                answers[worker] = share.coefficients @ flat[share.samples]
        found = self.reduce(answers, lost, stuck)
        return found.reshape(gradients.shape[1:])

    def reduce(
        self, answers: ArrayLike, stragglers: ArrayLike = (), stuck: Stuck = "refuse"
    ) -> Values:
        """Put the workers' own coded gradients together: CR.Execute of Algorithm 2.

        From the lowest layer up, every parent combines its children's messages with the decoding
        vector of those that came, adds its own, and sends it on.

        Parameters
        ----------
        answers : array_like (N, …)
            What each worker computed: Σ coefficient · gradient over its samples of `allocate`.
            A straggler's row may hold anything.
        stragglers : array_like
            Workers that do not answer: distinct indices from 0, or N booleans. What is below a
            straggler is lost with it.
        stuck : {"refuse", "lost"}
            What becomes of a worker with more than s stragglers among its children: an error, or
            it is a straggler to its own parent, as in the measure ``decodable``.

        Returns
        -------
        float64 array (…)
            The sum of all samples' gradients.

        Raises
        ------
        FastgcError
            If a parent has too many stragglers among its children.

        Examples
        --------
        >>> from fastgc.systems import coded_reduce
        >>> tree = coded_reduce(n=2, layers=1, s=1)
        >>> tree.reduce([[7.0, 1.0], [7.0, 1.0]], stragglers=[1]).round(12).tolist()
        [7.0, 1.0]
        """
        lost = self._stragglers(stragglers)
        survivors = self._survivors(lost, stuck)
        # a straggler's row may hold anything, also what is no number
        given = numbers("answers", answers, ~lost, axes=1)
        if len(given) != self.workers:
            raise FastgcError(
                f"answers: must have one row for each of {self.workers} workers (got {len(given)})"
            )
        messages = given.reshape(len(given), -1).copy()
        for node in reversed(range(self.workers + 1)):
            if (children := survivors[node]) is None:
                continue
            code = self._work[node].code
            assert code is not None
            own = np.isin(self.children[node], children)
            vector = self._vector(code, own, node)[own]
            combined = vector @ messages[np.asarray(children) - 1]
            if node == 0:
                return np.asarray(combined.reshape(given.shape[1:]))
            messages[node - 1] += combined
        raise AssertionError("the master has survivors")

    def _vector(self, code: Code, alive: Mask, node: int) -> Values:
        vector, off = weights(code, alive)
        if off > 1e-6:
            raise FastgcError(
                f"code: {code.name} loses too many digits to decode the children of "
                f"{_name(node)} (off by {off:.1e}); take another seed, or code='frc'"
            )
        return vector

    def _survivors(self, lost: Mask, stuck: str) -> list[list[int] | None]:
        """Return the children whose messages arrive, for every node that decodes; else None."""
        if stuck not in ("refuse", "lost"):
            raise FastgcError(f'stuck: must be "refuse" or "lost" (got {stuck!r})')
        sends = [True, *(~lost).tolist()]
        cut_off = [False] * (self.workers + 1)  # no message of theirs can reach the master
        for node in range(1, self.workers + 1):
            parent = self._tree.parents[node - 1]
            cut_off[node] = cut_off[parent] or not sends[parent]
        found: list[list[int] | None] = [None] * (self.workers + 1)
        worst: int | None = None
        for node in reversed(range(self.workers + 1)):
            children = self.children[node]
            if not children or cut_off[node] or not sends[node]:
                continue
            alive = [child for child in children if sends[child]]
            if len(children) - len(alive) <= self.s:
                found[node] = alive
                continue
            sends[node] = False
            if node == 0 or stuck == "refuse":
                worst = node
                if stuck == "refuse":
                    sends[node] = True  # each parent is judged by its own children
        if worst is not None:
            gone = [child - 1 for child in self.children[worst] if not sends[child]]
            raise FastgcError(
                f"stragglers: {_name(worst)} can do without at most s={self.s} of its "
                f"{len(self.children[worst])} children (got {len(gone)} that send nothing: "
                f"{_listed(gone)})"
            )
        return found

    def _stragglers(self, stragglers: ArrayLike) -> Mask:
        lost = np.zeros(self.workers, np.bool_)
        lost[worker_indices("stragglers", stragglers, self.workers)] = True
        return lost

    def _check_count(self, place: str, samples: Any) -> None:
        if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
            raise FastgcError(f"{place}: must be a number of samples, 1 or more (got {samples!r})")
        if samples % self.multiple:
            below = int(samples) // self.multiple * self.multiple
            near = f"{below} or {below + self.multiple}" if below else f"{self.multiple}"
            raise FastgcError(
                f"{place}: must be a multiple of {self.multiple} samples, so that all partitions "
                f"are whole (got {samples}; {near} would do)"
            )


def coded_reduce(
    n: int | None = None,
    layers: int | None = None,
    s: int | None = None,
    *,
    parents: Sequence[int] | None = None,
    code: Code | ArrayLike | str | None = None,
    seed: int = 0,
) -> CodedReduceTree:
    """Build the CodedReduce scheme of Reisizadeh, Prakash, Pedarsani and Avestimehr.

    Paper `codedreduce` (arXiv:1902.01981), Section III: below every parent stands a gradient code
    that survives s stragglers, and every worker keeps the share r_CR of (5) of all samples,
    1/((n/(s+1)) + … + (n/(s+1))^L), the least that any scheme on this tree can do with.

    Parameters
    ----------
    n, layers : int
        Children of every parent and layers of workers: N = n + … + n^layers workers.
    s : int
        Stragglers survived among the children of every parent, less than n.
    parents : sequence of int (N,), optional
        Instead of n and layers, any tree: worker i is child of node ``parents[i]`` ≤ i, 0 is the
        master and node j + 1 worker j. The children of a parent then get shares as large as
        their subtrees can take, and a code of their own; the largest load is the least possible on
        that tree.
    code : Code, array_like (k, n) or {"cyclic", "frc", "cyclic-mds"}, optional
        The code below every parent of a regular tree. n workers, equal loads, exact with any s
        stragglers. Default: ``fastgc.codes.cyclic(n, s + 1, seed)``, the paper's; "frc", where
        s + 1 divides n, loses no digits. With more than (s + 1)/n of the partitions a worker,
        f say, the load is 1/(f⁻¹ + … + f⁻ᴸ).
    seed : int
        Of the random codes.

    Returns
    -------
    CodedReduceTree

    Raises
    ------
    FastgcError
        If there is no such tree, or the code does not fit it.

    Examples
    --------
    >>> tree = coded_reduce(n=3, layers=2, s=1)
    >>> tree.workers, tree.load == 4 / 15, tree.multiple
    (12, True, 15)
    >>> coded_reduce(parents=[0, 0, 0, 1, 1], s=1).loads
    (0.5, 0.5, 0.5, 0.5, 0.5)
    """
    seed = seeded("coded_reduce", seed)
    given = None if parents is None else np.asarray(parents).tolist()
    system = made(CodedReduce, "coded_reduce", n=n, layers=layers, s=s, parents=given)
    tree = system.structure()
    if tree.regular is not None:
        below = code_for(code, tree.regular[0], system.s, seed)
        return CodedReduceTree(system, below, regular_work(tree, below))
    if code is not None:
        raise FastgcError(
            "coded_reduce: code: must be left out where parents differ, as each gets a code of "
            "its own"
        )
    work = irregular_work(tree, system.s, seed)
    assert work[0].code is not None
    return CodedReduceTree(system, work[0].code, work)


def _name(node: int) -> str:
    return "the master" if node == 0 else f"worker {node - 1}"


def _listed(workers: list[int]) -> str:
    shown = ", ".join(str(worker) for worker in workers[:8])
    return f"workers {shown}" + (" …" if len(workers) > 8 else "")
