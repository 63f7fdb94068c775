"""Facts of codes: codes of cyclic shifts, the 0/1 circulant, a lower bound.

Turning a pattern of survivors by one place turns the rows of the system that is solved, and the
all-ones vector stays: so the error is the same for a whole cyclic class of patterns (agc, Theorem
2, proof), and a mean over all patterns is one over representatives.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.common import check
from fastgc.theory.common.numerics import LARGEST_COUNTED, binomial_probabilities, elementwise
from fastgc.theory.common.straggler_laws import straggle_probability, survivors_given_slow

#: Entries of column 0 from row 0 on, zeros at the end left out.
Column = tuple[float, ...]
#: The sum over cycle representatives takes 2ⁿ/n least-squares problems.
LARGEST_N = 20


# ---- codes whose columns are the cyclic shifts of one column: one error for a class of patterns


def cyclic_mds_column(n: int, d: int) -> Column:
    """Column of the real cyclic MDS code: the polynomial with d−1 roots around −1 on the circle.

    Its roots are exp(2πi z/n) for the d−1 exponents z around n/2; in pairs of conjugates they give
    factors 1 − 2 cos(2πz/n) x + x². n + d is even, or no such polynomial is real. Raviv, Tamo,
    Tandon, Dimakis (1707.03858), Section III.
    """
    if (n + d) % 2:
        raise FastgcError(f"cyclic MDS: n + d must be even for a real code (got n={n}, d={d})")
    column = np.ones(1)
    for pair in range((d - 1) // 2):
        # exponents z = n/2 ± (half, half + 1, …) have cos(2πz/n) = −cos(2π(z − n/2)/n)
        away = pair + (1.0 if d % 2 == 0 else 0.5)
        column = np.convolve(column, [1.0, 2.0 * math.cos(2.0 * math.pi * away / n), 1.0])
    if d % 2 == 0:
        column = np.convolve(column, [1.0, 1.0])
    return tuple(column.tolist())


def mean_over_classes(n: int, column: Column, survivors: Values, power: int, most: int) -> float:
    """Σ_r P_r Σ_i e_i/C(n,r) ‖A_i A_i⁺ 1 − 1‖^power over cycle representatives, r ≤ most."""
    return math.fsum(
        survivors[r] * order / math.comb(n, r) * error ** (power / 2)
        for r, order, error in class_errors(n, column)
        if r <= most
    )


@lru_cache(maxsize=32)
def class_errors(n: int, column: Column) -> tuple[tuple[int, int, float], ...]:
    """(survivors, order, error) of each cycle class."""
    B = np.zeros((n, n))
    for j in range(n):
        B[[(j + i) % n for i in range(len(column))], j] = column
    representatives, _, orders = _classes(n)
    found = []
    for word, order in zip(representatives.tolist(), orders.tolist(), strict=True):
        A, error = B[:, [word >> (n - 1 - j) & 1 == 1 for j in range(n)]], float(n)
        if A.size:
            residual = A @ np.linalg.lstsq(A, np.ones(n), rcond=None)[0] - 1.0
            error = float(residual @ residual)
        found.append((A.shape[1], order, error if error > 1e-20 * n else 0.0))
    return tuple(found)


def errors_of_patterns(n: int, column: Column) -> Values:
    """Errors of all 2ⁿ patterns, worker 0 in the highest bit, a set bit for a survivor."""
    return np.array([error for _, _, error in class_errors(n, column)])[_classes(n)[1]]


@lru_cache(maxsize=4)
def _classes(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The least word of each class of binary words, the class of each word, and sizes."""
    if n > LARGEST_N:
        raise FastgcError(
            f"n: got {n}, but the sum over cycle classes is for n ≤ {LARGEST_N}; use d = 2, or "
            "sample the error"
        )
    least = turned = np.arange(2**n)
    for _ in range(n - 1):
        turned = turned >> 1 | (turned & 1) << n - 1
        least = np.minimum(least, turned)
    return np.unique(least, return_inverse=True, return_counts=True)


# ---- what no code can go below


def error_lower_bound(holders: ArrayLike, p: float) -> float:
    """Lower bound Σ_i q^(d_i) of the mean error for iid stragglers, any code; frc attains it.

    A partition without a surviving holder costs 1. ``holders`` are the numbers d_i of workers that
    hold partition i, ``p`` is q. Derived; it contradicts "CRC better than FRC" of agc, Sec. V.
    """
    check.probabilities(p=p)
    return float(np.sum(p ** np.asarray(holders, dtype=np.float64)))


# ---- the 0/1 circulant: worker j holds partitions j … j+d−1 modulo n
#
# For d = 2 and n ≥ 3 the error has a formula in the gaps: with v the cyclic distance from one
# straggler to the next (a single straggler: n), each odd v costs 1/v. Other d go through classes.


@elementwise
def circulant_mean_error(
    n: int, d: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Mean error given r survivors (all patterns alike), or for iid stragglers.

    For d = 2, n ≥ 3, with q the probability to straggle: iid
    Σ_{v odd < n} n q² (1−q)^(v−1)/v + [n odd] q (1−q)^(n−1); uniform
    (Σ_{v odd < n} (n/v) C(n−v−1, r−v+1) + [n odd, r = n−1]) / C(n,r). Derived; other d by
    cycle classes as in agc, Theorem 2, with all terms r = 0 … n, for n ≤ 20.
    """
    check.count("n", n, 1, LARGEST_COUNTED)
    return _moment(n, d, survivors, p, 1)


@elementwise
def circulant_error_variance(
    n: int, d: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Variance of the error of one iteration, given r survivors or for iid stragglers."""
    mean = float(circulant_mean_error(n, d, survivors, p))
    return _moment(n, d, survivors, p, 2) - mean**2


def _moment(n: int, d: int, survivors: int | None, p: float | None, power: int) -> float:
    if d != 2 or n < 3:
        law = binomial_probabilities(n, 1.0 - p) if p is not None else np.eye(n + 1)[survivors]
        return mean_over_classes(n, ones(d), law, power=2 * power, most=n)
    if p is None:
        assert survivors is not None
        return _moment_of_gaps(n, n - survivors, power)
    law, terms, total = binomial_probabilities(n, p), [], 0.0
    for s in np.argsort(law)[::-1].tolist():
        if law[s] * n ** (power + 1) <= 1e-18 * total:
            break  # all that are less likely together change nothing
        terms.append(law[s] * _moment_of_gaps(n, s, power))
        total += terms[-1]
    return math.fsum(terms)


def _moment_of_gaps(n: int, stragglers: int, power: int) -> float:
    """Mean of the error or of its square for d = 2, all patterns of so many stragglers alike."""
    s, gaps, pairs = stragglers, np.zeros(n + 1), np.zeros(n + 1)
    if s == 1:
        gaps[n] = 1.0
    elif s > 1:
        gaps[1:n] = s * (s - 1) / (n - 1) * _falling(n, s - 2, 1)
    if s == 2:
        pairs[n] = 2.0 / (n - 1)
    elif s > 2:
        # n (s−1) C(n−t−1, s−3)/C(n,s) ordered pairs of different gaps of given lengths, sum t
        pairs[2:n] = s * (s - 1) ** 2 * (s - 2) / ((n - 1) * (n - 2)) * _falling(n, s - 3, 2)
    odd = np.arange(1, n + 1, 2)
    moment = math.fsum(gaps[1::2] / odd**power)
    if power == 2:
        # Σ 1/(v u) over odd v + u = t is 2/t times the sum of 1/v
        even = np.arange(2, n + 1, 2)
        moment += math.fsum(pairs[even] * 2.0 / even * np.cumsum(1.0 / odd)[: len(even)])
    return moment


def _falling(n: int, rest: int, first: int) -> Values:
    """C(n−t−1, rest)/C(n−first−1, rest) of t = first … n−1."""
    # from t = first upwards by the ratio of neighbours, so nothing overflows
    places = n - 1 - np.arange(first, n - 1)
    return np.concatenate([[1.0], np.cumprod(np.maximum(places - rest, 0) / places)])


@elementwise
def circulant_exact_probability(
    n: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that the circulant with d = 2, n ≥ 3 decodes exactly: every gap is even.

    iid: 2 (1−q)^(n/2) − (1−q)^n for even n, (1−q)^n for odd n. Given s ≥ 1 stragglers
    2 C(n/2, s)/C(n, s) for even n, 0 for odd n.
    """
    check.count("n", n, 3, LARGEST_COUNTED)
    if p is not None:
        none = (1.0 - p) ** n
        return none if n % 2 else 2.0 * (1.0 - p) ** (n // 2) - none
    assert survivors is not None
    stragglers = n - survivors
    if stragglers == 0:
        return 1.0
    if n % 2 or 2 * stragglers > n:
        return 0.0
    return 2 * math.comb(n // 2, stragglers) / math.comb(n, stragglers)


@elementwise
def circulant_mean_error_variance(
    n: int,
    d: int,
    iterations: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Variance over trials of the error averaged over the iterations, two-class model.

    Random shuffling: Var/L + (L−1)/L Var_m g(m), g(m) the mean error given m slow workers. Without
    shuffling g depends on the classes of all workers, and cyclic shuffling changes nothing, as the
    error of a rotated pattern is the same (n ≤ 20). Derived; not in the paper.
    """
    straggle = (p_straggle_slow, p_straggle_active)
    q = float(straggle_probability(p_slow, *straggle))
    variance = float(circulant_error_variance(n, d, p=q))
    if iterations == 1:
        return variance
    if shuffle == "random":
        by_survivors = np.array([circulant_mean_error(n, d, survivors=r) for r in range(n + 1)])
        given = (survivors_given_slow(n, m, *straggle) for m in range(n + 1))
        conditional = np.array([law @ by_survivors for law in given])
        weights = binomial_probabilities(n, p_slow)
    else:
        conditional = errors_of_patterns(n, ones(d))
        weights = np.ones(1)
        # A worker's row: its class (slow, active); its column: straggled, survived.
        law = np.array([[probability, 1.0 - probability] for probability in straggle])
        for worker in range(n):
            tensor = conditional.reshape(2**worker, 2, -1)
            conditional = np.einsum("cs,asb->acb", law, tensor).ravel()
            weights = np.outer(weights, [p_slow, 1.0 - p_slow]).ravel()
    mean = float(weights @ conditional)
    covariance = float(weights @ (conditional - mean) ** 2)
    return variance / iterations + covariance * (iterations - 1) / iterations


def ones(d: int) -> Column:
    """The column whose shifts are the 0/1 circulant's."""
    return (1.0,) * d
