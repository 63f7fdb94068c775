"""The error of cyclic codes over classes of cyclic shifts: agc, Lemma 1 and Theorem 2."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import LAW, error
from fastgc.theory.cases.statements import both, brute, built, finite
from fastgc.theory.cases.tables import Table, circulant, cyclic, cyclic_mds, frc
from fastgc.theory.common import check
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    ones,
)
from fastgc.theory.common.codes import cyclic_mds_column, mean_over_classes
from fastgc.theory.common.numerics import binomial_probabilities, moebius
from fastgc.theory.common.stragglers import straggle_probability, survivors_given_slow
from fastgc.theory.papers.claim import Case, Cases
from fastgc.theory.papers.paper import at

paper.share(circulant_error_variance, circulant_exact_probability, circulant_mean_error)

#: n, d, p_slow, p_straggle_slow, p_straggle_active; then those where d−1 stragglers break it.
AVERAGED = ((8, 2, *LAW), (7, 2, 0.4, 0.7, 0.1))
INTOLERANT = ((8, 3, *LAW), (7, 3, *LAW), (6, 4, 0.5, 0.8, 0.2))

#: Length n, weight, order.
WORDS = ((8, 4, 8), (8, 4, 4), (12, 6, 6), (12, 4, 12), (14, 6, 14))
WEIGHTS = ((8, 4), (9, 3), (12, 6), (13, 5))


# the second clause of the Moebius function has a stray "if n = 1", a slip that misleads nobody
@paper.states("lemma1.printed", "Lemma 1, with the Moebius function that it names")
@at(WORDS, brute("cycle_classes"))
def lemma1(n: int, weight: int, order: int) -> float:
    """The number of cycle classes of binary words of length n, weight r and order e is the
    coefficient of x^r in (1/e) sum_{c|e} mu(e/c) (1+x^(n/c))^c."""
    check.count("n", n, 1)
    check.count("weight", weight, 0, n)
    check.count("order", order, 1, n)
    if n % order:
        return 0.0
    words: int = sum(
        moebius(order // c) * math.comb(c, weight * c // n)
        for c in range(1, order + 1)
        if order % c == 0 and weight * c % n == 0
    )
    return words / order


@paper.claim("tolerance.printed", "Section II: a code that tolerates s-1 stragglers")
def _() -> Cases:
    """FRC and the CRC of reference [2], each partition on d workers, decode exactly with any n-d+1
    answers or more (largest error)."""
    for code in (frc(8, 2), frc(9, 3), cyclic(8, 2, 1), cyclic(7, 3, 1)):
        n, d = code["n"], code["d"]
        for answers in range(n - d + 1, n + 1):
            yield from both("largest_error", 0, scale=n, code=code, survivors=answers)


@paper.states("cycle-classes.number.printed", "Section IV-B, before Theorem 2")
@at(WEIGHTS, brute("all_cycle_classes"))
def _classes(n: int, weight: int) -> float:
    """There are N_r, the sum of N(r, e) over the divisors e of n, cycle classes of weight r."""
    return sum(float(lemma1(n, weight, order)) for order in range(1, n + 1) if n % order == 0)


@paper.states("cycle-classes.orders.printed", "Section IV-B, before Theorem 2")
@at(WEIGHTS, brute("sum_of_orders"))
def _sets(n: int, weight: int) -> float:
    """The classes part the C(n, r) sets of r survivors: their orders add up to it, and each divides
    n (sum of the orders, of those that divide n)."""
    return math.comb(n, weight)


@paper.claim(
    "theorem2.cycle-classes.printed",
    "Theorem 2, proof, for codes whose columns are shifts of one another as the proof says",
    reads="theorem2.cycle-classes.random.printed",
    proof="Turning a pattern of survivors by one place turns the rows of A x = 1, and the "
    "right-hand side stays as it is: both systems have the same least error.",
)
def _() -> Cases:
    """Where every column of a cyclic code is the cyclic shift of the column before it, the error is
    the same for all patterns of one cycle class: the largest difference inside a class."""
    for code in (cyclic_mds(8, 2), cyclic_mds(7, 3), cyclic_mds(6, 4), circulant(8, 3)):
        yield _spread(finite, code)
        yield _spread(built, code)


@paper.claim(
    "theorem2.cycle-classes.random.printed",
    "Theorem 2, proof, for the code of its reference [2]",
    kind="missing condition",
    printed="For the CRC scheme it is known that, the (j+1)-th column of B_CRC is obtained by one "
    "cyclic shift its j-th column … [2]",
)
def _() -> Cases:
    """Every column of the code of reference [2] is the cyclic shift of the column before it (in
    fact its supports are, its entries are random), so that the error is the same for all patterns
    of one cycle class: the largest difference inside a class."""
    for n, d, seed in ((8, 2, 1), (8, 2, 2), (6, 3, 1)):
        yield _spread(built, cyclic(n, d, seed))
        yield _spread(finite, cyclic(n, d, seed))


@paper.formula
def theorem2(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean error of the cyclic MDS code, Σ_r P_r Σ_i e_i/C(n,r) ‖A_i A_i⁺ 1 − 1‖², r ≤ n−d.

    agc, Theorem 2: for a (d−1)-tolerant code whose columns are shifts of one another, over cycle
    representatives A_i of order e_i. ``survivors`` holds P_0 … P_n (``survivors_given_slow``, or
    any law for which all patterns of r survivors are alike); n ≤ 20, n + d even.
    """
    law = _law(n, d, survivors)
    return mean_over_classes(n, cyclic_mds_column(n, d), law, power=2, most=n - d)


@paper.claim("theorem2.printed", "Theorem 2, with A A+ applied to the all-ones vector")
def _() -> Cases:
    """With random shuffling and m slow workers (or each slow with probability p_slow: Remark 2),
    the mean error of a cyclic code that survives d-1 stragglers and whose columns are shifts of one
    another is sum_r P_r sum_i e_i/C(n,r) ||A_i A_i+ 1 - 1||^2, r = 0 ... n-d, over cycle
    representatives A_i of order e_i."""
    yield _averaged(cyclic_mds, theorem2, 8, 2, *LAW)
    for n, d, m in ((8, 2, 2), (8, 2, 3), (7, 3, 3)):
        theory = theorem2(n, d, survivors_given_slow(n, m, *LAW[1:]))
        yield error(cyclic_mds(n, d), LAW[1:], theory, slow=m)
    for n, d, *law in ((7, 3, *LAW), (9, 3, *LAW), (6, 4, *LAW), (16, 4, *LAW)):
        yield _averaged(cyclic_mds, theorem2, n, d, *law)
    for n, d in ((6, 3), (9, 3)):
        yield _averaged(circulant, theorem2_truncated, n, d, *LAW)


@paper.formula
def theorem2_truncated(n: int, d: int, survivors: ArrayLike) -> float:
    """``theorem2`` of the 0/1 circulant: its mean error where d divides n ≤ 9, so tolerant."""
    return mean_over_classes(n, ones(d), _law(n, d, survivors), power=2, most=n - d)


@paper.formula
def theorem2_circulant(n: int, d: int, survivors: ArrayLike) -> float:
    """``theorem2`` of the 0/1 circulant with all its terms: its mean error for every d."""
    return mean_over_classes(n, ones(d), _law(n, d, survivors), power=2, most=n)


@paper.claim("theorem2.circulant.derived", "Theorem 2, for codes that need not be tolerant")
def _() -> Cases:
    """The 0/1 circulant's mean error is sum_r P_r sum_i e_i/C(n,r) ||A_i A_i+ 1 - 1||^2 over cycle
    representatives A_i of order e_i, r = 0 ... n, whatever d is."""
    for n, d, *law in (*AVERAGED, *INTOLERANT):
        yield _averaged(circulant, theorem2_circulant, n, d, *law)
    for n, d, m, *pair in ((8, 3, 3, 0.8, 0.01), (7, 3, 3, 0.8, 0.2)):
        theory = theorem2_circulant(n, d, survivors_given_slow(n, m, *pair))
        yield error(circulant(n, d), pair, theory, slow=m)


@paper.formula
def theorem2_unsquared(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean of the norm √error of the 0/1 circulant: what the paper's 0.5173 is."""
    return mean_over_classes(n, ones(d), _law(n, d, survivors), power=1, most=n)


def _averaged(
    code: Callable[[int, int], Table],
    formula: Callable[[int, int, ArrayLike], float],
    n: int,
    d: int,
    p_slow: float,
    *straggle: float,
) -> Case:
    """Mean error of a code against a formula of (n, d, P_r), the classes averaged over."""
    q = straggle_probability(p_slow, *straggle)
    theory = formula(n, d, binomial_probabilities(n, 1.0 - q))
    return error(code(n, d), straggle, theory, p_slow=p_slow)


def _law(n: int, d: int, survivors: ArrayLike) -> Values:
    check.code(n, d)
    law = np.asarray(survivors, dtype=np.float64)
    if law.shape != (n + 1,):
        raise FastgcError(
            f"survivors: got shape {law.shape}, but P_0 … P_{n} are needed, shape ({n + 1},)"
        )
    return law


def _spread(measured: Callable[..., Case], code: Table) -> Case:
    """By how much the errors of one cycle class differ at most."""
    return measured("cycle_class_spread", 0.0, scale=code["n"], code=code)
