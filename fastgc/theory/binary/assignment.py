"""Who holds how much in paper binary: Sections III, V and VI.

The workers of residue class i mod s+1 share out all partitions; with n = ℓ(s+1) + r the classes
0 … r−1 have ℓ+1 workers each, the others ℓ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise


def blocks_and_remainder(n: int, s: int) -> tuple[int, int]:
    """ℓ and r of n = ℓ(s+1) + r, after refusing what is not 0 ≤ s < n.

    >>> blocks_and_remainder(11, 3)
    (2, 3)
    """
    check_count("n", n, 1)
    check_count("s", s, 0, n - 1)
    return divmod(int(n), int(s) + 1)


def loads(n: int, s: int) -> NDArray[np.int64]:
    """Loads of the n workers for k = n (binary, Section III, prose).

    Classes 0 … r−1: where ℓ > s−r, s+1 in the first ℓ+r−s blocks of workers and s in the others;
    else, with n = λ(ℓ+1) + r̃, λ+1 in the first r̃ blocks and λ in the others. Classes r … s: with
    r = tℓ + q, s+t+2 in the first q blocks and s+t+1 in the others. Exact.

    >>> loads(11, 3).tolist()
    [4, 4, 4, 6, 4, 4, 4, 5, 3, 3, 3]
    """
    blocks, r = blocks_and_remainder(n, s)
    if blocks > s - r:
        size, larger = s, blocks + r - s
    else:
        size, larger = divmod(n, blocks + 1)
    t, q = divmod(r, blocks)
    out = np.empty(n, dtype=np.int64)
    for worker in range(n):
        block, residue = divmod(worker, s + 1)
        first = residue < r
        out[worker] = size + (block < larger) if first else s + t + 1 + (block < q)
    return out


@elementwise
def total_load(n: int, s: int, k: int | None = None) -> float:
    """Sum k(s+1) of all loads (binary, after Theorem 1). Exact.

    >>> total_load(11, 3)
    44.0
    """
    blocks_and_remainder(n, s)
    return (n if k is None else k) * (s + 1)


@elementwise
def least_load_printed(n: int, s: int, k: int | None = None) -> float:
    """Load k(s+1)/n that each server exceeds (binary, Section II-B). Wrong when r > 0.

    >>> least_load_printed(11, 3)
    4.0
    """
    return float(total_load(n, s, k)) / n


@elementwise
def least_load(n: int, s: int, k: int | None = None) -> float:
    """Smallest load, k over the workers of the largest class, rounded down. Derived.

    >>> least_load(11, 3)
    3.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return (n if k is None else k) // (blocks + (r > 0))


@elementwise
def unevenness(n: int, s: int) -> float:
    """d_s(B) = Σ_j |load_j − (s+1)| = 2r(s+1−r) of the binary code, k = n. Derived.

    Correction of binary, Proposition 3: it is the minimum only over schemes whose s+1 classes each
    share out the data; over all B the minimum is 0 (any circulant).

    >>> unevenness(11, 3)
    6.0
    """
    _, r = blocks_and_remainder(n, s)
    return 2.0 * r * (s + 1 - r)


@elementwise
def divisor_chance_printed(n: int) -> float:
    """Chance (σ₀(n)−2)/n that s+1 divides n for random s < n (binary, Section V). Wrong.

    >>> divisor_chance_printed(12)
    0.3333333333333333
    """
    return (_divisors(n) - 2) / n


@elementwise
def divisor_chance(n: int) -> float:
    """Chance σ₀(n)/n that s+1 divides n, s uniform on 0 … n−1.

    >>> divisor_chance(12)
    0.5
    """
    return _divisors(n) / n


@elementwise
def excess_blocks(n: int, s: int) -> float:
    """t of r = tℓ + q, which Lemma 4 of binary says is 0 or 1 for n ≥ s².

    >>> excess_blocks(11, 3), excess_blocks(5, 2)
    (1.0, 2.0)
    """
    blocks, r = blocks_and_remainder(n, s)
    return r // blocks


def heterogeneous_loads(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> NDArray[np.float64]:
    """Load of a worker of each group, J_i = (s+1) k/(t_i Σ_j τ_j/t_j) (binary, Section VI). Exact.

    ``workers`` are the numbers τ_i, ``times`` the mean times t_i for one partition; then all
    groups need the same mean time, and the loads come to k(s+1). Not whole numbers.

    >>> heterogeneous_loads([2, 4], [1, 7], s=1, k=6).round(6).tolist()
    [4.666667, 0.666667]
    """
    tau, t = _groups(workers, times, s, k)
    return np.asarray((s + 1) * k / (t * np.sum(tau / t)), dtype=np.float64)


def heterogeneous_loads_printed(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> NDArray[np.float64]:
    """The same for two groups as binary, Section VI, prints it, with τ_1/τ_2 = α/β. Right.

    J_1 = (s+1) k α t_2/(α t_2 + β t_1)/τ_1 and J_2 = (s+1) k β t_1/(α t_2 + β t_1)/τ_2.

    >>> heterogeneous_loads_printed([2, 4], [1, 7], s=1, k=6).round(6).tolist()
    [4.666667, 0.666667]
    """
    tau, t = _groups(workers, times, s, k)
    if len(tau) != 2:
        raise FastgcError(
            f"workers: got {len(tau)} groups, but the printed formula is for 2; use "
            "heterogeneous_loads"
        )
    common = math.gcd(int(tau[0]), int(tau[1]))
    alpha, beta = tau / common
    whole = alpha * t[1] + beta * t[0]
    shares = np.array([alpha * t[1] / tau[0], beta * t[0] / tau[1]], dtype=np.float64)
    return np.asarray(shares * (s + 1) * k / whole, dtype=np.float64)


@elementwise
def class_workers(n: int, s: int, workers: int) -> float:
    """Workers n_i/(s+1) of a group of n_i in each class, where that is whole.

    binary, Section VI, prints α/(α+β)·k/(s+1) (``class_workers_printed``), right only for k = n.

    >>> class_workers(6, 1, 2)
    1.0
    """
    blocks_and_remainder(n, s)
    check_count("workers", workers, 0, n)
    return workers / (s + 1)


@elementwise
def class_workers_printed(n: int, s: int, workers: int, k: int) -> float:
    """Workers of a group in each class as binary, Section VI, prints it. Wrong unless k = n.

    >>> class_workers_printed(6, 1, 2, k=12)
    2.0
    """
    check_count("k", k, 1)
    return float(class_workers(n, s, workers)) * k / n


def _divisors(n: int) -> int:
    check_count("n", n, 1)
    return sum(n % d == 0 for d in range(1, int(n) + 1))


def _groups(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    tau, t = np.asarray(workers, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if tau.shape != t.shape or tau.ndim != 1 or len(tau) == 0:
        raise FastgcError(
            f"workers, times: got {len(tau)} and {len(t)} entries, but one of each a group is "
            "needed"
        )
    for name, values in (("workers", tau), ("times", t)):
        if not np.all(values > 0):
            raise FastgcError(f"{name}: got {values.tolist()}, but positive numbers are needed")
    check_count("s", s, 0, int(tau.sum()) - 1)
    check_count("k", k, 1)
    return tau, t
