"""A gradient code for workers that take different amounts of data, each point held by s + 1.

Shares lie end to end around a circle that is as long as the data, so that they go around it s + 1
times. Where shares begin cuts the data into partitions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc_kernels.decode import elimination

_ATTEMPTS = 100


def arcs(
    shares: Sequence[Fraction], total: Fraction, s: int, seed: int = 0
) -> tuple[Code, tuple[Fraction, ...]]:
    """Build a code for given shares, exact with any s stragglers.

    Parameters
    ----------
    shares : sequence of Fraction (n,)
        Data of each worker, at most ``total``; they add up to (s + 1) ``total``.
    total : Fraction
        All data.
    s : int
        Stragglers, less than n.
    seed : int
        Seed of the random weights.

    Returns
    -------
    code : Code
        Partitions × workers; every row has s + 1 entries.
    sizes : tuple of Fraction (k,)
        The partitions' sizes, which add up to ``total``.

    Notes
    -----
    The decoding vectors are taken from a random space of s + 1 dimensions, rows of Q (s + 1, n):
    one of them vanishes on any s stragglers. A row of B with the holders H solves
    Σ_{j ∈ H} b_j Q_j = g with one g for all rows, so that every a = Qᵀu with u·g = 1 gives B a = 1.
    With the powers of n points as Q these are divided differences; random numbers lose fewer
    digits (n = 30, s = 10: 5 instead of 7).

    Examples
    --------
    >>> code, sizes = arcs([Fraction(1), Fraction(2), Fraction(1)], Fraction(2), s=1)
    >>> (code.B != 0).astype(int).tolist(), [str(size) for size in sizes]
    ([[1, 1, 0], [0, 1, 1]], ['1', '1'])
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
    return code_of(_weights(holds, s, seed, name), name, s), sizes


def _weights(holds: NDArray[np.bool_], s: int, seed: int, name: str) -> NDArray[np.float64]:
    """Encoding matrix with given supports of s + 1 workers a row, the largest entries 1."""
    if s == 0 or holds.all() or np.all(holds.sum(axis=0) == 1):
        return holds.astype(np.float64)  # one holder of each partition is enough, and there is one
    for attempt in range(_ATTEMPTS):
        found = _solved(holds, s, seed, attempt)
        if found is not None:
            return found
    raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take another seed")


def _solved(
    holds: NDArray[np.bool_], s: int, seed: int, attempt: int
) -> NDArray[np.float64] | None:
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
