"""CodedReduce on real data: which samples each worker computes on, and how they are summed up.

Paper `codedreduce`, Algorithms 1 and 2. The timing of the same tree is the system `coded-reduce`.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code, code_of
from fastgc.codes.cyclic import cyclic
from fastgc.errors import FastgcError
from fastgc.registry.given import made, worker_indices
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.schemes import numbers, seeded
from fastgc.systems.schemes.allocation import (
    NodeWork,
    Share,
    allocate,
    irregular_work,
    regular_work,
)
from fastgc.systems.timing.trees import Tree
from fastgc_kernels.decode import decoding_vectors

#: Patterns of stragglers with which a matrix of unknown tolerance is tried, at most.
_MOST_PATTERNS = 20_000


class CodedReduceTree:
    """A tree of workers that computes exact gradients with s stragglers below every parent.

    Made by `coded_reduce`. Workers are numbered 0 … N − 1, layer by layer in a regular tree, the
    children of a node together; the parent of worker j is worker ``structure().parents[j] − 1``,
    or the master.

    * ``system``: the same tree as a study's ``system``: its completion times.
    * ``code``: the code of the master's children; of every parent's in a regular tree.
    * ``codes``: the code of each node's children (N + 1,), the master's first; None where none are.
    * ``children`` (list of lists of int): those of each node, the master's first; worker j is node
      j + 1.
    * ``workers``, ``s``: the number of workers, without the master; the stragglers that every
      parent survives among its children.
    * ``loads`` (tuple of float): the share of all samples that each worker computes on; all alike
      in a regular tree, r_CR of (5).
    * ``multiple`` (int): the number of samples must be a multiple of it, to be cut into whole
      partitions.

    >>> tree = coded_reduce(n=3, layers=2, s=1)
    >>> tree.workers, tree.multiple, tree.loads[0] == 4 / 15
    (12, 15, True)
    """

    def __init__(self, system: CodedReduce, work: Sequence[NodeWork]) -> None:
        self.system, self.s = system, system.s
        self._work, self._tree = tuple(work), system.structure()
        self.codes = tuple(each.code for each in self._work)
        assert self.codes[0] is not None
        self.code = self.codes[0]
        self.workers = self._tree.workers
        self.loads = tuple(float(each.kept) for each in self._work[1:])
        shares = {each.kept for each in self._work}
        shares |= {size for each in self._work for size in each.sizes}
        self.multiple = math.lcm(*(share.denominator for share in shares))
        offsets, nodes = self._tree.children
        self.children = [each.tolist() for each in np.split(nodes, offsets[1:-1])]

    def __repr__(self) -> str:
        """Return the tree's shape and load as text."""
        regular = self._tree.regular
        shape = f"n={regular[0]}, layers={regular[1]}, " if regular else ""
        return f"CodedReduceTree({shape}s={self.s}, workers={self.workers}, load={self.load:.6g})"

    @property
    def load(self) -> float:
        """Largest share of all samples that a worker computes on."""
        return max(self.loads)

    def structure(self) -> Tree:
        """Return the tree, which says whose answers are waited for."""
        return self._tree

    def allocate(self, samples: int) -> list[Share]:
        """Give every worker its samples and their coefficients.

        CR.Allocate of Algorithm 2: a parent's data is cut by its children's code (CompAlloc,
        Algorithm 1); every child keeps the first of what it gets and passes on the rest. Returns a
        `Share` for each of the N workers: ``.samples``, indices from 0, and ``.coefficients``.
        Raises FastgcError unless ``samples``, their number, is a multiple of ``multiple``.

        >>> from fastgc.systems import coded_reduce
        >>> shares = coded_reduce(n=2, layers=1, s=0).allocate(4)
        >>> shares[1].samples.tolist(), shares[1].coefficients.tolist()
        ([2, 3], [1.0, 1.0])
        """
        if samples < 1 or samples % self.multiple:
            above = -(-max(samples, 1) // self.multiple) * self.multiple
            raise FastgcError(
                f"samples: must be a multiple of {self.multiple}, so that all partitions are whole "
                f"(got {samples}; {above} would do)"
            )
        given: list[Share | None] = [Share(np.arange(samples), np.ones(samples))]
        given += [None] * self.workers
        kept = []
        for node, work in enumerate(self._work):
            share = given[node]
            given[node] = None  # what was passed on is not needed again
            assert share is not None
            own = int(work.kept * samples)
            kept.append(share.part(0, own))
            if work.code is not None:
                sizes = [int(size * samples) for size in work.sizes]
                passed = allocate(share.part(own, len(share)), work.code, sizes)
                for child, part in zip(self.children[node], passed, strict=True):
                    given[child] = part
        return kept[1:]

    def reduce(self, answers: ArrayLike, stragglers: ArrayLike = ()) -> Values:
        """Put the workers' own coded gradients together: CR.Execute of Algorithm 2.

        From the lowest layer up, every parent combines its children's messages with the decoding
        vector of those that came, adds its own, and sends it on. A worker with more than s
        stragglers among its children is one to its own parent, as in the measure ``decodable``.

        * ``answers`` (array_like (N, …)): what each worker computed, Σ coefficient · gradient over
          its samples of `allocate`. A straggler's row may hold anything.
        * ``stragglers`` (array_like): workers that do not answer, distinct indices from 0, or N
          booleans. What is below a straggler is lost with it.

        Returns the sum of all samples' gradients, float64 array (…). Raises FastgcError if the
        master has too many stragglers among its children.

        >>> from fastgc.systems import coded_reduce
        >>> tree = coded_reduce(n=2, layers=1, s=1)
        >>> tree.reduce([[7.0, 1.0], [7.0, 1.0]], stragglers=[1]).round(12).tolist()
        [7.0, 1.0]
        """
        lost = self._stragglers(stragglers)
        # a straggler's row may hold anything, also what is no number
        given = numbers("answers", answers, ~lost, axes=1)
        if len(given) != self.workers:
            raise FastgcError(
                f"answers: must have one row for each of {self.workers} workers (got {len(given)})"
            )
        messages = given.reshape(len(given), -1).copy()
        sends = [True, *(~lost).tolist()]
        for node in reversed(range(self.workers + 1)):
            children, code = self.children[node], self.codes[node]
            if code is None or not sends[node]:
                continue
            alive = np.array([sends[child] for child in children], np.bool_)
            if len(children) - alive.sum() > self.s:
                sends[node] = False
                continue
            vectors, off = _vectors(code, alive[np.newaxis])
            if off[0] > 1e-6:
                who = f"worker {node - 1}" if node else "the master"
                raise FastgcError(
                    f"code: {code.name} loses too many digits to decode the children of {who} "
                    f"(off by {off[0]:.1e}); take another seed, or a fractional repetition code"
                )
            combined = vectors[0][alive] @ messages[np.asarray(children)[alive] - 1]
            if node == 0:
                return np.asarray(combined.reshape(given.shape[1:]))
            messages[node - 1] += combined
        raise FastgcError(
            f"stragglers: the master can do without at most s={self.s} of its "
            f"{len(self.children[0])} children"
        )

    def _stragglers(self, stragglers: ArrayLike) -> Mask:
        lost = np.zeros(self.workers, np.bool_)
        lost[worker_indices("stragglers", stragglers, self.workers)] = True
        return lost


def coded_reduce(
    n: int | None = None,
    layers: int | None = None,
    s: int | None = None,
    *,
    parents: Sequence[int] | None = None,
    code: Code | ArrayLike | None = None,
    seed: int = 0,
) -> CodedReduceTree:
    """Build the CodedReduce scheme of Reisizadeh, Prakash, Pedarsani and Avestimehr.

    Paper `codedreduce` (arXiv:1902.01981), Section III: below every parent stands a gradient code
    that survives s stragglers, and every worker keeps the share r_CR of (5) of all samples,
    1/((n/(s+1)) + … + (n/(s+1))^L), the least that any scheme on this tree can do with.

    * ``n``, ``layers`` (int): Children of every parent and layers of workers: N = n + … + n^layers
      workers.
    * ``s`` (int): Stragglers survived among the children of every parent, less than n.
    * ``parents`` (sequence of int (N,), optional): Instead of n and layers, any tree: worker i is
      child of node ``parents[i]`` ≤ i, 0 is the master and node j + 1 worker j. The children of a
      parent then get shares as large as their subtrees can take, and a code of their own; the
      largest load is the least possible on that tree.
    * ``code`` (Code or array_like (k, n), optional): The code below every parent of a regular tree:
      n workers, equal loads, exact with any s stragglers. Default: ``fastgc.codes.cyclic(n, s + 1,
      seed)``, the paper's; ``fastgc.codes.frc``, where s + 1 divides n, loses no digits. With more
      than (s + 1)/n of the partitions a worker, f say, the load is 1/(f⁻¹ + … + f⁻ᴸ).
    * ``seed`` (int): Of the random codes.

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
        return CodedReduceTree(
            system, regular_work(tree, _code_for(code, tree.regular[0], system.s, seed))
        )
    if code is not None:
        raise FastgcError(
            "coded_reduce: code: must be left out where parents differ, as each gets a code of "
            "its own"
        )
    return CodedReduceTree(system, irregular_work(tree, system.s, seed))


def _code_for(code: Any, n: int, s: int, seed: int) -> Code:
    """Return the code below a parent; one of unknown tolerance is tried with all patterns."""
    if code is None:
        return cyclic(n, s + 1, seed)
    own = code if isinstance(code, Code) else code_of(code, "the matrix")
    survives = own.n == n and not np.ptp(own.loads)
    if survives and own.tolerance is not None:
        survives = own.tolerance >= s
    elif survives and math.comb(n, s) > _MOST_PATTERNS:
        raise FastgcError(
            f"code: must say that it survives s={s} stragglers, as there are more than "
            f"{_MOST_PATTERNS} patterns to try; give fastgc.codes.code_of(B, tolerance={s})"
        )
    elif survives:
        gone = np.array(list(combinations(range(n), s)), np.int64)
        alive = np.ones((len(gone), n), np.bool_)
        np.put_along_axis(alive, gone, False, axis=1)
        survives = bool(np.all(_vectors(own, alive)[1] <= 1e-8))
    if not survives:
        raise FastgcError(
            f"code: must have n={n} workers, one a child, of equal loads, and survive any s={s} "
            f"stragglers (got {own.name}: {own.n} workers, loads {own.loads.min()} to "
            f"{own.loads.max()}, tolerance {own.tolerance})"
        )
    return own


def _vectors(code: Code, alive: Mask) -> tuple[Values, Values]:
    """Return the shortest decoding vectors of patterns (T, n), and the largest |Ba − 1| of each."""
    padded = np.zeros((len(alive), 64 * -(-code.n // 64)), np.bool_)
    padded[:, : code.n] = alive
    words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    out = np.empty((len(alive), code.n))
    decoding_vectors.vectors(words, np.ascontiguousarray(code.B.T), out)
    return out, np.abs(out @ code.B.T - 1.0).max(axis=1)
