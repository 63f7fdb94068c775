"""Claims on fractional repetition, circulants and the codes that tolerate d−1 stragglers."""

from __future__ import annotations

from functools import partial

from fastgc.theory import literature
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import (
    Table,
    circulant,
    decoding,
    frc,
    iid,
    point_of,
    two_class,
    uniform,
)
from fastgc.theory.literature.cases import CHARLES, RAVIV, TANDON, sampled
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="literature", relation="=")


def repetition_claims() -> tuple[Claim, ...]:
    """Claims on frc, the 0/1 circulant with d = 2, Tandon's cyclic code and cyclic MDS codes."""
    return (
        *_frc_claims(),
        *_autocovariance_claims(),
        *_circulant_claims(),
        *_tolerance_claims(),
    )


def _frc_claims() -> tuple[Claim, ...]:
    independent = ((12, 2, 0.3), (12, 3, 0.5), (30, 2, 0.2))
    counted = ((12, 2, 5), (12, 3, 6), (30, 2, 12))
    # n, d, lost groups at most, stragglers
    tails = ((12, 2, 0, 5), (12, 3, 0, 7), (20, 2, 1, 8))
    return (
        _claim(
            id="literature.frc.mean.printed",
            statement=(
                "frc's mean error is n q^d for iid stragglers and n C(n-d,r)/C(n,r) given r "
                "survivors"
            ),
            citation=f"{CHARLES}, made exact",
            expected="confirmed",
            cases=(
                *(
                    sampled(frc(n, d), iid(p), literature.frc_mean_error(n, d, p=p))
                    for n, d, p in independent
                ),
                *(
                    sampled(frc(n, d), uniform(s), literature.frc_mean_error(n, d, survivors=n - s))
                    for n, d, s in counted
                ),
            ),
        ),
        _claim(
            id="literature.frc.variance.derived",
            statement=(
                "The variance of frc's error is that of d times the number of lost groups: "
                "d n q^d (1-q^d) for iid stragglers"
            ),
            citation=f"{CHARLES}, extended",
            expected="confirmed",
            cases=(
                *(
                    sampled(
                        frc(n, d),
                        iid(p),
                        literature.frc_error_variance(n, d, p=p),
                        statistic="variance",
                    )
                    for n, d, p in independent
                ),
                *(
                    sampled(
                        frc(n, d),
                        uniform(s),
                        literature.frc_error_variance(n, d, survivors=n - s),
                        statistic="variance",
                    )
                    for n, d, s in counted
                ),
            ),
        ),
        _claim(
            id="literature.frc.distribution.derived",
            statement=(
                "Given r survivors, u of frc's g groups are lost with probability "
                "C(g,u) sum_i (-1)^i C(g-u,i) C(n-d(u+i),r)/C(n,r); for iid stragglers the number "
                "is binomial with q^d"
            ),
            citation=f"{CHARLES}, extended",
            expected="confirmed",
            cases=(
                *(_tail(n, d, d * u, uniform(s), survivors=n - s) for n, d, u, s in tails),
                *(_tail(n, d, d, iid(p), p=p) for n, d, p in independent),
            ),
        ),
        _claim(
            id="literature.frc.worst-case.printed",
            statement="frc's largest error over all sets of s stragglers is d floor(s/d)",
            citation=CHARLES,
            expected="confirmed",
            cases=tuple(
                finite(
                    "largest_error",
                    literature.frc_largest_error(n, d, s),
                    scale=n,
                    code=frc(n, d),
                    survivors=n - s,
                )
                for n, d, s in ((8, 2, 3), (9, 3, 2), (9, 3, 5), (12, 4, 9))
            ),
        ),
    )


def _autocovariance_claims() -> tuple[Claim, ...]:
    # n, d, iterations, lag, p_slow, p_straggle_slow, p_straggle_active
    points = (
        (4, 2, 3, 1, 0.5, 0.95, 0.05),
        (6, 3, 2, 1, 0.5, 0.95, 0.05),
        (6, 2, 3, 2, 0.5, 0.95, 0.05),
    )
    formulas = {
        "none": "d^2 g (w^d - q^(2d))",
        "cyclic": "d^2 g (w^(d-u) q^(2u) + w^u q^(2(d-u)) - 2 q^(2d)), u = lag mod d",
        "random": "n^2 (sum_o C(d,o) C(n-d,d-o)/C(n,d) w^o q^(2(d-o)) - q^(2d))",
    }
    return tuple(
        _claim(
            id=f"literature.frc.autocovariance.{shuffle}.derived",
            statement=(
                f"With two-class stragglers and shuffle {shuffle}, the errors of two iterations "
                f"of frc have covariance {formula}, w = p_slow p_straggle_slow^2 + (1-p_slow) "
                "p_straggle_active^2"
            ),
            citation="Derived from the two-class model of paper agc",
            expected="confirmed",
            cases=tuple(_autocovariance(shuffle, *point) for point in points),
        )
        for shuffle, formula in formulas.items()
    )


def _circulant_claims() -> tuple[Claim, ...]:
    independent = ((9, 0.3), (16, 0.25), (25, 0.4))
    counted = ((9, 3), (16, 5), (25, 9), (7, 1))
    even = ((8, 0.1), (12, 0.08), (9, 0.1))
    return (
        _claim(
            id="literature.circulant.mean.derived",
            statement=(
                "The 0/1 circulant with d = 2 costs 1/v for each odd cyclic distance v between "
                "stragglers: mean sum_(v odd) n q^2 p^(v-1)/v + [n odd] q p^(n-1) for iid "
                "stragglers, (sum_(v odd) (n/v) C(n-v-1, r-v+1) + [n odd, r = n-1])/C(n,r) given r "
                "survivors"
            ),
            citation="Derived from the gaps between stragglers",
            expected="confirmed",
            cases=(
                *(
                    sampled(circulant(n, 2), iid(p), literature.circulant_mean_error(n, 2, p=p))
                    for n, p in independent
                ),
                *(
                    sampled(
                        circulant(n, 2),
                        uniform(s),
                        literature.circulant_mean_error(n, 2, survivors=n - s),
                    )
                    for n, s in counted
                ),
            ),
        ),
        _claim(
            id="literature.circulant.exact.derived",
            statement=(
                "The 0/1 circulant with d = 2 decodes exactly iff all distances between stragglers "
                "are even: probability 2 p^(n/2) - p^n for even n, p^n for odd n"
            ),
            citation="Derived from the gaps between stragglers",
            expected="confirmed",
            cases=tuple(
                sampled(
                    circulant(n, 2), iid(q), literature.circulant_exact_probability(n, p=q), "exact"
                )
                for n, q in even
            ),
        ),
    )


def _tolerance_claims() -> tuple[Claim, ...]:
    cyclic: tuple[Table, ...] = tuple(
        {"family": "cyclic", "n": n, "d": d, "seed": 1} for n, d in ((6, 2), (8, 3), (9, 3))
    )
    mds: tuple[Table, ...] = tuple(
        {"family": "cyclic-mds", "n": n, "d": d} for n, d in ((6, 4), (9, 3), (10, 4))
    )
    return tuple(
        _claim(
            id=f"literature.{name}.tolerance.printed",
            statement=f"{code} decodes exactly whatever d-1 workers straggle",
            citation=citation,
            expected="confirmed",
            cases=(
                *(
                    finite(
                        "largest_error",
                        0,
                        scale=table["n"],
                        code=table,
                        survivors=table["n"] - table["d"] + 1,
                    )
                    for table in tables
                ),
                *(sampled(table, uniform(table["d"] - 1), 0) for table in tables),
            ),
        )
        for name, code, citation, tables in (
            ("cyclic", "Tandon's random cyclic code", TANDON, cyclic),
            ("cyclic-mds", "The cyclic MDS code", RAVIV, mds),
        )
    )


def _tail(n: int, d: int, threshold: int, stragglers: Table, **given: float) -> Case:
    theory = literature.frc_tail_probability(n, d, float(threshold), **given)
    statistic = f"P(>{float(threshold)!r})"
    thresholds = [float(threshold)]
    return sampled(frc(n, d), stragglers, theory, statistic=statistic, thresholds=thresholds)


def _autocovariance(shuffle: str, n: int, d: int, iterations: int, lag: int, *law: float) -> Case:
    p_slow, ss, active = law
    stragglers = two_class((ss, active), p_slow=p_slow)
    experiment = decoding("error_lag", frc(n, d), stragglers, iterations, shuffle)
    theory = literature.frc_autocovariance(n, d, lag, *law, shuffle)
    point = point_of(experiment) | {"lag": lag, "shuffle": shuffle}
    return Case(point, theory, experiment, "error_lag", index=lag, scale=n * n)
