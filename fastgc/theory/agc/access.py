"""How often a partition is not accessed in a trial: agc, Proposition 1.

For codes in which every partition has d holders: frc, circulant.
"""

import math
from collections.abc import Callable

from fastgc.theory.agc import paper
from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.tables import Table, circulant, frc, two_class
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities, hypergeometric
from fastgc.theory.common.repetition import average_variance
from fastgc.theory.common.stragglers import (
    not_accessed_probability_given_slow,
    straggle_probability,
)
from fastgc.theory.papers.claim import Case, Cases

paper.share(not_accessed_probability_given_slow)

#: Code, number of slow workers, how often slow and active ones straggle.
COUNTED = (
    (frc(8, 2), 3, (0.8, 0.01)),
    (frc(6, 3), 3, (0.9, 0.3)),
    (circulant(5, 2), 2, (0.7, 0.2)),
)
MIXED = (
    (frc(8, 2), 3, 0.3, (0.8, 0.01)),
    (frc(4, 2), 4, 0.4, (0.9, 0.2)),
    (circulant(5, 2), 4, 0.5, (0.9, 0.1)),
)
#: n and d of frc, slow workers among the first holders of partition 0, p_slow of all others, how
#: often slow and active workers straggle.
HOLDERS = ((8, 2, 1, 0.3, (0.8, 0.01)), (4, 2, 0, 0.5, (0.8, 0.3)), (6, 3, 1, 0.7, (0.9, 0.4)))


@paper.elementwise
def proposition1_without_shuffling(
    iterations: int, d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean number of iterations without access to a partition, slow_holders of d holders slow.

    agc, Proposition 1: L p_ss^k p_as^(d−k). Exact.

    >>> round(proposition1_without_shuffling(10, 2, 1, 0.8, 0.01), 12)
    0.08
    """
    x = _all_holders_straggle(d, slow_holders, p_straggle_slow, p_straggle_active)
    return _times(iterations, x)


@paper.claim("proposition1.without-shuffling.printed", "Proposition 1")
def _() -> Cases:
    """Without shuffling, a partition with k slow workers among its d holders is not accessed in
    L p_straggle_slow^k p_straggle_active^(d-k) of L iterations on average."""
    return _fixed(proposition1_without_shuffling)


@paper.elementwise
def not_accessed_variance_without_shuffling(
    iterations: int, d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Variance L x (1−x) of the number of iterations without access, x = p_ss^k p_as^(d−k).

    agc, Proposition 1, proof ("binomial"): right without shuffling given slow_holders.

    >>> round(not_accessed_variance_without_shuffling(10, 2, 2, 0.8, 0.01), 12)
    2.304
    """
    x = _all_holders_straggle(d, slow_holders, p_straggle_slow, p_straggle_active)
    return _times(iterations, x * (1.0 - x))


@paper.claim("proposition1.count-without-shuffling.printed", "Proposition 1, proof")
def _() -> Cases:
    """Without shuffling, given the classes, the number of iterations without access to a partition
    is binomial: its variance is L x (1-x) with x = p_straggle_slow^k p_straggle_active^(d-k)."""
    return _fixed(not_accessed_variance_without_shuffling, "variance")


@paper.elementwise
def proposition1_with_shuffling(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean number of iterations without access to a partition, L q^d.

    agc, Proposition 1. Exact when the classes are averaged over too, and then the same under every
    shuffle; wrong given slow_holders (``proposition1_given_holders``).

    >>> round(proposition1_with_shuffling(10, 2, 0.3, 0.8, 0.01), 12)
    0.61009
    """
    check.count("d", d, 1)
    return _times(iterations, straggle_probability(p_slow, p_straggle_slow, p_straggle_active) ** d)


@paper.claim(
    "proposition1.with-shuffling.printed",
    "Proposition 1, the classes averaged over too",
    reads="proposition1.given-holders.printed",
    proof="In one iteration each of the d workers that hold the partition is slow with p_slow, so "
    "straggles with q, independently of the others; means add up over the iterations.",
)
def _() -> Cases:
    """With random shuffling, a partition with d holders is not accessed in L q^d of L iterations on
    average over the workers' classes, q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active."""
    for code, iterations, p_slow, pair in (
        (frc(8, 2), 2, 0.3, (0.8, 0.01)),
        (frc(4, 2), 4, 0.3, (0.8, 0.1)),
        (circulant(6, 3), 4, 0.5, (0.9, 0.3)),
    ):
        theory = proposition1_with_shuffling(iterations, code["d"], p_slow, *pair)
        yield _count(code, iterations, two_class(pair, p_slow=p_slow), theory)


@paper.elementwise
def proposition1_given_slow(
    iterations: int, n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean number of iterations without access with random shuffling, m of n workers slow: L h(m).

    agc, Proposition 1, for its (n, m) model; h is ``not_accessed_probability_given_slow``.

    >>> round(proposition1_given_slow(10, 8, 2, 3, 0.8, 0.01), 6)
    0.728929
    """
    h = not_accessed_probability_given_slow(n, d, slow, p_straggle_slow, p_straggle_active)
    return _times(iterations, h)


@paper.claim("proposition1.given-slow.derived", "Proposition 1, for the (n, m) model of Section IV")
def _() -> Cases:
    """With random shuffling and m slow workers, the mean number of iterations without access to a
    partition is L h(m),
    h(m) = sum_i C(m,i) C(n-m,d-i)/C(n,d) p_straggle_slow^i p_straggle_active^(d-i)."""
    return _counted(proposition1_given_slow)


@paper.claim(
    "proposition1.given-holders.printed",
    "Proposition 1, under its condition on the first iteration",
    kind="missing condition",
    printed="Suppose that exactly k_i workers out of these s belong to the slow-class … the "
    "expected number of times D_i is not accessed with and without shuffling is equal to "
    "L(p̂ p_ss + (1 − p̂) p_as)^s and L p_ss^(k_i) p_as^(s−k_i) respectively",
)
def _() -> Cases:
    """With random shuffling and exactly k slow workers among the d that hold a partition at first,
    it is not accessed in L q^d of L iterations on average (of those after the first)."""
    for n, d, slow, p_slow, pair in HOLDERS:
        yield _held(n, d, slow, p_slow, pair, proposition1_with_shuffling(2, d, p_slow, *pair))


@paper.elementwise
def proposition1_given_holders(
    iterations: int,
    n: int,
    d: int,
    slow_holders: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """Mean number of shuffled iterations without access, given the holders before the shuffles.

    Correction of agc, Proposition 1: k = slow_holders of the d workers that hold the partition
    *before* the first shuffle are slow, the other n−d are slow with p_slow each: the mean is
    L E[h(k + Bin(n−d, p_slow))]. In an iteration before the first shuffle it is that of
    ``proposition1_without_shuffling`` instead.

    >>> round(proposition1_given_holders(10, 8, 2, 2, 0.3, 0.8, 0.01), 6)
    1.402262
    """
    check.code(n, d)
    check.count("slow_holders", slow_holders, 0, d)
    check.probabilities(p_slow=p_slow)
    h = not_accessed_probability_given_slow
    mean = math.fsum(
        weight * h(n, d, slow_holders + others, p_straggle_slow, p_straggle_active)
        for others, weight in enumerate(binomial_probabilities(n - d, p_slow).tolist())
    )
    return _times(iterations, mean)


@paper.claim(
    "proposition1.given-holders.corrected",
    "Proposition 1, corrected",
    proof="Workers keep their classes: k holders are slow, and each of the n-d other workers with "
    "probability p_slow, so m = k + Bin(n-d, p_slow) workers are slow in every iteration, and "
    "shuffling draws the d holders from all n. The probability in the first iteration is "
    "p_straggle_slow^k p_straggle_active^(d-k).",
)
def _() -> Cases:
    """With random shuffling and exactly k slow workers among the d that hold a partition at first,
    it is not accessed in L E[h(k + Bin(n-d, p_slow))] of L iterations on average (of those after
    the first)."""
    for n, d, slow, p_slow, pair in HOLDERS:
        theory = proposition1_given_holders(2, n, d, slow, p_slow, *pair)
        yield _held(n, d, slow, p_slow, pair, theory)


@paper.elementwise
def not_accessed_variance_given_slow(
    iterations: int, n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Variance L h(m) (1−h(m)) with random shuffling and m slow workers: there it is binomial.

    >>> round(not_accessed_variance_given_slow(10, 8, 2, 3, 0.8, 0.01), 6)
    0.675795
    """
    h = not_accessed_probability_given_slow(n, d, slow, p_straggle_slow, p_straggle_active)
    return _times(iterations, h * (1.0 - h))


@paper.claim(
    "proposition1.count-given-slow.derived",
    "Proposition 1, proof, for the (n, m) model of Section IV",
    reads="proposition1.count.printed",
    proof="Given m, shuffling makes the iterations independent, with one probability h(m) each. "
    "The expectation, for which the proof needs no more, is right without it.",
)
def _() -> Cases:
    """With random shuffling and m slow workers the number of iterations without access to a
    partition is binomial: its variance is L h(m) (1-h(m))."""
    return _counted(not_accessed_variance_given_slow, "variance")


@paper.elementwise
def not_accessed_variance_printed(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Variance L q^d (1−q^d) of the binomial that the proof of agc, Proposition 1, names. Wrong.

    >>> round(not_accessed_variance_printed(10, 2, 0.3, 0.8, 0.1), 3)
    0.869
    """
    check.count("d", d, 1)
    x = straggle_probability(p_slow, p_straggle_slow, p_straggle_active) ** d
    return _times(iterations, x * (1.0 - x))


@paper.claim(
    "proposition1.count.printed",
    "Proposition 1, proof, for the classes of Section II",
    kind="missing condition",
    printed="Hence event A follows the binomial distribution",
)
def _() -> Cases:
    """With random shuffling the number of iterations without access to a partition is binomial,
    also if the number of slow workers is not given: its variance is L q^d (1-q^d)."""
    for code, iterations, p_slow, pair in MIXED:
        theory = not_accessed_variance_printed(iterations, code["d"], p_slow, *pair)
        yield _count(code, iterations, two_class(pair, p_slow=p_slow), theory, "variance")


@paper.elementwise
def not_accessed_variance(
    iterations: int,
    n: int,
    d: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Variance of the number of iterations without access, for frc or circulant.

    Correction of agc, Proposition 1: classes persist, so the count is a mixture over the number of
    slow workers (random shuffling: Bin(L, h(m))) or of slow holders (none).

    >>> [round(not_accessed_variance(10, 4, 2, 0.3, 0.8, 0.1, s), 3) for s in ("random", "none")]
    [1.917, 3.602]
    """
    check.code(n, d)
    check.shuffle(shuffle)
    check.count("iterations", iterations, 1)
    q = straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    w = straggle_probability(p_slow, p_straggle_slow**2, p_straggle_active**2)

    def covariance(lag: int) -> float:
        if shuffle == "none":
            common = [0.0] * d + [1.0]
        elif shuffle == "random":
            common = hypergeometric(n, d, d)
        else:
            turn = lag % n
            common = [0.0] * (d + 1)
            common[max(0, d - turn) + max(0, d - (n - turn))] = 1.0
        both = math.fsum(c * w**o * q ** (2 * (d - o)) for o, c in enumerate(common))
        return float(both - q ** (2 * d))

    variance = q**d * (1.0 - q**d)
    return float(iterations**2 * average_variance(variance, iterations, covariance))


@paper.claim(
    "proposition1.count.corrected",
    "Proposition 1, proof, corrected",
    proof="Iterations are independent only given the classes: given m (random shuffling) or k "
    "(none) the count is binomial, and the variance of its mean over m or k is added.",
)
def _() -> Cases:
    """Classes persist, so the number of iterations without access to a partition is a mixture: of
    Bin(L, h(m)) over the number m of slow workers with random shuffling, of
    Bin(L, p_straggle_slow^k p_straggle_active^(d-k)) over the number k of slow holders without; its
    variance is the mixture's."""
    for shuffle in ("random", "none"):
        for code, L, p_slow, pair in MIXED:
            theory = not_accessed_variance(L, code["n"], code["d"], p_slow, *pair, shuffle)
            yield _count(code, L, two_class(pair, p_slow=p_slow), theory, "variance", shuffle)


def _all_holders_straggle(
    d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Probability x that all d holders of a partition straggle in an iteration."""
    check.count("d", d, 1)
    check.count("slow_holders", slow_holders, 0, d)
    check.probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)
    return float(p_straggle_slow**slow_holders * p_straggle_active ** (d - slow_holders))


def _times(iterations: int, value: float) -> float:
    check.count("iterations", iterations, 1)
    return iterations * value


def _fixed(formula: Callable[..., float], statistic: str = "mean") -> Cases:
    for code, slow, holders, pair in (
        (frc(8, 2), [0, 1, 5], 2, (0.8, 0.01)),
        (frc(8, 2), [0, 4], 1, (0.8, 0.4)),
        (circulant(7, 3), [0, 5], 2, (0.7, 0.5)),
    ):
        theory = formula(4, code["d"], holders, *pair)
        yield _count(code, 4, two_class(pair, slow=[*slow]), theory, statistic, "none")


def _counted(formula: Callable[..., float], statistic: str = "mean") -> Cases:
    for code, slow, pair in COUNTED:
        theory = formula(4, code["n"], code["d"], slow, *pair)
        yield _count(code, 4, two_class(pair, slow=slow), theory, statistic)


def _held(
    n: int, d: int, slow: int, p_slow: float, pair: tuple[float, float], theory: float
) -> Case:
    """It is known which of the first holders of partition 0 are slow."""
    known = [1.0] * slow + [0.0] * (d - slow) + [p_slow] * (n - d)
    return _count(frc(n, d), 2, two_class(pair, p_slow=known), theory)


def _count(
    code: Table,
    iterations: int,
    stragglers: Table,
    theory: float,
    statistic: str = "mean",
    shuffle: str = "random",
) -> Case:
    """The number of iterations in which no survivor holds partition 0."""
    experiment = decoding("not_accessed", code, stragglers, iterations, shuffle)
    return compared(experiment, theory, statistic, note={"shuffle": shuffle}, index=0)
