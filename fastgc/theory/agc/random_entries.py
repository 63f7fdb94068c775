"""Cyclic codes whose entries are random, as the paper's reference [2] builds its CRC."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from fastgc.errors import FastgcError
from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import LAW, error, error_difference, tandon
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, circulant
from fastgc.theory.common.arguments import check_probabilities
from fastgc.theory.common.two_class import straggle_probability
from fastgc.theory.papers.claim import Cases

#: Vectors h with Σ h = 0; the first gives the 0/1 circulant up to the size of its columns.
VECTORS = (
    (1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0),
    (1.0, -2.0, 0.5, 3.0, -1.5, 1.0, 2.0, -4.0),
    (3.0, 1.0, -2.0, 4.0, -6.0),
)


@paper.formula
def cyclic_mean_error(null: ArrayLike, p: float) -> float:
    """Mean error of a cyclic code with d = 2 whose columns are orthogonal to h, Σ h = 0.

    Worker j holds partitions j and j+1 with weights h_(j+1) and −h_j, as in Tandon's random code,
    where h is random. Between two neighbouring stragglers at distance v lie v partitions S that
    the v−1 survivors combine to all that is orthogonal to h on S: the error there is
    (Σ_S h)²/Σ_S h². Iid stragglers: Σ_S p² (1−p)^(v−1) (Σ_S h)²/Σ_S h² over all S of v = 1 … n−1
    neighbours. Derived; not in the paper.

    Parameters
    ----------
    null : array_like
        The vector h, one entry a partition, none of them 0.
    p : float
        Probability to straggle.

    Raises
    ------
    FastgcError
        If the entries do not add up to 0, or one of them is 0.

    >>> round(cyclic_mean_error([1, -1] * 4, 0.247), 12)
    0.624412321667
    """
    h = np.asarray(null, dtype=np.float64)
    check_probabilities(p=p)
    if h.ndim != 1 or h.size < 3 or not h.all():
        raise FastgcError("null: needs at least three entries in one row, none of them 0")
    if abs(h.sum()) > 1e-12 * np.abs(h).sum():
        raise FastgcError(f"null: entries must add up to 0 (got {h.sum():g})")
    n = h.size
    turned = np.array([np.roll(h, -j) for j in range(n)])
    sums = np.cumsum(turned, axis=1) ** 2 / np.cumsum(turned**2, axis=1)
    lengths = np.arange(1, n)
    return math.fsum(p * p * (1.0 - p) ** (lengths - 1) * sums[:, :-1].sum(axis=0))


@paper.claim(
    "theorem2.random.corrected",
    "Theorem 2, for the code of its reference [2] with one tolerated straggler",
    corrects="theorem2.cycle-classes.random.printed",
    proof="All columns, and all-ones, are orthogonal to one vector h. The survivors between two "
    "neighbouring stragglers span what is orthogonal to h on the partitions S there, so what is "
    "left of all-ones is its part along h: (sum_S h)^2 / sum_S h^2.",
)
def _() -> Cases:
    """Of a cyclic code with d=2 whose columns are orthogonal to a vector h, sum h = 0, the error is
    the sum of (sum_S h)^2 / sum_S h^2 over the runs S of partitions between neighbouring
    stragglers, which differs inside a cycle class; so the mean error is the sum over all runs S of
    v = 1 ... n-1 neighbours of q^2 (1-q)^(v-1) (sum_S h)^2 / sum_S h^2."""
    p_slow, *pair = LAW
    q = straggle_probability(p_slow, *pair)
    for null in VECTORS:
        theory = cyclic_mean_error(null, q)
        yield error(orthogonal(null), pair, theory, note={"h": [*null]}, p_slow=p_slow)
    for null in VECTORS[1:]:
        yield finite("mean_error", cyclic_mean_error(null, 0.4), code=orthogonal(null), p=0.4)


@paper.claim("theorem2.random.derived", "Section V, for the code of reference [2]", relation=">")
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of random cyclic codes as reference
    [2] draws them is above the circulant's 0.624412 (four draws): their difference."""
    for seed in (1, 2, 3, 4):
        yield error_difference(tandon(8, 2, seed), circulant(8, 2), *LAW)


def orthogonal(null: tuple[float, ...]) -> Table:
    """Table of the cyclic code with d = 2 whose columns are orthogonal to a vector."""
    n = len(null)
    rows = [[0.0] * n for _ in range(n)]
    for j in range(n):
        rows[j][j], rows[(j + 1) % n][j] = null[(j + 1) % n], -null[j]
    return {"family": "matrix", "rows": rows}
