"""Mean errors averaged over who is slow: agc, Remark 2."""

from __future__ import annotations

import math
from collections.abc import Callable

from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import LAW, error
from fastgc.theory.agc.circulant import theorem2_circulant
from fastgc.theory.agc.repetition import theorem1
from fastgc.theory.cases.tables import circulant, frc
from fastgc.theory.common.arguments import check_count, check_probabilities
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.common.repetition import frc_mean_error
from fastgc.theory.common.two_class import straggle_probability, survivors_given_slow
from fastgc.theory.papers.claim import MISPRINT, REFUTED, Cases

paper.formula(straggle_probability)

#: n, d, p_slow, p_straggle_slow, p_straggle_active.
POINTS = ((8, 2, *LAW), (6, 3, 0.5, 0.8, 0.2), (4, 2, 0.6, 0.7, 0.1))


@paper.elementwise
def remark2_printed(error_given_slow: float, n: int, slow: int, p_slow: float) -> float:
    """agc, Remark 2, as printed: E_err(n, m) P_m for one m instead of the sum over m. Wrong.

    >>> round(remark2_printed(theorem1(8, 2, 2, 0.8, 0.01), 8, 2, 0.3), 6)
    0.062472
    """
    check_count("slow", slow, 0, n)
    check_probabilities(p_slow=p_slow)
    return error_given_slow * float(binomial_probabilities(n, p_slow)[slow])


@paper.elementwise
def remark2_frc(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error n q^d of frc, averaged over the classes (agc, Remark 2, summed over m).

    >>> round(remark2_frc(8, 2, 0.3, 0.8, 0.01), 6)
    0.488072
    """
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(frc_mean_error(n, d, p=q))


@paper.elementwise
def remark2_circulant(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of the 0/1 circulant, averaged over the classes (agc, Remark 2, summed over m).

    >>> round(remark2_circulant(8, 2, 0.3, 0.8, 0.01), 15)
    0.624412321666962
    """
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(circulant_mean_error(n, d, p=q))


@paper.claim(
    "remark2.corrected",
    "Remark 2, as its words say it: by conditioning over m",
    corrects="remark2.printed",
    reads="remark2.printed",
    proof="By total probability the mean is sum_m E_err(n, m) P_m. In one iteration workers are "
    "independent and straggle with q each, so this is the mean for iid stragglers.",
)
def _() -> Cases:
    """Where each worker is slow with p_slow, the mean error is sum_m E_err(n, m) P_m, m = 0 ... n:
    that of iid stragglers with q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active, n q^d for
    frc, and for the circulant that of Theorem 2 with binomial P_r."""
    for code, given_slow in ((frc, theorem1), (circulant, _circulant_given_slow)):
        for n, d, p_slow, *pair in POINTS[:2]:
            total = math.fsum(_products(given_slow, n, d, p_slow, *pair))
            yield error(code(n, d), pair, total, note={"sum": "m"}, p_slow=p_slow)
    for code, mean in ((frc, remark2_frc), (circulant, remark2_circulant)):
        for n, d, p_slow, *pair in POINTS:
            yield error(code(n, d), pair, mean(n, d, p_slow, *pair), p_slow=p_slow)


@paper.claim("remark2.printed", "Remark 2", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """Where each worker is slow with p_slow, the mean error is E_err(n, m) P_m with
    P_m = C(n,m) p_slow^m (1-p_slow)^(n-m), without a sum over the number m of slow workers (here
    the m for which it comes to most)."""
    for code, given_slow in ((frc, theorem1), (circulant, _circulant_given_slow)):
        for n, d, p_slow, *pair in POINTS:
            products = _products(given_slow, n, d, p_slow, *pair)
            m = max(range(n + 1), key=products.__getitem__)
            yield error(code(n, d), pair, products[m], p_slow=p_slow, note={"m": m})


def _products(
    given_slow: Callable[..., float], n: int, d: int, p_slow: float, *pair: float
) -> list[float]:
    """E_err(n, m) P_m for every number m = 0 … n of slow workers."""
    return [remark2_printed(given_slow(n, d, m, *pair), n, m, p_slow) for m in range(n + 1)]


def _circulant_given_slow(n: int, d: int, slow: int, *pair: float) -> float:
    return theorem2_circulant(n, d, survivors_given_slow(n, slow, *pair))
