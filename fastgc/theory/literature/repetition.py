"""Fractional repetition and the circulant with d = 2: laws of the error, worst cases, memory."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import Table, circulant, frc, iid, two_class, uniform
from fastgc.theory.common import check
from fastgc.theory.common import repetition as common
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    circulant_mean_error_variance,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.papers.claim import Case, Cases

paper.share(
    common.frc_autocovariance,
    common.frc_error_variance,
    common.frc_exact_probability,
    common.frc_mean_error,
    common.frc_uncovered_probability,
)

_GROUPS = "Derived: the error is d times the number of groups without a survivor"

#: n, d, p and n, d, stragglers
_INDEPENDENT = ((12, 2, 0.3), (12, 3, 0.5), (16, 2, 0.2))
_COUNTED = ((12, 2, 5), (12, 3, 6), (16, 2, 7))
_GAPS = "Derived from the gaps between stragglers"


def _moments(formula: Callable[..., Any], statistic: str) -> Cases:
    for n, d, p in _INDEPENDENT:
        yield sampled(frc(n, d), iid(p), formula(n, d, p=p), statistic=statistic)
    for n, d, s in _COUNTED:
        yield sampled(frc(n, d), uniform(s), formula(n, d, survivors=n - s), statistic=statistic)


@paper.claim("frc.mean.derived", _GROUPS)
def _() -> Cases:
    """frc's mean error is n q^d for iid stragglers and n C(n-d,r)/C(n,r) given r survivors."""
    return _moments(common.frc_mean_error, "mean")


@paper.claim("frc.variance.derived", _GROUPS)
def _() -> Cases:
    """The variance of frc's error is that of d times the number of lost groups:
    d n q^d (1-q^d) for iid stragglers."""
    return _moments(common.frc_error_variance, "variance")


@paper.elementwise
def frc_tail_probability(
    n: int, d: int, threshold: float, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that frc's error exceeds a threshold.

    It is that of more than threshold/d groups without a survivor.

    >>> frc_tail_probability(n=4, d=2, threshold=0.0, survivors=2)
    0.3333333333333333
    """
    check.groups(n, d)
    least = max(math.floor(threshold / d) + 1, 0)
    return math.fsum(
        float(common.frc_uncovered_probability(n, d, groups, survivors, p))
        for groups in range(least, n // d + 1)
    )


def _tail(n: int, d: int, threshold: float, stragglers: Table, **given: float) -> Case:
    theory = frc_tail_probability(n, d, threshold, **given)
    statistic = f"P(>{threshold!r})"
    return sampled(frc(n, d), stragglers, theory, statistic=statistic, thresholds=[threshold])


@paper.claim("frc.distribution.derived", _GROUPS)
def _() -> Cases:
    """Given r survivors, u of frc's g groups are lost with probability C(g,u) sum_i (-1)^i C(g-u,i)
    C(n-d(u+i),r)/C(n,r); for iid stragglers the number is binomial with q^d."""
    for n, d, lost, s in ((12, 2, 0, 5), (12, 3, 0, 7), (20, 2, 1, 8)):
        yield _tail(n, d, float(d * lost), uniform(s), survivors=n - s)
    for n, d, p in _INDEPENDENT:
        yield _tail(n, d, float(d), iid(p), p=p)


@paper.formula
def frc_turned_error(d: int, p: Sequence[float], iterations: int) -> float:
    """Mean error of frc over so many iterations of cyclic shuffling, workers straggling with p_j.

    Worker j plays column (j + l) mod n in iteration l = 0, 1, …. Derived.

    >>> frc_turned_error(2, [0.5, 0.5, 0.0, 0.0], iterations=2)
    0.25
    """
    n = len(p)
    check.groups(n, d)
    lost = [
        math.prod(p[(column - turn) % n] for column in range(group, group + d))
        for turn in range(iterations)
        for group in range(0, n, d)
    ]
    return d * math.fsum(lost) / iterations


@paper.claim("frc.turns.derived", "Derived by the group that each worker is in")
def _() -> Cases:
    """If workers are not alike and columns are shuffled cyclically, frc's mean error is that over
    the turns of L iterations, some of which come once more than others if n does not divide L."""
    for d, p, iterations in (
        (2, (0.9, 0.8, 0.1, 0.2), 3),
        (2, (0.9, 0.8, 0.1, 0.2), 5),
        (3, (0.9, 0.8, 0.7, 0.1, 0.2, 0.3), 8),
    ):
        n = len(p)
        stragglers: Table = {"model": "iid", "p": list(p)}
        experiment = decoding("error", frc(n, d), stragglers, iterations, "cyclic")
        theory = frc_turned_error(d, p, iterations)
        yield compared(experiment, theory, scale=n)


@paper.elementwise
def frc_largest_error(n: int, d: int, stragglers: int) -> float:
    """Largest error d⌊s/d⌋ of frc over all sets of s stragglers.

    A group costs its d partitions, and only once all of its d workers straggle.

    >>> frc_largest_error(n=12, d=3, stragglers=7)
    6.0
    """
    check.groups(n, d)
    check.count("stragglers", stragglers, 0, n)
    return d * (stragglers // d)


@paper.claim("frc.worst-case.derived", _GROUPS)
def _() -> Cases:
    """frc's largest error over all sets of s stragglers is d floor(s/d)."""
    for n, d, s in ((8, 2, 3), (9, 3, 2), (9, 3, 5), (12, 4, 9)):
        theory = frc_largest_error(n, d, s)
        yield finite("largest_error", theory, scale=n, code=frc(n, d), survivors=n - s)
        yield built("worst_error", theory, scale=n, code=frc(n, d), stragglers=s)
    for n, d, s in ((40, 4, 14), (60, 3, 11)):
        yield built("worst_error", frc_largest_error(n, d, s), code=frc(n, d), stragglers=s)


def _autocovariances(shuffle: str) -> Cases:
    p_slow, straggle = 0.5, (0.95, 0.05)
    stragglers = two_class(straggle, p_slow=p_slow)
    for n, d, iterations, lag in ((4, 2, 3, 1), (6, 3, 2, 1), (6, 2, 3, 2)):
        experiment = decoding("error_lag", frc(n, d), stragglers, iterations, shuffle)
        theory = common.frc_autocovariance(n, d, lag, p_slow, *straggle, shuffle)
        note = {"lag": lag, "shuffle": shuffle}
        yield compared(experiment, theory, note=note, index=lag, scale=n * n)


for _shuffle, _formula in (
    ("none", "d^2 g (w^d - q^(2d))"),
    ("cyclic", "d^2 g (w^(d-u) q^(2u) + w^u q^(2(d-u)) - 2 q^(2d)), u = lag mod d"),
    ("random", "n^2 (sum_o C(d,o) C(n-d,d-o)/C(n,d) w^o q^(2(d-o)) - q^(2d))"),
):
    paper.claim(
        f"frc.autocovariance.{_shuffle}.derived",
        "Derived from the two-class model of paper agc",
        statement=f"""With two-class stragglers and shuffle {_shuffle}, the errors of two iterations
        of frc have covariance {_formula}, w = p_slow p_straggle_slow^2 + (1-p_slow)
        p_straggle_active^2""",
    )(partial(_autocovariances, _shuffle))


# ---- the 0/1 circulant with d = 2


paper.share(circulant_error_variance, circulant_exact_probability, circulant_mean_error)


@paper.claim("circulant.mean.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 costs 1/v for each odd cyclic distance v between stragglers:
    mean sum_(v odd) n q^2 p^(v-1)/v + [n odd] q p^(n-1) for iid stragglers, (sum_(v odd) (n/v)
    C(n-v-1, r-v+1) + [n odd, r = n-1])/C(n,r) given r survivors."""
    for n, p in ((9, 0.3), (16, 0.25), (17, 0.4)):
        yield sampled(circulant(n, 2), iid(p), circulant_mean_error(n, 2, p=p))
    for n, s in ((9, 3), (16, 5), (17, 7), (7, 1)):
        yield sampled(circulant(n, 2), uniform(s), circulant_mean_error(n, 2, survivors=n - s))


@paper.claim("circulant.exact.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 decodes exactly iff all distances between stragglers
    are even: probability 2 p^(n/2) - p^n for even n, p^n for odd n."""
    for n, q in ((8, 0.1), (12, 0.08), (9, 0.1)):
        yield sampled(circulant(n, 2), iid(q), circulant_exact_probability(n, p=q), "exact")


@paper.claim("circulant.shuffling.derived", "Derived from the two-class model of paper agc")
def _() -> Cases:
    """With two-class stragglers the error of the circulant with d = 2, averaged over L iterations,
    has the variance of its conditional means given the classes, and the L-th part of the rest: with
    cyclic shuffling of those of its turns, with random shuffling given the number of slow
    workers."""
    straggle = (0.8, 0.1)
    stragglers = two_class(straggle, p_slow=0.4)
    for shuffle in ("none", "cyclic", "random"):
        for n, iterations in ((5, 3), (6, 2)):
            experiment = decoding("mean_error", circulant(n, 2), stragglers, iterations, shuffle)
            theory = circulant_mean_error_variance(n, 2, iterations, 0.4, *straggle, shuffle)
            yield compared(experiment, theory, "variance", note={"shuffle": shuffle}, scale=n * n)
