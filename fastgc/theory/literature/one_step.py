"""One-step decoding: every received sum gets the same weight ρ, x = ρ·1.

Its error is Σ_i (ρ c_i − 1)², c_i the number of survivors that hold partition i; the mean needs
only how many workers hold each partition. ``p`` is the probability q to straggle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.tables import Table, bibd, binary, circulant, frc, graph, iid, uniform
from fastgc.theory.common.arguments import (
    check_count,
    check_given,
    check_probabilities,
    one_of,
)
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import BITAR, CHARLES, partitions, sampled
from fastgc.theory.papers.claim import Cases


@paper.elementwise
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
    check_given(n, survivors, p)
    if p is not None:
        if rho is not None:
            return k * _squared_bias(rho, holders * (1.0 - p), holders * p * (1.0 - p))
        return math.fsum(
            weight * float(one_step_mean_error(k, n, holders, survivors=r))
            for r, weight in enumerate(binomial_probabilities(n, 1.0 - p).tolist())
            if weight
        )
    assert survivors is not None
    if survivors == 0:
        return k
    if rho is None:
        rho = n / (survivors * holders)
    share = holders / n
    spread = (n - survivors) / (n - 1) if n > 1 else 0.0
    mean = survivors * share
    return k * _squared_bias(rho, mean, mean * (1.0 - share) * spread)


def _squared_bias(rho: float, mean: float, variance: float) -> float:
    return rho * rho * variance + (rho * mean - 1.0) ** 2


#: code, workers, holders of a partition, stragglers, probability to straggle
_REGULAR: tuple[tuple[Table, int, int, int, float], ...] = (
    (frc(12, 3), 12, 3, 4, 0.3),
    (circulant(10, 3), 10, 3, 2, 0.1),
    ({"family": "sparse-regular", "n": 20, "d": 4, "seed": 1}, 20, 4, 6, 0.25),
    (bibd("ag(2,3)"), 9, 3, 3, 0.5),
    (graph("petersen"), 15, 3, 5, 0.2),
    (binary(11, 3), 11, 4, 3, 0.4),
)


@paper.claim("one-step.mean.derived", f"Derived, for what {CHARLES} bound")
def _() -> Cases:
    """With rho = k/(r d), a 0/1 code in which every partition has w holders has mean
    one-step error k(n-r)(n-w)/(w r (n-1)) given r survivors."""
    for code, n, holders, s, _ in _REGULAR:
        theory = one_step_mean_error(partitions(code), n, holders, survivors=n - s)
        yield sampled(code, uniform(s), theory, decoder="one-step")


@paper.claim("one-step.fixed.derived", f"Derived, for what {CHARLES} bound")
def _() -> Cases:
    """With rho = 1/((1-q)w) the mean one-step error for iid stragglers is k q/((1-q)w)."""
    for code, n, holders, _, p in _REGULAR:
        rho = 1.0 / ((1.0 - p) * holders)
        theory = one_step_mean_error(partitions(code), n, holders, p=p, rho=rho)
        yield sampled(code, iid(p), theory, decoder="one-step", rho=rho)


@paper.elementwise
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


@paper.claim("bernoulli.mean.derived", f"Derived, for what {CHARLES} bound")
def _() -> Cases:
    """Averaged over Bernoulli(pi) matrices, the one-step error with rho = 1/(r pi) is
    k(1-pi)/(r pi) given r survivors; with rho = 1/(n pi (1-q)) it is
    k(1-pi(1-q))/(n pi (1-q)) for iid stragglers."""
    for n, k, density, s in ((10, 10, 0.5, 5), (8, 8, 0.25, 2), (6, 12, 0.4, 1)):
        theory, rho = bernoulli_mean_error(k, density, n - s), 1.0 / ((n - s) * density)
        code = _bernoulli(n, k, density)
        yield sampled(code, uniform(s), theory, decoder="one-step", rho=rho)
    n, density, p = 10, 0.5, 0.2
    theory, rho = bernoulli_mean_error(n, density, n=n, p=p), 1.0 / (n * density * (1.0 - p))
    yield sampled(_bernoulli(n, n, density), iid(p), theory, decoder="one-step", rho=rho)


def _bernoulli(n: int, k: int, density: float) -> Table:
    return {"family": "bernoulli", "n": n, "k": k, "density": density, "seed": "trial"}


@paper.formula
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


@paper.claim("stochastic.mean.derived", f"Derived for the code and the weight of {BITAR}")
def _() -> Cases:
    """Stochastic gradient coding, entries 1/d_i and weight 1/(1-q), has mean error
    sum_i q/(d_i (1-q)) for iid stragglers, partition i on d_i workers."""
    for holders, p in (
        ((1, 2, 2, 3, 3, 4, 4, 5), 0.2),
        ((2, 2, 2, 2, 3, 3), 0.4),
        ((1, 1, 4, 4, 4, 4, 7, 7, 7, 7), 0.1),
    ):
        n = len(holders)
        rows = [
            [1.0 / held if (j - i) % n < held else 0.0 for j in range(n)]
            for i, held in enumerate(holders)
        ]
        code: Table = {"family": "matrix", "rows": rows}
        theory = stochastic_mean_error(holders, p)
        case = sampled(code, iid(p), theory, decoder="one-step", rho=1.0 / (1.0 - p))
        yield replace(case, point={"holders": list(holders), "p": p})
