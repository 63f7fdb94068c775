"""Real MDS codes for data: any k of n coded blocks give back the k blocks."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms


@functools.lru_cache(maxsize=64)
def generator(n: int, k: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the generator matrix of a systematic (n, k) code over the reals.

    Worker i < k has block i itself. The others have weighted sums of all blocks: plain ones where
    there is one such worker or one block, as in the (3, 2) code of Lee et al. (1512.02673), else
    normal weights, of which any square part is invertible with probability 1 and, unlike powers
    of n points, well conditioned.

    Parameters
    ----------
    n, k : int
        0 ≤ k ≤ n.
    seed : int
        Seed of the weights, 0 ≤ seed < 2⁶⁴.

    Returns
    -------
    float64 array (n, k), read-only

    Examples
    --------
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


def recover(
    G: NDArray[np.float64], workers: Sequence[int], answers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the k blocks, decoded from the answers of k workers.

    Parameters
    ----------
    G : float64 array (n, k)
        A `generator`.
    workers : sequence of int (k,)
        Workers that answered, each once.
    answers : float64 array (k, m)
        Their answers, in the same order.

    Returns
    -------
    float64 array (k, m)

    Examples
    --------
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
