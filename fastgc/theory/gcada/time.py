"""How long an iteration waits (paper gcada, Section V-A): for workers, or the fastest of groups.

A worker's mini-batch takes an exponential time of the given ``mean`` η, whatever it stores.
``d`` = M_G workers of a group hold the same data; d = 1 is CADA.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.common.order_statistics import exponential_order_mean, harmonic

#: From here on the asymptotic series of H(x) is good to 1e-16.
_LARGE = 16


@elementwise
def order_mean(n: int, k: int, mean: float = 1.0) -> float:
    """Mean η (H_n − H_{n−k}) of the k-th smallest of n exponential times; gcada (10), exact.

    >>> round(order_mean(12, 12, 1e-4), 10)
    0.0003103211
    """
    return float(exponential_order_mean(n, k, mean))


@elementwise
def group_order_mean(groups: int, k: int, d: int, mean: float = 1.0) -> float:
    """Mean (η/d)(H_G − H_{G−k}) of the k-th smallest of G group times; gcada (14), corrected.

    A group's time is that of the fastest of its d workers.

    >>> round(group_order_mean(4, 2, 3), 6)
    0.194444
    """
    check_count("d", d, 1)
    return float(exponential_order_mean(groups, k, mean / d))


@elementwise
def group_order_mean_printed(groups: int, k: int, d: int, mean: float = 1.0) -> float:
    """Mean (η/d) H_k that gcada (14) gives as that of the k-th smallest of G group times. Wrong.

    The integral of 1 − F_G(x)^k is the mean of the largest of k group times; right for k = G.

    >>> round(group_order_mean_printed(4, 2, 3), 6)
    0.5
    """
    check_count("d", d, 1)
    check_count("k", k, 1, groups)
    return float(exponential_order_mean(k, k, mean / d))


@elementwise
def selected_time(selected: float, d: int = 1, mean: float = 1.0) -> float:
    """Time (η/d) H(x) until x selected groups of d have answered; gcada (11), (13), (16).

    H is the harmonic number at any x ≥ 0, ψ(x+1) + γ. Exact for a fixed whole number x. Where x is
    the mean of a number that varies, H being concave, it is an upper bound of the mean time.

    >>> round(selected_time(12), 6), round(selected_time(2.5, 4), 6)
    (3.103211, 0.420093)
    """
    check_count("d", d, 1)
    _positive("mean", mean)
    return mean / d * float(harmonic_at(selected))


@elementwise
def harmonic_at(x: float) -> float:
    """Harmonic number H(x) = ψ(x+1) + γ at any x ≥ 0, concave.

    >>> harmonic_at(2.0), round(harmonic_at(0.5), 9)
    (1.5, 0.613705639)
    """
    if not 0.0 <= x < math.inf:
        raise FastgcError(f"x: got {x}, but a finite number at least 0 is needed")
    if x == int(x) and x < 10_000:
        return float(harmonic(int(x)))
    below = 0.0
    while x < _LARGE:
        x += 1.0
        below += 1.0 / x
    s = 1.0 / (x * x)
    series = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))
    return math.log(x) + _EULER + 0.5 / x - series - below


@elementwise
def binomial_time(n: int, p: float, d: int = 1, mean: float = 1.0) -> float:
    """Mean time where each of n groups of d is selected with probability p. Derived.

    Σ_x P(x) (η/d) H_x, by Σ_{i ≤ n} (1 − (1−p)^i)/i.

    >>> binomial_time(2, 0.5)
    0.875
    """
    check_count("n", n, 1)
    check_count("d", d, 1)
    _positive("mean", mean)
    if not 0.0 <= p <= 1.0:
        raise FastgcError(f"p: got {p}, but a probability lies in [0, 1]")
    return mean / d * math.fsum((1.0 - (1.0 - p) ** i) / i for i in range(1, int(n) + 1))


@elementwise
def least_time(selections: float, groups: int, d: int = 1, mean: float = 1.0) -> float:
    """Least mean time of so many selections: always all G groups at once. Derived.

    >>> round(least_time(3073, 4, 3, 1e-4), 6)
    0.053351
    """
    check_count("groups", groups, 1)
    return selections / groups * float(selected_time(groups, d, mean))


@elementwise
def most_time(selections: float, groups: int, d: int = 1, mean: float = 1.0) -> float:
    """Largest mean time of so many selections: one group after the other. Derived.

    >>> round(most_time(3073, 4, 3, 1e-4), 6)
    0.102433
    """
    check_count("groups", groups, 1)
    return selections * float(selected_time(1, d, mean))


_EULER = 0.5772156649015329


def _positive(name: str, value: float) -> None:
    if not 0.0 < value < math.inf:
        raise FastgcError(f"{name}: got {value}, but a finite number above 0 is needed")
