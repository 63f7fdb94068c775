"""A matrix–vector product in layers of coded tasks: paper `hierarchical` on real data.

The timing of the same layers is the system `hierarchical`.
"""

import functools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.systems.hierarchical import Hierarchical, hierarchical
from fastgc.systems.schemes import numbers, seeded
from fastgc.systems.timing.parts import Layers


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


def layered(n: int, k: Sequence[int], seed: int = 0) -> LayeredProduct:
    """Build the layered scheme of Ferdinand and Draper for matrix–vector products.

    Paper `hierarchical` (Section II): tasks that every worker reaches early get a code of high
    rate, later ones more protection, so that what slow workers have done counts too.

    * ``n`` (int): Workers.
    * ``k`` (sequence of int): Tasks of each layer, from 0 to n: the answers that it needs, as by a
      rule of `fastgc.systems.hierarchical`.
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
