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
from fastgc.latency.time import Time
from fastgc.systems.hierarchical import Hierarchical, hierarchical
from fastgc.systems.schemes import numbers, seeded
from fastgc.systems.timing.parts import Layers


class LayeredProduct:
    """Products A x of which every worker computes one coded part a layer.

    Made by `layered`. The rows of A are cut into Σ k_j tasks of equally many rows, the last of them
    filled up with zero rows where the tasks do not divide the rows. The first k_1 tasks are the
    first layer, and so on; layer j is coded for n workers by an (n, k_j) MDS code (paper
    `hierarchical`, (1)). Any k_j answers give back the layer's tasks (2).

    * ``system``: the same layers as a study's ``system``: their completion times.
    * ``seed``: seed of the codes' weights.

    >>> import numpy as np
    >>> product = layered(n=3, k=[1, 2])
    >>> product
    LayeredProduct(n=3, k=(1, 2))
    """

    def __init__(self, system: Hierarchical, seed: int = 0) -> None:
        assert system.k is not None
        self.system = system
        self.seed = seed
        self._k = system.k

    def __repr__(self) -> str:
        """Show the workers and the tasks of every layer."""
        return f"LayeredProduct(n={self.n}, k={self.k})"

    @property
    def n(self) -> int:
        """Number of workers."""
        return self.system.n

    @property
    def k(self) -> tuple[int, ...]:
        """Tasks of each layer, and answers that it needs."""
        return self._k

    @property
    def layers(self) -> int:
        """Number of layers."""
        return len(self.k)

    @property
    def tasks(self) -> int:
        """Tasks that a product is cut into, Σ k_j."""
        return sum(self.k)

    def structure(self) -> Layers:
        """Return the layers, which say whose answers are waited for."""
        return self.system.structure()

    def rows(self, rows: int) -> int:
        """Return how many rows a task has when A has ``rows``: rows/tasks, rounded up.

        >>> from fastgc.systems import layered
        >>> layered(n=4, k=(3, 2)).rows(21)  # the last task gets 4 rows of zeros
        5
        """
        return -(-rows // self.tasks)

    def encode(self, A: ArrayLike) -> list[Values]:
        """Return the coded blocks that the workers hold: (1) of paper `hierarchical`.

        Parameters
        ----------
        A : array_like (m, p)
            Finite numbers.

        Returns
        -------
        list of float64 arrays (n, rows(m), p)
            One a layer: block i is worker i's. A layer without tasks has none: (0, rows(m), p).

        Raises
        ------
        FastgcError
            If A is no matrix of finite numbers.

        Examples
        --------
        >>> from fastgc.systems import layered
        >>> layered(n=3, k=(2, 1)).encode([[1.0], [2.0], [3.0]])[0].ravel().tolist()
        [1.0, 2.0, 3.0]
        """
        blocks = self._blocks(_matrix(A))
        return [
            self._coded(j, blocks, range(self.n if self.k[j] else 0)) for j in range(self.layers)
        ]

    def decode(self, layer: int, answers: Mapping[int, ArrayLike]) -> Values:
        """Return the results of a layer's tasks from its first k_j answers.

        Parameters
        ----------
        layer : int
            From 0.
        answers : mapping of worker to array_like (rows, …)
            In order of arrival; only the first k_j are used.

        Returns
        -------
        float64 array (k_j, rows, …)

        Raises
        ------
        FastgcError
            If there are fewer than k_j answers, from workers 0 … n − 1 and of one shape.

        Examples
        --------
        >>> from fastgc.systems import layered
        >>> layered(n=3, k=(2, 1)).decode(0, {2: [5.0], 0: [2.0]}).tolist()
        [[2.0], [3.0]]
        """
        if isinstance(layer, bool) or not isinstance(layer, int) or not 0 <= layer < self.layers:
            raise FastgcError(f"layer: must be from 0 to {self.layers - 1} (got {layer!r})")
        need = self.k[layer]
        if len(answers) < need:
            raise FastgcError(
                f"answers: layer {layer} needs those of {need} workers (got {len(answers)})"
            )
        workers = list(answers)[:need]
        strangers = [
            worker
            for worker in workers
            if not isinstance(worker, int | np.integer) or not 0 <= worker < self.n
        ]
        if strangers:
            raise FastgcError(
                f"answers: every worker must be from 0 to {self.n - 1} (got {strangers[0]!r})"
            )
        if not need:
            return np.empty((0,))
        given = numbers("answers", [answers[worker] for worker in workers])
        return recover(
            generator(self.n, need, self.seed), workers, given.reshape(need, -1)
        ).reshape(given.shape)

    def product(self, A: ArrayLike, x: ArrayLike, times: ArrayLike) -> tuple[Values, float]:
        """Return A x as the master computes it, and the time at which it can.

        Every layer is decoded from its first k_j answers; of answers that come at once, those of
        the workers with smaller numbers are first.

        Parameters
        ----------
        A : array_like (m, p)
        x : array_like (p,) or (p, q)
        times : array_like (n,) or (n, layers)
            Seconds ≥ 0 that each worker takes for a task, the same for all of its tasks or one for
            each; inf for a worker that does not get done. Tasks are done one after the other.

        Returns
        -------
        y : float64 array (m,) or (m, q)
        finished_at : float
            Seconds: the last moment at which a layer has its k_j-th answer,
            max_j j·X_(k_j) for times (n,).

        Raises
        ------
        FastgcError
            If A and x do not fit, times are no times, or a layer never gets its answers.

        Examples
        --------
        >>> from fastgc.systems import layered
        >>> A = [[1, 0], [0, 1], [1, 1], [1, 2], [2, 1]]
        >>> y, finished_at = layered(n=4, k=(3, 2)).product(A, [1, 10], [5.0, 1.0, 2.0, 3.0])
        >>> y.round(9).tolist(), finished_at
        ([1.0, 10.0, 11.0, 21.0, 12.0], 4.0)
        """
        matrix, vector = _matrix(A), numbers("x", x)
        if vector.ndim not in (1, 2) or len(vector) != matrix.shape[1]:
            raise FastgcError(
                f"x: must have one row for each of A's {matrix.shape[1]} columns "
                f"(got shape {vector.shape})"
            )
        arrivals = self._arrivals(times)
        blocks = self._blocks(matrix)
        parts, finished_at = [], 0.0
        for j, need in enumerate(self.k):
            if not need:
                continue
            first = np.argsort(arrivals[:, j], kind="stable")[:need].tolist()
            done = float(arrivals[first[-1], j])
            if done == np.inf:
                came = int(np.isfinite(arrivals[:, j]).sum())
                raise FastgcError(f"times: layer {j} needs {need} answers (got {came} that come)")
            finished_at = max(finished_at, done)
            answers = self._coded(j, blocks, first) @ vector
            parts.append(self.decode(j, dict(zip(first, answers, strict=True))))
        y = np.concatenate(parts).reshape(-1, *vector.shape[1:])
        return y[: len(matrix)], finished_at

    def _blocks(self, A: Values) -> Values:
        """Return the tasks (Σ k_j, rows, p) that a matrix is cut into."""
        rows = self.rows(len(A))
        padded = np.zeros((self.tasks * rows, A.shape[1]))
        padded[: len(A)] = A
        return padded.reshape(self.tasks, rows, -1)

    def _coded(self, layer: int, blocks: Values, workers: Sequence[int]) -> Values:
        """Return the coded tasks of some workers in one layer."""
        first = sum(self.k[:layer])
        rows = generator(self.n, self.k[layer], self.seed)[list(workers)]
        return np.tensordot(rows, blocks[first : first + self.k[layer]], axes=1)

    def _arrivals(self, times: ArrayLike) -> Values:
        """Return when each worker has done its task of each layer, (n, layers)."""
        given = numbers("times", times, finite=False)
        if given.shape not in ((self.n,), (self.n, self.layers)):
            raise FastgcError(
                f"times: must have {self.n} rows, one a worker, of one number or one for each of "
                f"{self.layers} layers (got shape {given.shape})"
            )
        if not np.all(given >= 0):
            wrong = given[~(given >= 0)]
            raise FastgcError(f"times: must be 0 or more (got {wrong[0]})")
        if given.ndim == 2:
            return np.cumsum(given, axis=1)
        return np.arange(1, self.layers + 1) * given[:, np.newaxis]


def layered(
    n: int,
    k: Sequence[int] | None = None,
    layers: int | None = None,
    tasks: int | None = None,
    rule: str | None = None,
    time: Time | None = None,
    seed: int = 0,
) -> LayeredProduct:
    """Build the layered scheme of Ferdinand and Draper for matrix–vector products.

    Paper `hierarchical` (Section II): tasks that every worker reaches early get a code of high
    rate, later ones more protection, so that what slow workers have done counts too.

    Parameters
    ----------
    n : int
        Workers.
    k : sequence of int, optional
        Tasks of each layer, from 0 to n: the answers that it needs.
    layers, tasks, rule : optional
        Instead of ``k``, as for `fastgc.systems.hierarchical`: "equal-exponent", "quantile",
        "optimal" or "single-rate" shares out the tasks.
    time : Time, optional
        The law of one task's time, which some rules need.
    seed : int
        Seed of the codes' weights, 0 ≤ seed < 2⁶⁴.

    Returns
    -------
    LayeredProduct

    Raises
    ------
    FastgcError
        If some k_j > n, or the tasks cannot be shared out.

    Examples
    --------
    >>> layered(n=4, k=(3, 2)).tasks
    5
    """
    seed = seeded("layered", seed)
    return LayeredProduct(hierarchical(n, k, layers, tasks, rule).for_time(time), seed)


def _matrix(A: ArrayLike) -> Values:
    matrix = numbers("A", A)
    if matrix.ndim != 2 or matrix.size == 0:
        raise FastgcError(f"A: must be a table, rows × columns (got shape {matrix.shape})")
    return matrix


@functools.lru_cache(maxsize=64)
def generator(n: int, k: int, seed: int = 0) -> Values:
    """Return the generator matrix (n, k) of a systematic (n, k) code over the reals, read-only.

    Worker i < k has block i itself. The others have weighted sums of all blocks: plain ones where
    there is one such worker or one block, as in the (3, 2) code of Lee et al. (1512.02673), else
    normal weights, of which any square part is invertible with probability 1 and, unlike powers
    of n points, well conditioned.

    >>> generator(3, 2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
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
    """Return the k blocks (k, m), decoded from the answers (k, m) of k distinct workers.

    >>> recover(generator(3, 2), [2, 1], np.array([[5.0], [3.0]])).tolist()
    [[2.0], [3.0]]
    """
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
