"""Systems on real data: CodedReduce, and products with a matrix in layers of coded tasks."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Mask, Values, brief
from fastgc.codes.code import Code, code_of
from fastgc.codes.cyclic import cyclic
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError, public
from fastgc.registry.given import made, worker_indices
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.rules import Hierarchical, hierarchical
from fastgc.systems.timing.group_structures import Layers
from fastgc.systems.timing.stars import Tree
from fastgc_kernels.decode import jacobi


def numbers(place: str, given: Any, finite: Mask | None = None, axes: int = 0) -> Values:
    """Return an array of so many axes at least; ``finite`` says which rows must be, None: all."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "buif" or array.ndim < axes:
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise FastgcError(f"{place}: must be an array of numbers") from None
    some = finite is not None and len(finite) == len(array)
    if not np.isfinite(array[finite] if some else array).all():
        raise FastgcError(f"{place}: every entry must be finite")
    return array


def seeded(name: str, seed: Any) -> int:
    """Return a seed of the scheme of that name, if it is one."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise FastgcError(f"{name}: seed: must be an integer, 0 ≤ seed < 2⁶⁴ (got {seed!r})")
    return int(seed)


class LayeredProduct:
    """Products A x of which every worker computes one coded part a layer.

    Made by `layered`. The rows of A are cut into Σ k_j ``tasks`` of equally many rows, the last of
    them filled up with zero rows where the tasks do not divide the rows. The first k_1 tasks are
    the first layer, and so on; layer j is coded for n workers by an (n, k_j) MDS code (paper
    `hierarchical`, (1)). Any k_j answers give back the layer's tasks (2).

    * ``system``: the same layers as a study's ``system``: their completion times.
    * ``seed``: seed of the codes' weights.
    """

    def __init__(self, system: Hierarchical, seed: int = 0) -> None:
        assert system.k is not None
        self.system, self.seed = system, seed
        self.n, self.k = system.n, system.k
        self.layers, self.tasks = len(self.k), sum(self.k)

    def __repr__(self) -> str:
        return f"LayeredProduct(n={self.n}, k={brief(self.k)}, seed={self.seed})"

    def structure(self) -> Layers:
        """Return the layers, which say whose answers are waited for."""
        return self.system.structure()

    def rows(self, rows: int) -> int:
        """Return how many rows a task has when A has ``rows``: rows/tasks, rounded up."""
        return -(-rows // self.tasks)

    def encode(self, A: ArrayLike) -> list[Values]:
        """Return the coded blocks that the workers hold: (1) of paper `hierarchical`.

        Of A, array_like (m, p) of finite numbers, float64 arrays (n, rows(m), p), one a layer:
        block i is worker i's. A layer without tasks has none: (0, rows(m), p). Raises FastgcError
        if A is no such matrix.
        """
        matrix = numbers("A", A)
        if matrix.ndim != 2 or matrix.size == 0:
            raise FastgcError(f"A: must be a table, rows × columns (got shape {matrix.shape})")
        rows = self.rows(len(matrix))
        padded = np.zeros((self.tasks * rows, matrix.shape[1]))
        padded[: len(matrix)] = matrix
        blocks, found, first = padded.reshape(self.tasks, rows, -1), [], 0
        for need in self.k:
            coded = generator(self.n, need, self.seed)[: self.n if need else 0]
            found.append(np.tensordot(coded, blocks[first : first + need], axes=1))
            first += need
        return found

    def decode(self, layer: int, answers: Mapping[int, ArrayLike]) -> Values:
        """Return the results of a layer's tasks from its first k_j answers.

        ``layer`` is counted from 0; ``answers`` are array_likes (rows, …) by worker, in order of
        arrival, of which only the first k_j are used. Returns a float64 array (k_j, rows, …).
        Raises FastgcError if there are fewer, from workers 0 … n − 1 and of one shape.
        """
        need = self.k[layer]
        workers = list(answers)[:need]
        if len(workers) < need or not set(workers) <= set(range(self.n)):
            raise FastgcError(
                f"answers: layer {layer} needs those of {need} workers from 0 to {self.n - 1} "
                f"(got {workers})"
            )
        if not need:
            return np.empty((0,))
        given = numbers("answers", [answers[worker] for worker in workers])
        G = generator(self.n, need, self.seed)
        return recover(G, workers, given.reshape(need, -1)).reshape(given.shape)


@public
def layered(n: int, k: Sequence[int], seed: int = 0) -> LayeredProduct:
    """Build the layered scheme of Ferdinand and Draper for matrix–vector products.

    Paper `hierarchical` (Section II): tasks that every worker reaches early get a code of high
    rate, later ones more protection, so that what slow workers have done counts too.

    * ``n`` (int): Workers.
    * ``k`` (sequence of int): Tasks of each layer, from 0 to n: the answers that it needs, as by a
      rule of the system `hierarchical`.
    * ``seed`` (int): Seed of the codes' weights, 0 ≤ seed < 2⁶⁴.

    Returns
    -------
    LayeredProduct

    Raises
    ------
    FastgcError
        If some k_j > n, or all are 0.

    Examples
    --------
    >>> layered(n=3, k=(2, 1)).decode(0, {2: [5.0], 0: [2.0]}).tolist()
    [[2.0], [3.0]]
    """
    return LayeredProduct(hierarchical(n, k), seeded("layered", seed))


@functools.lru_cache(maxsize=64)
def generator(n: int, k: int, seed: int = 0) -> Values:
    """Return the generator matrix (n, k) of a systematic (n, k) code over the reals, read-only.

    Worker i < k has block i itself. The others have weighted sums of all blocks: plain ones where
    there is one such worker or one block, as in the (3, 2) code of Lee et al. (1512.02673), else
    normal weights, of which any square part is invertible with probability 1 and, unlike powers
    of n points, well conditioned.
    """
    sums = np.ones((n - k, k))
    if k > 1 and n - k > 1:
        # sums of twelve uniforms are normal for all practical purposes
        sums = np.full((n - k, k), -6.0)
        for part in uniforms(seed, f"mds/{n}/{k}", 12 * sums.size).reshape(12, n - k, k):
            sums += part
    matrix = np.concatenate([np.eye(k), sums])
    matrix.flags.writeable = False
    return matrix


def recover(G: Values, workers: Sequence[int], answers: Values) -> Values:
    """Return the k blocks (k, m), decoded from the answers (k, m) of k distinct workers."""
    k = G.shape[1]
    who = np.asarray(workers, np.int64)
    plain = who < k
    blocks = np.empty_like(answers)
    blocks[who[plain]] = answers[plain]
    missing = np.setdiff1d(np.arange(k), who[plain])
    if missing.size:
        sums, known = G[who[~plain]], who[plain]
        rest = answers[~plain] - sums[:, known] @ blocks[known]
        blocks[missing] = np.linalg.solve(sums[:, missing], rest)
    return blocks


#: Patterns of stragglers with which a matrix of unknown tolerance is tried, at most.
_MOST_PATTERNS = 20_000


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


class CodedReduceTree:
    """A regular tree of workers that computes exact gradients with s stragglers below each parent.

    Made by `coded_reduce`. Workers are numbered 0 … N − 1, layer by layer, the children of a node
    together; the parent of worker j is worker ``structure().parents[j] − 1``, or the master.

    * ``system``: the same tree as a study's ``system``: its completion times.
    * ``code``: that of every parent's children; ``joined``: of partitions that all treat alike.
    * ``children`` (list of lists of int): those of each node, the master's first.
    * ``workers``, ``s``: the number of workers, without the master; the stragglers that every
      parent survives among its children.
    * ``load`` (float): the share of all samples that each worker computes on, r_CR of (5).
    * ``multiple`` (int): the number of samples must be a multiple of it, to be cut into whole
      partitions.
    """

    def __init__(self, system: CodedReduce, code: Code) -> None:
        assert system.layers is not None
        self.system, self.s, self.code = system, system.s, code
        self._tree = system.structure()
        self.workers = self._tree.workers
        offsets, nodes = self._tree.children
        self.children = [each.tolist() for each in np.split(nodes, offsets[1:-1])]
        held = Fraction(int(code.loads[0]), code.k)  # of what a parent passes on
        depths = range(1, system.layers + 1)
        self._kept = 1 / sum(((1 / held) ** layer for layer in depths), Fraction(0))
        self.load = float(self._kept)
        # the number of samples must be divisible for joined partitions only
        first = np.flatnonzero([True, *np.any(code.B[1:] != code.B[:-1], axis=1)])
        counts: list[int] = np.diff([*first, code.k]).tolist()
        self.joined = code_of(code.B[first], code.name, code.tolerance)
        #: Of each layer but the last, the master's first: sizes of the joined partitions. A layer's
        #: data shrinks by what is kept above it, Appendix C, (12) and (13).
        self._sizes: list[list[Fraction]] = []
        passed = Fraction(1)
        for _ in depths:
            self._sizes.append([passed * count / code.k for count in counts])
            passed = held * passed - self._kept
        cuts = (self._kept, *(size for sizes in self._sizes for size in sizes))
        self.multiple = math.lcm(*(share.denominator for share in cuts))

    def __repr__(self) -> str:
        """Return the tree's shape and load as text."""
        n, layers = self.system.n, self.system.layers
        shape = f"n={n}, layers={layers}, s={self.s}"
        return f"CodedReduceTree({shape}, workers={self.workers}, load={self.load:.6g})"

    def structure(self) -> Tree:
        """Return the tree, which says whose answers are waited for."""
        return self._tree

    def allocate(self, samples: int) -> list[Share]:
        """Give every worker its samples and their coefficients.

        CR.Allocate of Algorithm 2: a parent's data is cut by its children's code (CompAlloc,
        Algorithm 1); every child keeps the first of what it gets and passes on the rest. Returns a
        `Share` for each of the N workers: ``.samples``, indices from 0, and ``.coefficients``.
        Raises FastgcError unless ``samples``, their number, is a multiple of ``multiple``.
        """
        if samples < 1 or samples % self.multiple:
            above = -(-max(samples, 1) // self.multiple) * self.multiple
            raise FastgcError(
                f"samples: must be a multiple of {self.multiple}, so that all partitions are whole "
                f"(got {samples}; {above} would do)"
            )
        given, kept = [Share(np.arange(samples), np.ones(samples))], list[Share]()
        for fractions in self._sizes:
            ends = np.cumsum([int(size * samples) for size in fractions]).tolist()
            below = []
            for share in given:
                parts = [share.part(a, b) for a, b in pairwise([0, *ends])]
                for column in self.joined.B.T:
                    own = np.flatnonzero(column).tolist()
                    own_samples = np.concatenate([parts[i].samples for i in own])
                    coefficients = [column[i] * parts[i].coefficients for i in own]
                    below.append(Share(own_samples, np.concatenate(coefficients)))
            own_size = int(self._kept * samples)
            kept += [share.part(0, own_size) for share in below]
            given = [share.part(own_size, len(share)) for share in below]
        return kept

    def gradient(self, per_sample_gradients: ArrayLike, stragglers: ArrayLike = ()) -> Values:
        """Return the sum of all samples' gradients as the tree computes it.

        Every worker adds up its own samples' gradients times their coefficients; `reduce` does the
        rest. ``per_sample_gradients`` is (samples, …), ``stragglers`` as for `reduce`; returns a
        float64 array (…). Raises FastgcError as `allocate` and `reduce`.
        """
        gradients = numbers("per_sample_gradients", per_sample_gradients, axes=1)
        shares = self.allocate(len(gradients))
        flat = gradients.reshape(len(gradients), -1)
        answers = np.array([share.coefficients @ flat[share.samples] for share in shares])
        return self.reduce(answers, stragglers).reshape(gradients.shape[1:])

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
        """
        lost = np.zeros(self.workers, np.bool_)
        lost[worker_indices("stragglers", stragglers, self.workers)] = True
        # a straggler's row may hold anything, also what is no number
        given = numbers("answers", answers, ~lost, axes=1)
        if len(given) != self.workers:
            raise FastgcError(
                f"answers: must have one row for each of {self.workers} workers (got {len(given)})"
            )
        messages = given.reshape(len(given), -1).copy()
        sends = [True, *(~lost).tolist()]
        for node in reversed(range(self.workers + 1)):
            children, code = self.children[node], self.joined
            if not children or not sends[node]:
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


@public
def coded_reduce(
    n: int, layers: int, s: int, *, code: "Code | ArrayLike | None" = None, seed: int = 0
) -> CodedReduceTree:
    """Build the CodedReduce scheme of Reisizadeh, Prakash, Pedarsani and Avestimehr.

    Paper `codedreduce` (arXiv:1902.01981), Section III: below every parent stands a gradient code
    that survives s stragglers, and every worker keeps the share r_CR of (5) of all samples,
    1/((n/(s+1)) + … + (n/(s+1))^L), the least that any scheme on this tree can do with.

    * ``n``, ``layers`` (int): Children of every parent and layers of workers: N = n + … + n^layers
      workers.
    * ``s`` (int): Stragglers survived among the children of every parent, less than n.
    * ``code`` (Code or array_like (k, n), optional): The code below every parent: n workers, equal
      loads, exact with any s stragglers. Default: ``fastgc.codes.cyclic(n, s + 1, seed)``, the
      paper's; ``fastgc.codes.frc``, where s + 1 divides n, loses no digits. With more than
      (s + 1)/n of the partitions a worker, f say, the load is 1/(f⁻¹ + … + f⁻ᴸ).
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
    """
    seed = seeded("coded_reduce", seed)
    system = made(CodedReduce, "coded_reduce", n=n, layers=layers, s=s)
    if code is None:
        return CodedReduceTree(system, cyclic(n, s + 1, seed))
    own = code if isinstance(code, Code) else code_of(code, "the matrix")
    survives = own.n == n and not np.ptp(own.loads)
    if survives and own.tolerance is not None:
        survives = own.tolerance >= s
    elif survives and math.comb(n, s) > _MOST_PATTERNS:
        raise FastgcError(
            f"code: must say that it survives s={s} stragglers, as there are more than "
            f"{_MOST_PATTERNS} patterns to try; give fastgc.codes.code_of(B, tolerance={s})"
        )
    elif survives:  # of unknown tolerance: all patterns are tried
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
    return CodedReduceTree(system, own)


def _vectors(code: Code, alive: Mask) -> tuple[Values, Values]:
    """The shortest decoding vectors of patterns (T, n), and the largest |Ba − 1| of each."""
    padded = np.zeros((len(alive), 64 * -(-code.n // 64)), np.bool_)
    padded[:, : code.n] = alive
    words = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    out = np.empty((len(alive), code.n))
    jacobi.decoding_vectors(words, np.ascontiguousarray(code.B.T), out)
    return out, np.abs(out @ code.B.T - 1.0).max(axis=1)
