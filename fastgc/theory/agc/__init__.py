"""Johri, Yardi, Bodas: Approximate Gradient Coding for Heterogeneous Nodes (paper ``agc``).

The paper's letters in fastgc's words: s is the replication ``d`` (its codes survive d−1
stragglers), p̂ is ``p_slow``, p_ss and p_as are ``p_straggle_slow`` and ``p_straggle_active``, m is
``slow`` (a number of workers), k_i is ``slow_holders``, L is ``iterations``, FRC is family ``frc``,
CRC as evaluated there is the 0/1 ``circulant``. q = p_slow p_ss + (1−p_slow) p_as.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError
from fastgc.theory.agc.access import (
    not_accessed_variance,
    not_accessed_variance_given_slow,
    not_accessed_variance_printed,
    not_accessed_variance_without_shuffling,
    proposition1_given_holders,
    proposition1_given_slow,
    proposition1_with_shuffling,
    proposition1_without_shuffling,
)
from fastgc.theory.common.arguments import (
    check_code,
    check_count,
    check_groups,
    check_probabilities,
    elementwise,
)
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    circulant_mean_error_variance,
    mean_over_classes,
)
from fastgc.theory.common.combinatorics import binomial_probabilities, moebius
from fastgc.theory.common.repetition import (
    frc_autocovariance,
    frc_error_variance,
    frc_exact_probability,
    frc_mean_error,
    frc_mean_error_variance,
    frc_mean_error_variance_given_slow,
    frc_uncovered_probability,
)
from fastgc.theory.common.two_class import (
    not_accessed_probability_given_slow,
    straggle_probability,
    survivors_given_slow,
    survivors_given_slow_printed,
)

__all__ = [
    "circulant_error_variance",
    "circulant_exact_probability",
    "circulant_mean_error",
    "circulant_mean_error_variance",
    "error_lower_bound",
    "frc_autocovariance",
    "frc_error_variance",
    "frc_exact_probability",
    "frc_mean_error",
    "frc_mean_error_variance",
    "frc_mean_error_variance_given_slow",
    "frc_uncovered_probability",
    "lemma1",
    "not_accessed_probability_given_slow",
    "not_accessed_variance",
    "not_accessed_variance_given_slow",
    "not_accessed_variance_printed",
    "not_accessed_variance_without_shuffling",
    "proposition1_given_holders",
    "proposition1_given_slow",
    "proposition1_with_shuffling",
    "proposition1_without_shuffling",
    "remark2_circulant",
    "remark2_frc",
    "remark2_printed",
    "straggle_probability",
    "survivors_given_slow",
    "survivors_given_slow_printed",
    "theorem1",
    "theorem1_printed",
    "theorem2",
    "theorem2_truncated",
    "theorem2_unsquared",
]


@elementwise
def theorem1(n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> float:
    """Mean error of frc with random shuffling given m slow workers, n Σ_r P_r C(n−d,r)/C(n,r).

    agc, Theorem 1, with P_r as corrected (``survivors_given_slow``); equals n h(m).

    >>> round(theorem1(8, 2, 3, 0.8, 0.01), 6)
    0.583143
    """
    return _theorem1(n, d, survivors_given_slow(n, slow, p_straggle_slow, p_straggle_active))


@elementwise
def theorem1_printed(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of frc given m slow workers, with P_r as agc, Theorem 1, prints it. Wrong.

    >>> round(theorem1_printed(6, 2, 2, 0.6, 0.3), 6)
    0.946368
    """
    printed = survivors_given_slow_printed(n, slow, p_straggle_slow, p_straggle_active)
    return _theorem1(n, d, printed)


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


def theorem2_truncated(n: int, d: int, survivors: ArrayLike) -> float:
    """``theorem2`` with the sum stopped at r = n−d, as printed: right iff d divides n (n ≤ 9).

    >>> from fastgc.theory.common.combinatorics import binomial_probabilities
    >>> round(theorem2_truncated(8, 3, binomial_probabilities(8, 1 - 0.247)), 6)
    0.224816
    """
    return mean_over_classes(n, d, _law(n, d, survivors), power=2, most=n - d)


def theorem2_unsquared(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean of the norm √error over cycle representatives: what the paper's 0.5173 is.

    >>> from fastgc.theory.common.combinatorics import binomial_probabilities
    >>> round(theorem2_unsquared(8, 2, binomial_probabilities(8, 1 - 0.247)), 7)
    0.5173777
    """
    return mean_over_classes(n, d, _law(n, d, survivors), power=1, most=n)


@elementwise
def remark2_frc(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error n q^d of frc, averaged over the classes (agc, Remark 2, summed over m).

    >>> round(remark2_frc(8, 2, 0.3, 0.8, 0.01), 6)
    0.488072
    """
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(frc_mean_error(n, d, p=q))


@elementwise
def remark2_circulant(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of the 0/1 circulant, averaged over the classes (agc, Remark 2, summed over m).

    >>> round(remark2_circulant(8, 2, 0.3, 0.8, 0.01), 15)
    0.624412321666962
    """
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(circulant_mean_error(n, d, p=q))


@elementwise
def remark2_printed(error_given_slow: float, n: int, slow: int, p_slow: float) -> float:
    """agc, Remark 2, as printed: E_err(n, m) P_m for one m instead of the sum over m. Wrong.

    >>> round(remark2_printed(theorem1(8, 2, 2, 0.8, 0.01), 8, 2, 0.3), 6)
    0.062472
    """
    check_count("slow", slow, 0, n)
    check_probabilities(p_slow=p_slow)
    return error_given_slow * float(binomial_probabilities(n, p_slow)[slow])


def error_lower_bound(holders: ArrayLike, p: float) -> float:
    """Lower bound Σ_i q^(d_i) of the mean error for iid stragglers, any code; frc attains it.

    A partition without a surviving holder costs 1. ``holders`` are the numbers d_i of workers that
    hold partition i, ``p`` is q. Derived; it contradicts "CRC better than FRC" of agc, Sec. V.

    >>> round(error_lower_bound([2] * 8, 0.247), 6)
    0.488072
    """
    check_probabilities(p=p)
    return float(np.sum(p ** np.asarray(holders, dtype=np.float64)))


def _theorem1(n: int, d: int, survivors: NDArray[np.float64]) -> float:
    check_groups(n, d)
    return math.fsum(
        weight * float(frc_mean_error(n, d, survivors=r))
        for r, weight in enumerate(survivors.tolist())
    )


def _law(n: int, d: int, survivors: ArrayLike) -> NDArray[np.float64]:
    check_code(n, d)
    law = np.asarray(survivors, dtype=np.float64)
    if law.shape != (n + 1,):
        raise FastgcError(
            f"survivors: got shape {law.shape}, but P_0 … P_{n} are needed, shape ({n + 1},)"
        )
    return law
