"""Decoding of any matrix: one-step, bounds of the error, least squares.

Its error is Σ_i (ρ c_i − 1)², c_i the number of survivors that hold partition i; the mean needs
only how many workers hold each partition. ``p`` is the probability q to straggle.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fastgc.errors import FastgcError
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import (
    Table,
    bibd,
    binary,
    circulant,
    cyclic,
    cyclic_mds,
    frc,
    graph,
    iid,
    matrix,
    uniform,
)
from fastgc.theory.common import check
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.common.codes import error_lower_bound
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.common.repetition import frc_mean_error
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import BITAR, CHARLES, RAVIV, partitions, sampled
from fastgc.theory.literature.designs import Edges, edges_of
from fastgc.theory.papers.claim import LOOSE, Case, Cases

#: code, workers, holders of a partition, stragglers, probability to straggle
_REGULAR: tuple[tuple[Table, int, int, int, float], ...] = (
    (frc(12, 3), 12, 3, 4, 0.3),
    (circulant(10, 3), 10, 3, 2, 0.1),
    ({"family": "sparse-regular", "n": 20, "d": 4, "seed": 1}, 20, 4, 6, 0.25),
    (bibd("ag(2,3)"), 9, 3, 3, 0.5),
    (graph("petersen"), 15, 3, 5, 0.2),
    (binary(11, 3), 11, 4, 3, 0.4),
)
GOLUB = "Golub, Van Loan, Matrix Computations (1996), Section 5.3"
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
    check.probabilities(p=p)
    if p == 1.0:
        raise FastgcError("p: got 1, but some worker must answer")
    for held in holders:
        check.count("holders", held, 1)
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
        theory = stochastic_mean_error(holders, p)
        case = sampled(matrix(rows), iid(p), theory, decoder="one-step", rho=1.0 / (1.0 - p))
        yield replace(case, point={"holders": list(holders), "p": p})


# ---- bounds of the error: from below for any code, from above by expansion


paper.share(error_lower_bound)


@paper.claim(
    "lower-bound.derived", "Derived: a partition without a surviving holder costs 1", relation=">="
)
def _() -> Cases:
    """For iid stragglers no code's mean error is below sum_i q^(d_i), d_i the number of
    workers that hold partition i."""
    codes: tuple[tuple[Table, int, float], ...] = (
        (binary(11, 3), 4, 0.6),
        (circulant(12, 3), 3, 0.5),
        (cyclic(8, 3, 1), 3, 0.5),
        (cyclic_mds(9, 3), 3, 0.5),
        ({"family": "sparse-regular", "n": 16, "d": 3, "seed": 1}, 3, 0.5),
        (graph("petersen"), 3, 0.3),
        (bibd("fano"), 3, 0.5),
    )
    for code, holders, p in codes:
        yield sampled(code, iid(p), error_lower_bound([holders] * partitions(code), p))


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


def _largest(code: Table, n: int, d: int, eigenvalue: float, s: int) -> Case:
    bound = expander_bound(n, d, eigenvalue, s)
    return finite("largest_error", bound, scale=n, code=code, survivors=n - s)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    case = _largest(matrix(rows), vertices, d, eigenvalue, s)
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)


@paper.claim("expander.normal.derived", "Derived: the proof needs no graph", LOOSE, relation="<=")
def _() -> Cases:
    """The same bound holds of every normal B with d ones in every row and column, such as a
    circulant, with lambda its second largest singular value."""
    for n, d, s in ((9, 4, 2), (10, 3, 4), (11, 2, 3)):
        # A circulant's singular values are |sin(πdj/n)/sin(πj/n)|.
        angles = [math.pi * j / n for j in range(1, n)]
        second = max(abs(math.sin(d * x) / math.sin(x)) for x in angles)
        yield _largest(circulant(n, d), n, d, second, s)


# ---- optimal decoding of any matrix: a projection, whatever the columns' lengths and angles


@paper.formula
def projection_error(rows: Rows, survivors: Sequence[int]) -> float:
    """Squared distance of the vector of ones from the span of some columns, in exact arithmetic.

    Gram and Schmidt on fractions: of a column nothing is left iff it depends on earlier ones.

    >>> projection_error([[1.0, 1.0], [0.0, 1e-9]], [0, 1]), projection_error([[1.0], [1.0]], [])
    (0.0, 2.0)
    """
    basis: list[tuple[list[Fraction], Fraction]] = []
    for j in survivors:
        column = [Fraction(row[j]) for row in rows]
        for other, length in basis:
            share = _dot(column, other) / length
            column = [x - share * y for x, y in zip(column, other, strict=True)]
        if any(column):
            basis.append((column, _dot(column, column)))
    rest = [Fraction(1)] * len(rows)
    for other, length in basis:
        share = _dot(rest, other) / length
        rest = [x - share * y for x, y in zip(rest, other, strict=True)]
    return float(_dot(rest, rest))


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction())


def _entry(i: int, j: int) -> float:
    """A whole number from −5 to 5, without any pattern that matters."""
    return float((7 * i * i + 13 * j * j + 5 * i * j + 3 * i) % 11 - 5)


def _near(small: float) -> Rows:
    """Six partitions, nine workers; worker 5 nearly repeats worker 0."""
    rows = [[_entry(i, j) for j in range(9)] for i in range(6)]
    return [[*row[:5], row[0] + small * row[5], *row[6:]] for row in rows]


def _powers(n: int) -> Rows:
    """Columns of powers of numbers between .2 and 1: nearly dependent all together."""
    return [[(0.2 + 0.8 * j / (n - 1)) ** i for j in range(n)] for i in range(n)]


def _lengths(code: Rows, longest: float) -> Rows:
    n = len(code[0])
    return [[x * longest ** (j / (n - 1)) for j, x in enumerate(row)] for row in code]


def _repetition(n: int, d: int) -> Rows:
    return [[float(i // d == j // d) for j in range(n)] for i in range(n)]


def _differences(name: str, rows: Rows, digits_lost: bool = False) -> Case:
    """Largest difference from exact arithmetic over patterns of few, many and all survivors."""
    n, k = len(rows[0]), len(rows)
    patterns = [list(p) for size in (1, 2, n - 3, n - 1, n)
                for p in itertools.islice(itertools.combinations(range(n), size), 24)]  # fmt: skip
    errors = [projection_error(rows, pattern) for pattern in patterns]
    theory = 0.0
    if digits_lost:
        singular = np.linalg.svd(np.asarray(rows), compute_uv=False)
        theory = float(1e3 * 2.0**-52 * singular[0] / singular[-1] * k)
    case = built(
        "decoding_difference", theory, scale=k, rows=[list(row) for row in rows],
        patterns=patterns, errors=errors,
    )  # fmt: skip
    return replace(case, point={"matrix": name, "patterns": len(patterns)})


@paper.claim("least-squares.projection.printed", GOLUB)
def _() -> Cases:
    """The least ||Ax - 1||^2 over x is the squared distance of the vector of ones from the span of
    A's columns, dependent or nearly dependent ones too (largest difference from exact arithmetic,
    in parts of k)."""
    yield _differences("two columns 1e-8 apart", [[1.0, 1.0, 0.0], [0.0, 1e-8, 1.0]])
    for small in (1e-2, 1e-3, 1e-4):
        yield _differences(f"two columns {small} apart", _near(small))
    yield _differences("whole numbers", [[_entry(i, j) for j in range(11)] for i in range(8)])
    yield _differences("repetition", _repetition(12, 3))
    yield _differences("lengths 1 to 1000", _lengths(_near(1.0), 1e3))


@paper.claim("least-squares.condition.derived", f"Derived from {GOLUB}", LOOSE, relation="<=")
def _() -> Cases:
    """Of a matrix of condition c on k partitions an error loses no more than 1000 eps c k to
    rounding."""
    for n in (6, 9, 11):
        yield _differences(f"powers, {n}", _powers(n), digits_lost=True)


@paper.claim("least-squares.lengths.derived", "Derived: the span of columns has no lengths")
def _() -> Cases:
    """Columns of other lengths, none 0, span the same: codes from frc's and the circulant's columns
    have their mean errors."""
    for n, d, p in ((16, 2, 0.3), (16, 4, 0.5), (12, 3, 0.4)):
        code = matrix(_lengths(_repetition(n, d), 8.0))
        case = sampled(code, iid(p), frc_mean_error(n, d, p=p))
        yield replace(case, point=dict(frc(n, d)) | {"p": p, "lengths": "1 to 8"})
    for n, p in ((16, 0.25), (11, 0.3)):
        code = matrix(_lengths(_offsets(n, (0, 1)), 8.0))
        case = sampled(code, iid(p), circulant_mean_error(n, 2, p=p))
        yield replace(case, point=dict(circulant(n, 2)) | {"p": p, "lengths": "1 to 8"})


def _offsets(n: int, held: Sequence[int]) -> Rows:
    """Worker j holds partitions j + o, modulo n, for each of these o."""
    return [[float((i - j) % n in held) for j in range(n)] for i in range(n)]


@paper.claim("worst-case.arc.derived", "Derived: an arc is one of the sets", relation=">=")
def _() -> Cases:
    """Where there are too many sets of s stragglers to try all, the worst that is found costs no
    less than s consecutive workers do, of codes whose worker j holds partitions j + o."""
    for n, held, s in ((31, (0, 1, 5), 12), (30, (0, 1, 4), 11), (29, (0, 1, 4, 6), 12)):
        rows = _offsets(n, held)
        theory = projection_error(rows, range(s, n))
        case = built(
            "worst_error", theory, scale=n, code=matrix([list(row) for row in rows]), stragglers=s
        )
        yield replace(case, point={"n": n, "offsets": list(held), "stragglers": s})
