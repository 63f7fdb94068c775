"""One-step decoding of any matrix, and bounds of the error.

The error of one step is Σ_i (ρ c_i − 1)², c_i the number of survivors that hold partition i; the
mean needs only how many workers hold each partition. ``p`` is the probability q to straggle.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc.errors import FastgcError
from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.tables import matrix
from fastgc.theory.common import check
from fastgc.theory.common.codes import error_lower_bound
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import RAVIV
from fastgc.theory.literature.designs import Edges, edges_of
from fastgc.theory.papers.claim import Case, Cases

Rows = Sequence[Sequence[float]]


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
    check.count("k", k, 1)
    check.count("n", n, 1)
    check.count("holders", holders, 1, n)
    check.given(n, survivors, p)
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
    check.count("k", k, 1)
    check.probabilities(density=density)
    check.one_of(survivors, p)
    if p is not None:
        check.probabilities(p=p)
        if n is None:
            raise FastgcError("n: missing, but iid stragglers need the number of workers")
        answers, probability = n, density * (1.0 - p)
    else:
        assert survivors is not None
        answers, probability = survivors, density
    check.count("survivors", answers, 1)
    if probability == 0.0:
        raise FastgcError("density: got 0, but a partition without holders has no unbiased weight")
    return k * (1.0 - probability) / (answers * probability)


# ---- bounds of the error: from below for any code, from above by expansion


paper.share(error_lower_bound)


@paper.elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.

    >>> round(expander_bound(10, 3, 2.0, 2), 6)
    1.111111
    """
    check.count("n", n, 1)
    check.count("d", d, 1, n)
    check.count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    bound = expander_bound(vertices, d, eigenvalue, s)
    case = finite("largest_error", bound, scale=vertices, code=matrix(rows), survivors=vertices - s)
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)
