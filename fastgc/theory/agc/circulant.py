"""The error of the 0/1 circulant over classes of cyclic shifts: agc, Lemma 1 and Theorem 2."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError
from fastgc.theory.agc.cases import LAW, circulant_error, error
from fastgc.theory.agc.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, circulant
from fastgc.theory.common.arguments import check_code, check_count, elementwise
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    mean_over_classes,
)
from fastgc.theory.common.combinatorics import moebius
from fastgc.theory.common.two_class import survivors_given_slow
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

paper.formula(circulant_error_variance)
paper.formula(circulant_exact_probability)
paper.formula(circulant_mean_error)

#: n, d, p_slow, p_straggle_slow, p_straggle_active; then those where d does not divide n.
AVERAGED = ((8, 2, *LAW), (8, 3, *LAW), (7, 2, 0.4, 0.7, 0.1), (6, 4, 0.5, 0.8, 0.2))
NOT_DIVIDING = ((8, 3, *LAW), (7, 3, *LAW), (6, 4, 0.5, 0.8, 0.2))


@paper.formula
@elementwise
def lemma1(n: int, weight: int, order: int) -> float:
    """Number N(r, e) of cycle classes of binary words of length n, weight r and order e.

    agc, Lemma 1: the coefficient of x^r in (1/e) Σ_{c|e} μ(e/c) (1 + x^(n/c))^c. Exact.

    >>> lemma1(8, 4, 8), lemma1(8, 4, 2)
    (8.0, 1.0)
    """
    check_count("n", n, 1)
    check_count("weight", weight, 0, n)
    check_count("order", order, 1, n)
    if n % order:
        return 0.0
    words: int = sum(
        moebius(order // c) * math.comb(c, weight * c // n)
        for c in range(1, order + 1)
        if order % c == 0 and weight * c % n == 0
    )
    return words / order


@paper.claim("lemma1.printed", "Lemma 1")
def _() -> Cases:
    """The number of cycle classes of binary words of length n, weight r and order e is the
    coefficient of x^r in (1/e) sum_{c|e} mu(e/c) (1+x^(n/c))^c."""
    for n, weight, order in ((8, 4, 8), (8, 4, 4), (12, 6, 6), (12, 4, 12), (14, 6, 14)):
        yield finite("cycle_classes", lemma1(n, weight, order), n=n, weight=weight, order=order)


@paper.claim("theorem2.cycle-classes.printed", "Theorem 2, proof", REFUTED)
def _() -> Cases:
    """For Tandon's random cyclic code the error is the same for all patterns of one cycle class."""
    for n, d in ((8, 2), (6, 2), (6, 3)):
        yield _spread({"family": "cyclic", "n": n, "d": d, "seed": 1})


@paper.claim("theorem2.cycle-classes.corrected", "Theorem 2, proof, corrected")
def _() -> Cases:
    """For a 0/1 circulant the error is the same for all patterns of one cycle class."""
    for n, d in ((8, 2), (8, 3), (6, 2), (9, 4)):
        yield _spread(circulant(n, d))


@paper.formula
def theorem2_unsquared(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean of the norm √error over cycle representatives: what the paper's 0.5173 is.

    >>> from fastgc.theory.common.combinatorics import binomial_probabilities
    >>> round(theorem2_unsquared(8, 2, binomial_probabilities(8, 1 - 0.247)), 7)
    0.5173777
    """
    return mean_over_classes(n, d, _law(n, d, survivors), power=1, most=n)


@paper.claim("theorem2.unsquared.printed", "Theorem 2 and Section V", REFUTED)
def _() -> Cases:
    """The circulant's mean error is the mean over cycle representatives of the unsquared norm
    ||A A+ 1 - 1||, as evaluated for the paper's 0.5173."""
    for point in AVERAGED:
        yield circulant_error(theorem2_unsquared, *point)


@paper.formula
def theorem2_truncated(n: int, d: int, survivors: ArrayLike) -> float:
    """``theorem2`` with the sum stopped at r = n−d, as printed: right iff d divides n (n ≤ 9).

    >>> from fastgc.theory.common.combinatorics import binomial_probabilities
    >>> round(theorem2_truncated(8, 3, binomial_probabilities(8, 1 - 0.247)), 6)
    0.224816
    """
    return mean_over_classes(n, d, _law(n, d, survivors), power=2, most=n - d)


@paper.claim("theorem2.truncated.printed", "Theorem 2", REFUTED)
def _() -> Cases:
    """The sum over r in the circulant's mean error may stop at r = n-d, whatever d is."""
    for point in NOT_DIVIDING:
        yield circulant_error(theorem2_truncated, *point)


@paper.formula
def theorem2(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean error of the 0/1 circulant, Σ_r P_r Σ_i e_i/C(n,r) ‖A_i A_i⁺ 1 − 1‖², r = 0 … n.

    agc, Theorem 2, as corrected: over cycle representatives A_i of order e_i, squared, and not
    truncated. ``survivors`` holds P_0 … P_n (``survivors_given_slow``, or any law for which all
    patterns of r survivors are alike); n ≤ 20.

    >>> from fastgc.theory.common.combinatorics import binomial_probabilities
    >>> round(theorem2(8, 3, binomial_probabilities(8, 1 - 0.247)), 6)
    0.297142
    """
    return mean_over_classes(n, d, _law(n, d, survivors), power=2, most=n)


@paper.claim("theorem2.corrected", "Theorem 2, corrected")
def _() -> Cases:
    """The 0/1 circulant's mean error is sum_r P_r sum_i e_i/C(n,r) ||A_i A_i+ 1 - 1||^2 over cycle
    representatives A_i of order e_i, r = 0 ... n."""
    for point in (*AVERAGED, NOT_DIVIDING[1]):
        yield circulant_error(theorem2, *point)
    for n, d, m, *pair in ((8, 2, 3, 0.8, 0.01), (7, 3, 3, 0.8, 0.2)):
        theory = theorem2(n, d, survivors_given_slow(n, m, *pair))
        yield error(circulant(n, d), pair, theory, slow=m)


def _law(n: int, d: int, survivors: ArrayLike) -> NDArray[np.float64]:
    """The probabilities P_0 … P_n as an array; any other shape is refused."""
    check_code(n, d)
    law = np.asarray(survivors, dtype=np.float64)
    if law.shape != (n + 1,):
        raise FastgcError(
            f"survivors: got shape {law.shape}, but P_0 … P_{n} are needed, shape ({n + 1},)"
        )
    return law


def _spread(code: Table) -> Case:
    """By how much the errors of one cycle class differ at most."""
    name = "cycle_class_spread"
    return Case(dict(code), 0.0, {"finite": name, "code": code}, name, scale=code["n"])
