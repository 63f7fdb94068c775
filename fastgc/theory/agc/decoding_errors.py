"""Errors given the number of slow workers: agc, Lemma 1 and Theorems 1 and 2."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.agc import paper
from fastgc.theory.cases.experiment_tables import compared, decoding, point_of
from fastgc.theory.cases.statements import both, brute, built, finite
from fastgc.theory.cases.studies import (
    Table,
    circulant,
    cyclic,
    cyclic_mds,
    frc,
    two_class,
    uniform,
)
from fastgc.theory.common import check, code_means
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.code_means import cyclic_mds_column, mean_over_classes, ones
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.papers.claim import Case, Cases, at

#: p_slow, p_straggle_slow, p_straggle_active of Section V and of Figure 2 (a), (b).
LAW = (0.3, 0.8, 0.01)


def error(code: Table, law: Sequence[float], theory: float, **more: Any) -> Case:
    """Mean error with two-class stragglers and random shuffling; ``slow``, or as for `compared`."""
    classes = {"slow": more.pop("slow")} if "slow" in more else {}
    experiment = decoding("error", code, two_class(law, **classes), shuffle="random")
    partitions = code["n"] if "n" in code else len(code["rows"])
    return compared(experiment, theory, family=True, scale=partitions, **more)


paper.share(
    models.frc_error_variance,
    models.frc_exact_probability,
    models.frc_mean_error,
    models.frc_uncovered_probability,
    models.survivors_given_slow,
    models.survivors_given_slow_printed,
    code_means.circulant_error_variance,
    code_means.circulant_exact_probability,
    code_means.circulant_mean_error,
)

#: n, slow, p_straggle_slow, p_straggle_active, survivors: at the paper's probabilities, with no
#: slow worker last, then where both classes often straggle.
SURVIVORS = ((8, 2, 0.8, 0.01, 6), (8, 3, 0.8, 0.01, 5), (8, 3, 0.8, 0.01, 6), (8, 0, 0.8, 0.01, 8),
             (6, 1, 0.5, 0.4, 4), (8, 1, 0.6, 0.3, 6), (6, 2, 0.5, 0.4, 5))  # fmt: skip
#: n, d, slow, p_straggle_slow, p_straggle_active: the same.
PAPERS = ((8, 2, 2, 0.8, 0.01), (8, 2, 3, 0.8, 0.01))
OFTEN = ((6, 2, 1, 0.5, 0.4), (8, 2, 1, 0.5, 0.4), (6, 2, 2, 0.5, 0.4))
#: The last has probabilities of eight binary digits, which a draw of so many bits decides.
MEANS = (*PAPERS, (9, 3, 4, 0.9, 0.3), *OFTEN, (8, 2, 3, 0.75, 3 / 256))
#: n, d, survivors.
ALIKE = ((8, 2, 6), (8, 2, 5), (8, 2, 2), (9, 3, 5))


@paper.states(
    "theorem1.printed",
    "Theorem 1, with P_r as its words define it",
    reads="theorem1.survivors.printed",
)
@at(
    MEANS,
    lambda theory, n, d, slow, p_straggle_slow, p_straggle_active: error(
        frc(n, d), (p_straggle_slow, p_straggle_active), theory, slow=slow
    ),
)
def theorem1(n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> float:
    """With random shuffling and m slow workers, frc's mean error is n sum_r P_r C(n-d,r)/C(n,r),
    r = 0 ... n-d, with P_r the probability of r survivors."""
    return _theorem1(n, d, models.survivors_given_slow(n, slow, p_straggle_slow, p_straggle_active))


@paper.elementwise
def theorem1_printed(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of frc given m slow workers, with P_r as agc, Theorem 1, prints it. Wrong."""
    return _theorem1(
        n, d, models.survivors_given_slow_printed(n, slow, p_straggle_slow, p_straggle_active)
    )


@paper.claim(
    "theorem1.survivors.corrected", "Theorem 1, corrected", of=(models.survivors_given_slow,)
)
@paper.claim(
    "theorem1.survivors.printed", "Theorem 1", "misprint", of=(models.survivors_given_slow_printed,)
)
def _(law: Callable[..., Values]) -> Cases:
    """P_r as printed, with r'(i) = min(i, m) in the binomial coefficients and i in the powers, is
    the probability of r survivors, and frc's mean error is that of the theorem with it.
    Printed: P_r = Σ_(i=0)^r C(m, r'(i)) C(n−m, r−r'(i)) p̄_ss^i p_ss^(m−i) p̄_as^(r−i)
    p_as^(n−m−r+i), where r'(i) = min(i, m)

    theorem1.survivors.corrected: With m slow workers the probability of r survivors is P_r with i
    running from max(0, r-n+m) to min(r, m).
    Proof. Of m slow workers i survive, and of the n-m others r-i: two independent binomial numbers,
    so i runs over the values possible for both. With min(i, m) in the coefficients alone, every i
    above m is counted again as m, with a weight that is no probability. At the paper's
    probabilities the difference is small: 2e-7 of P_r at m = 2, r = 6."""
    for n, slow, ss, active, r in SURVIVORS:
        experiment = decoding("survivors", frc(n, 1), two_class((ss, active), slow=slow))
        point = {key: value for key, value in point_of(experiment).items() if key != "d"}
        theory = float(law(n, slow, ss, active)[r])
        yield Case(point, theory, experiment, "survivors", index=r)
        yield finite("survivor_probability", theory, **point, survivors=r)
    if law is models.survivors_given_slow_printed:
        for n, d, m, *pair in (*PAPERS, *OFTEN):
            yield error(frc(n, d), pair, theorem1_printed(n, d, m, *pair), slow=m)


def _given(theory: float, n: int, d: int, survivors: int) -> Case:
    experiment = decoding("error", frc(n, d), uniform(n - survivors))
    point = {"n": n, "d": d, "survivors": survivors}
    return Case(point, theory, experiment, "error", scale=n)


@paper.states("theorem6.printed", "Theorem 1, proof, which corrects Theorem 6 of its reference [8]")
@at(ALIKE, _given)
def _error_given(n: int, d: int, survivors: int) -> float:
    """Given r survivors, all sets of r alike, frc's mean error is n C(n-d,r)/C(n,r).
    Proof. A partition is lost when its d holders all straggle, so when the r survivors are among
    the n-d others: C(n-d,r) of C(n,r) sets. Each lost partition costs 1."""
    return float(models.frc_mean_error(n, d, survivors=survivors))


@paper.states(
    "theorem6.quoted.printed",
    "Theorem 1, proof, of Theorem 6 of its reference [8] as it quotes it",
    ">",
)
@at(ALIKE, _given)
def theorem6_quoted(n: int, d: int, survivors: int) -> float:
    """Theorem 6 of reference [8], quoted as n C(n-d,d-r)/C(n,r), has to be corrected: frc's mean
    error given r survivors is another (here it is more; at r = 1 or n=4, d=2, r=2 both agree)."""
    check.groups(n, d)
    if survivors > d:
        return 0.0
    return n * math.comb(n - d, d - survivors) / math.comb(n, survivors)


@paper.claim("theorem1.zero-error.corrected", "Theorem 1, proof, corrected", of=(True,))
@paper.claim("theorem1.zero-error.printed", "Theorem 1, proof", "misprint", of=(False,))
def _(is_right: bool) -> Cases:
    """frc's error is zero whenever n-d or more workers survive: the largest error of n-d.
    Printed: noting that when r ≥ n−s, the decoding error is zero

    theorem1.zero-error.corrected: frc's error is zero whenever more than n-d workers survive, and
    up to d when n-d do: the largest error.
    Proof. Fewer than d stragglers leave a survivor in every group of d; d of them may be a whole
    group, whose d partitions are then lost. The theorem's own sum has the term r = n-d."""
    for n, d in ((8, 2), (6, 2), (9, 3)):
        largest = {n - d + 1: 0.0, n - d: float(d)} if is_right else {n - d: 0.0}
        for survivors, theory in largest.items():
            yield from both("largest_error", theory, n, code=frc(n, d), survivors=survivors)


def _theorem1(n: int, d: int, survivors: Values) -> float:
    check.groups(n, d)
    return math.fsum(
        weight * float(models.frc_mean_error(n, d, survivors=r))
        for r, weight in enumerate(survivors.tolist())
    )


WEIGHTS = ((8, 4), (9, 3), (12, 6), (13, 5))


def moebius(number: int) -> int:
    """Möbius function μ of a positive integer: those of all divisors add up to 0 above 1."""
    if number == 1:
        return 1
    return -sum(moebius(divisor) for divisor in range(1, number) if number % divisor == 0)


@paper.states("lemma1.printed", "Lemma 1, with the Moebius function that it names")
@at([(8, 4, 8), (8, 4, 4), (12, 6, 6), (12, 4, 12), (14, 6, 14)], brute("cycle_classes"))
def lemma1(n: int, weight: int, order: int) -> float:
    """The number of cycle classes of binary words of length n, weight r and order e is the
    coefficient of x^r in (1/e) sum_{c|e} mu(e/c) (1+x^(n/c))^c."""
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
)
def _() -> Cases:
    """Where every column of a cyclic code is the cyclic shift of the column before it, the error is
    the same for all patterns of one cycle class: the largest difference inside a class.
    Proof. Turning a pattern of survivors by one place turns the rows of A x = 1, and the right-hand
    side stays as it is: both systems have the same least error."""
    for code in (cyclic_mds(8, 2), cyclic_mds(7, 3), cyclic_mds(6, 4), circulant(8, 3)):
        yield from both("cycle_class_spread", 0.0, scale=code["n"], code=code)


@paper.claim(
    "theorem2.cycle-classes.random.printed",
    "Theorem 2, proof, for the code of its reference [2]",
    "missing condition",
)
def _() -> Cases:
    """Every column of the code of reference [2] is the cyclic shift of the column before it (in
    fact its supports are, its entries are random), so that the error is the same for all patterns
    of one cycle class: the largest difference inside a class.
    Printed: For the CRC scheme it is known that, the (j+1)-th column of B_CRC is obtained by one
    cyclic shift its j-th column … [2]"""
    for n, d, seed in ((8, 2, 1), (8, 2, 2), (6, 3, 1)):
        for measured in (built, finite):
            yield measured("cycle_class_spread", 0.0, scale=n, code=cyclic(n, d, seed))


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
        theory = theorem2(n, d, models.survivors_given_slow(n, m, *LAW[1:]))
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
    # then those that d−1 stragglers break
    intolerant = ((8, 3, *LAW), (7, 3, *LAW), (6, 4, 0.5, 0.8, 0.2))
    for n, d, *law in ((8, 2, *LAW), (7, 2, 0.4, 0.7, 0.1), *intolerant):
        yield _averaged(circulant, theorem2_circulant, n, d, *law)
    for n, d, m, *pair in ((8, 3, 3, 0.8, 0.01), (7, 3, 3, 0.8, 0.2)):
        theory = theorem2_circulant(n, d, models.survivors_given_slow(n, m, *pair))
        yield error(circulant(n, d), pair, theory, slow=m)


@paper.formula
def theorem2_unsquared(n: int, d: int, survivors: ArrayLike) -> float:
    """Mean of the norm √error of the 0/1 circulant: what the paper's 0.5173 is."""
    return mean_over_classes(n, ones(d), _law(n, d, survivors), power=1, most=n)


def _averaged(code: Any, formula: Callable[..., float], n: int, d: int, *law: float) -> Case:
    survivors = binomial_probabilities(n, 1.0 - models.straggle_probability(*law))
    return error(code(n, d), law, formula(n, d, survivors))


def _law(n: int, d: int, survivors: ArrayLike) -> Values:
    check.arguments(n=n, d=d)
    law = np.asarray(survivors, dtype=np.float64)
    if law.shape != (n + 1,):
        raise FastgcError(
            f"survivors: got shape {law.shape}, but P_0 … P_{n} are needed, shape ({n + 1},)"
        )
    return law
