"""Claims on completion times: order statistics, replication, the fastest MDS code."""

from __future__ import annotations

import math
from functools import partial

from fastgc.theory import literature
from fastgc.theory.cases.completion import answers, completion, exponential, late, timed, whole
from fastgc.theory.cases.tables import Table
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="literature", relation="=")

LEE = (
    "Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran, Speeding Up Distributed Machine Learning "
    "Using Codes (arXiv:1512.02673)"
)
DAVID = "David, Nagaraja, Order Statistics (2003)"


def time_claims() -> tuple[Claim, ...]:
    """Claims on stars without a port."""
    return (*_order_claims(), *_two_class_claims(), *_replication_claims(), *_mds_claims())


def _order_claims() -> tuple[Claim, ...]:
    stars = ((20, 16), (100, 80), (5, 1))
    return (
        _claim(
            id="literature.order-statistics.exponential.derived",
            statement=(
                "The k-th smallest of n exponential times has mean H_n - H_(n-k) and variance "
                "1/n^2 + ... + 1/(n-k+1)^2 in units of the mean"
            ),
            citation=f"{DAVID}, by Renyi's spacings",
            expected="confirmed",
            cases=(
                *(_mean(n, k, literature.exponential_order_mean(n, k)) for n, k in stars),
                *(
                    timed(
                        completion(whole(answers(n, k))),
                        literature.exponential_order_variance(n, k),
                        "variance",
                    )
                    for n, k in stars[:2]
                ),
            ),
        ),
        _claim(
            id="literature.order-statistics.pareto.derived",
            statement=(
                "The k-th smallest of n Pareto times has mean scale G(n+1) G(n-k+1-1/shape)/(G(n-"
                "k+1) G(n+1-1/shape))"
            ),
            citation=DAVID,
            expected="confirmed",
            cases=tuple(
                _mean(
                    n,
                    k,
                    literature.pareto_order_mean(n, k, shape),
                    {"distribution": "pareto", "shape": shape, "scale": 1.0},
                )
                for n, k, shape in ((10, 8, 3.0), (20, 15, 2.5), (100, 80, 1.5))
            ),
        ),
        _claim(
            id="literature.order-statistics.uniform.derived",
            statement="The k-th smallest of n uniform times has mean low + (high-low) k/(n+1)",
            citation=DAVID,
            expected="confirmed",
            cases=tuple(
                _mean(
                    n,
                    k,
                    literature.uniform_order_mean(n, k, 1.0, 3.0),
                    {"distribution": "uniform", "low": 1.0, "high": 3.0},
                )
                for n, k in ((4, 3), (20, 16), (50, 10))
            ),
        ),
        _claim(
            id="literature.order-statistics.beta.derived",
            statement=(
                "The k-th smallest of n times of any law is the quantile at a Beta(k, n-k+1) "
                "number: means by quadrature (Weibull)"
            ),
            citation=DAVID,
            expected="confirmed",
            cases=tuple(
                _mean(
                    n,
                    k,
                    literature.weibull_order_mean(n, k, shape),
                    {"distribution": "weibull", "shape": shape, "scale": 1.0},
                )
                for n, k, shape in ((10, 8, 0.7), (20, 5, 2.0), (100, 80, 0.7))
            ),
        ),
    )


def _two_class_claims() -> tuple[Claim, ...]:
    # n, k, slow workers, their mean; the others' is 1
    points = ((10, 7, 3, 5.0), (12, 6, 6, 2.0), (5, 5, 1, 3.0))
    times = (1.5, 0.8, 4.0)
    return (
        _claim(
            id="literature.order-statistics.two-class.derived",
            statement=(
                "Where some workers are of another law, P(X_(k) > t) is a convolution of two "
                "binomial laws"
            ),
            citation=f"{DAVID}, independent unlike variables",
            expected="confirmed",
            cases=(
                *(
                    timed(
                        completion(whole(answers(n, k)), _unlike(n, slow, mean)),
                        literature.two_class_exponential_order_mean(n, k, slow, mean, 1.0),
                    )
                    for n, k, slow, mean in points
                ),
                *(
                    late(
                        whole(answers(n, k)),
                        t,
                        literature.two_class_order_tail(
                            n, k, slow, math.exp(-t / mean), math.exp(-t)
                        ),
                        _unlike(n, slow, mean),
                    )
                    for (n, k, slow, mean), t in zip(points, times, strict=True)
                ),
            ),
        ),
    )


def _replication_claims() -> tuple[Claim, ...]:
    # n, d, groups that must answer (all: None)
    points = ((4, 2, None), (12, 3, None), (30, 5, None), (12, 2, 4))
    tails = ((4, 2, 1.0), (12, 3, 0.8), (30, 5, 0.5))
    return (
        _claim(
            id="literature.frc.completion.derived",
            statement=(
                "Groups of d that share out the work are done by t with probability (1-(1-F)^d)^"
                "(n/d); for exponential times the mean is mean/d (H_g - H_(g-m)) until m of g have "
                "answered"
            ),
            citation="Derived from the fastest of each group",
            expected="confirmed",
            cases=(
                *(
                    timed(
                        completion(_replicated(n, d, groups), exponential(1.0, 0.5)),
                        literature.frc_completion_mean(n, d, 1.0, 0.5, groups),
                    )
                    for n, d, groups in points
                ),
                *(
                    late(
                        _replicated(n, d, None),
                        t,
                        literature.frc_completion_tail(n, d, math.exp(-t)),
                    )
                    for n, d, t in tails
                ),
            ),
        ),
    )


def _mds_claims() -> tuple[Claim, ...]:
    points = ((20, 1.0, 0.5), (50, 1.0, 1.0), (100, 1.0, 0.1), (200, 1.0, 1.0))
    return (
        _claim(
            id="literature.mds.optimum.printed",
            statement=(
                "The (n,k) MDS code with the best k takes -W_(-1)(-exp(-mu a - 1))/(mu n) on "
                "average: at most that"
            ),
            citation=f"{LEE}, Section III",
            relation="<=",
            expected="confirmed",
            cases=tuple(_fastest(n, mean, shift, 1.0) for n, mean, shift in points),
        ),
        _claim(
            id="literature.mds.optimum.derived",
            statement="... and at least the share 1 - 1/n of it, so that it is exact for large n",
            citation=f"{LEE}, Section III, with a rate",
            relation=">=",
            expected="confirmed",
            cases=tuple(_fastest(n, mean, shift, 1 - 1 / n) for n, mean, shift in points),
        ),
    )


def _mean(n: int, k: int, theory: float, latency: Table | None = None) -> Case:
    return timed(completion(whole(answers(n, k)), latency), theory)


def _unlike(n: int, slow: int, mean: float) -> list[Table]:
    return [exponential(mean)] * slow + [exponential()] * (n - slow)


def _replicated(n: int, d: int, groups: int | None) -> Table:
    table: Table = whole({"family": "replication", "n": n, "d": d})
    return table if groups is None else table | {"groups": groups}


def _fastest(n: int, mean: float, shift: float, share: float) -> Case:
    middle = math.floor(n * literature.mds_best_share(mean, shift))
    k = min(middle, middle + 1, key=lambda k: float(literature.mds_mean(n, k, mean, shift)))
    theory = share * literature.mds_best_mean(n, mean, shift)
    return timed(completion(answers(n, k), exponential(mean, shift)), theory)
