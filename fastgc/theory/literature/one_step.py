"""One-step decoding: every received sum gets the same weight ρ, x = ρ·1.

Its error is Σ_i (ρ c_i − 1)², c_i the number of survivors that hold partition i; the mean needs
only how many workers hold each partition. ``p`` is the probability q to straggle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, check_probabilities, elementwise, one_of
from fastgc.theory.common.combinatorics import binomial_probabilities


@elementwise
def one_step_mean_error(
    k: int,
    n: int,
    holders: int,
    survivors: int | None = None,
    p: float | None = None,
    rho: float | None = None,
) -> float:
    """Mean one-step error of a 0/1 code in which every partition has w holders.

    Given r survivors, all patterns alike, and ρ = k/(r d) = n/(r w):
    k(n−r)(n−w)/(w r (n−1)), k for r = 0; for iid stragglers a mixture of these, and with fixed
    ρ = 1/((1−q)w): k q/((1−q)w). Any other ρ by the mean and variance of c_i. Derived; Charles,
    Papailiopoulos, Ellenberg (arXiv:1711.06771) bound it for random regular graphs.

    >>> round(one_step_mean_error(k=8, n=8, holders=2, survivors=6), 12)
    1.142857142857
    >>> round(one_step_mean_error(k=8, n=8, holders=2, p=0.2, rho=0.625), 12)
    1.0
    """
    check_count("k", k, 1)
    check_count("n", n, 1)
    check_count("holders", holders, 1, n)
    one_of(survivors, p)
    if p is not None:
        check_probabilities(p=p)
        if rho is not None:
            return k * _squared_bias(rho, holders * (1.0 - p), holders * p * (1.0 - p))
        return math.fsum(
            weight * float(one_step_mean_error(k, n, holders, survivors=r))
            for r, weight in enumerate(binomial_probabilities(n, 1.0 - p).tolist())
            if weight
        )
    assert survivors is not None
    check_count("survivors", survivors, 0, n)
    if survivors == 0:
        return k
    if rho is None:
        rho = n / (survivors * holders)
    share = holders / n
    spread = (n - survivors) / (n - 1) if n > 1 else 0.0
    mean = survivors * share
    return k * _squared_bias(rho, mean, mean * (1.0 - share) * spread)


@elementwise
def bernoulli_mean_error(
    k: int,
    density: float,
    survivors: int | None = None,
    n: int | None = None,
    p: float | None = None,
) -> float:
    """Mean one-step error of a Bernoulli code, averaged over its matrices too.

    Given r survivors and ρ = 1/(rπ): k(1−π)/(rπ). For iid stragglers among n workers and
    ρ = 1/(nπ(1−q)): k(1−π(1−q))/(nπ(1−q)). Derived; Charles, Papailiopoulos, Ellenberg
    (arXiv:1711.06771) bound it.

    >>> bernoulli_mean_error(k=10, density=0.5, survivors=5)
    2.0
    """
    check_count("k", k, 1)
    check_probabilities(density=density)
    one_of(survivors, p)
    if p is not None:
        check_probabilities(p=p)
        if n is None:
            raise FastgcError("n: missing, but iid stragglers need the number of workers")
        answers, chance = n, density * (1.0 - p)
    else:
        assert survivors is not None
        answers, chance = survivors, density
    check_count("survivors", answers, 1)
    if chance == 0.0:
        raise FastgcError("density: a partition that nobody holds has no unbiased weight")
    return k * (1.0 - chance) / (answers * chance)


def stochastic_mean_error(holders: Sequence[int], p: float) -> float:
    """Mean error Σ_i q/(d_i (1−q)) of stochastic gradient coding, partition i on d_i workers.

    Entries 1/d_i, weight 1/(1−q): unbiased for iid stragglers. Bitar, Wootters, El Rouayheb
    (arXiv:1905.05383); the mean of ‖Bx − 1‖², derived.

    >>> stochastic_mean_error([1, 2, 4], p=0.5)
    1.75
    """
    check_probabilities(p=p)
    if p == 1.0:
        raise FastgcError("p: got 1, but somebody must answer")
    for held in holders:
        check_count("holders", held, 1)
    return p / (1.0 - p) * float(np.sum(1.0 / np.asarray(holders, dtype=np.float64)))


def _squared_bias(rho: float, mean: float, variance: float) -> float:
    return rho * rho * variance + (rho * mean - 1.0) ** 2
