"""The claims of paper hierarchical; formulas are in ``fastgc.theory.hierarchical``.

Tasks take unit exponential times after a shift α.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fastgc.theory import hierarchical
from fastgc.theory.cases.completion import (
    HIERARCHICAL,
    answers,
    completion,
    exponential,
    late,
    layered,
    timed,
)
from fastgc.theory.cases.finite import finite
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="hierarchical", relation="=")

_LONG = (9, 8, 7, 6, 5, 4, 3, 3, 3, 2)
#: n, k, α, t.
_POINTS: tuple[tuple[int, tuple[int, ...], float, float], ...] = (
    (4, (3, 2), 0.0, 1.5),
    (10, (9, 8, 6, 5), 0.5, 5.0),
    (10, _LONG, 0.1, 4.0),
)
#: n, α, k of equal failure exponents once rounded, k of the least mean.
_DESIGNS: tuple[tuple[int, float, tuple[int, ...], tuple[int, ...]], ...] = (
    (10, 1.0, (9, 6, 4, 1), (9, 7, 4, 0)),
    (10, 0.1, (9, 6, 4, 1), (8, 5, 4, 3)),
    (10, 1.0, (7, 3), (8, 2)),
    (20, 1.0, (17, 12, 8, 3), (19, 13, 7, 1)),
)
#: n, α, k: against the best single rate for Σ k tasks.
_AGAINST: tuple[tuple[int, float, tuple[int, ...]], ...] = (
    (10, 0.1, _LONG),
    (10, 1.0, (9, 7, 4, 0)),
    (10, 1.0, (8, 2)),
    (20, 0.1, (19, 16, 14, 11, 10, 8, 7, 6, 5, 4)),
    (6, 1.0, (5, 3, 1)),
)


def claims() -> tuple[Claim, ...]:
    """All claims of the paper: finishing times, layers as channels, how to choose k_j.

    >>> sum(claim.expected == "refuted" for claim in claims())
    3
    """
    return (*_time_claims(), *_channel_claims(), *_choice_claims(), *_factor_claims())


def _time_claims() -> tuple[Claim, ...]:
    means = (
        *((n, k, shift) for n, k, shift, _ in _POINTS),
        (10, (9, 6, 4, 1), 1.0),
        (10, (9, 7, 4, 0), 1.0),
    )
    useless = ((10, (3, 7), 0.5), (10, (6, 2, 4), 1.0), (6, (0, 3, 2), 0.0))
    return (
        _claim(
            id="hierarchical.equation5.printed",
            statement="A worker has done s tasks by t with probability 1 - exp(-mu (t/s - alpha))",
            citation=f"{HIERARCHICAL}, (5)",
            expected="confirmed",
            cases=tuple(
                late(
                    layered(1, *(1,) * tasks),
                    t,
                    1 - hierarchical.tasks_probability(tasks, t, 1.0, shift),
                    exponential(1.0, shift),
                )
                for tasks, t, shift in ((1, 1.0, 0.5), (3, 4.0, 0.5), (5, 6.0, 0.1))
            ),
        ),
        _claim(
            id="hierarchical.distribution.derived",
            statement=(
                "P(tau <= t) is the chance that at least k_j workers have X <= t/j for every j, a "
                "staircase probability"
            ),
            citation=f"{HIERARCHICAL}, Section III-A; the text ends before its theorem",
            expected="confirmed",
            cases=tuple(
                _late(point, 1 - hierarchical.finishing_probability(n, k, t, 1.0, shift))
                for point in _POINTS
                for n, k, shift, t in [point]
            ),
        ),
        _claim(
            id="hierarchical.mean.derived",
            statement=(
                "E tau is 41/30 for n = 4, k = (3,2), alpha = 0 and 4.8221169 for n = 10, k = "
                "(9,8,6,5), alpha = .5"
            ),
            citation=f"{HIERARCHICAL}, Section III-A; derived",
            expected="confirmed",
            cases=tuple(
                _mean(n, k, shift, hierarchical.finishing_mean(n, k, 1.0, shift))
                for n, k, shift in means
            ),
        ),
        _claim(
            id="hierarchical.variance.derived",
            statement="The variance of tau follows from its distribution",
            citation=f"{HIERARCHICAL}, Section III-A; derived",
            expected="confirmed",
            cases=tuple(
                timed(
                    completion(layered(n, *k), exponential(1.0, shift)),
                    hierarchical.finishing_variance(n, k, 1.0, shift),
                    "variance",
                )
                for n, k, shift, _ in _POINTS
            ),
        ),
        _claim(
            id="hierarchical.order-of-layers.derived",
            statement=(
                "k_(j-1) >= k_j can be had for nothing: a layer that needs fewer answers than the "
                "next is done no later (difference of mean times)"
            ),
            citation=f"{HIERARCHICAL}, Section II and Figure 2",
            expected="confirmed",
            cases=tuple(
                timed(
                    completion(layered(n, *k), exponential(1.0, shift)),
                    0.0,
                    against=completion(layered(n, *_raised(k)), exponential(1.0, shift)),
                )
                for n, k, shift in useless
            ),
        ),
    )


def _channel_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="hierarchical.independent.printed",
            statement=(
                "Layers are parallel and independent erasure channels: P(tau <= t) is the product "
                "of the layers' probabilities"
            ),
            citation=f"{HIERARCHICAL}, Section II",
            expected="refuted",
            cases=tuple(_late(point, _independent(*point)) for point in _POINTS),
        ),
        _claim(
            id="hierarchical.independent.corrected",
            statement=(
                "Layers help each other: the product of their probabilities is a lower bound of "
                "P(tau <= t)"
            ),
            citation=f"{HIERARCHICAL}, Section II, corrected",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(_late(point, _independent(*point)) for point in _POINTS),
        ),
        _claim(
            id="hierarchical.weakest.derived",
            statement="The weakest layer's probability is an upper bound of P(tau <= t)",
            citation=f"{HIERARCHICAL}, Section II, extended",
            relation=">=",
            expected="confirmed",
            cases=tuple(
                _late(point, 1 - hierarchical.weakest_probability(n, k, t, 1.0, shift))
                for point in _POINTS
                for n, k, shift, t in [point]
            ),
        ),
    )


def _choice_claims() -> tuple[Claim, ...]:
    slopes = ((10, 8, 3), (10, 9, 1), (20, 13, 2), (6, 2, 4))
    small = ((10, 1.0, (9, 7, 4, 0)), (4, 0.0, (3, 2)), (8, 0.5, (6, 4, 2)), (6, 1.0, (5, 3, 1)))
    better = ((10, 0.1, (9, 6, 4, 1), (8, 5, 4, 3)), (10, 1.0, (7, 3), (8, 2)), _DESIGNS[3])
    return (
        _claim(
            id="hierarchical.failure-exponent.derived",
            statement="P(layer j is not done by t) falls like exp(-(n+1-k_j) mu t/j)",
            citation=f"{HIERARCHICAL}, Abstract: the same failure exponent for all layers",
            expected="confirmed",
            cases=tuple(
                finite(
                    "failure_slope",
                    hierarchical.failure_exponent(n, k, layer),
                    n=n,
                    k=k,
                    layer=layer,
                    t=30.0 * layer,
                )
                for n, k, layer in slopes
            ),
        ),
        _claim(
            id="hierarchical.equal-exponent.printed",
            statement=(
                "Codes with the same failure exponent on all layers, k_j = n+1-uj rounded, have "
                "the least expected finishing time (mean over that of the best k_j)"
            ),
            citation=f"{HIERARCHICAL}, Abstract and Section I, as a rule of design",
            relation="<=",
            expected="refuted",
            cases=tuple(_beside(n, shift, rule, best) for n, shift, rule, best in _DESIGNS),
        ),
        _claim(
            id="hierarchical.equal-exponent.corrected",
            statement=(
                "The rule is a guideline: for n = 10, 4 layers, 20 tasks and alpha = 1 it has mean "
                "4.7133 with (9,6,4,1) against 4.6517 with (9,7,4,0)"
            ),
            citation=f"{HIERARCHICAL}, Abstract and Section I, corrected",
            expected="confirmed",
            cases=tuple(
                _mean(n, k, shift, hierarchical.finishing_mean(n, k, 1.0, shift))
                for n, shift, rule, best in _DESIGNS[:3]
                for k in (rule, best)
            ),
        ),
        _claim(
            id="hierarchical.optimum.derived",
            statement="No other whole k_j have a smaller mean finishing time (all are tried)",
            citation=f"{HIERARCHICAL}, Section III, optimum",
            expected="confirmed",
            cases=tuple(
                finite(
                    "least_finishing_mean",
                    hierarchical.finishing_mean(n, k, 1.0, shift),
                    n=n,
                    layers=len(k),
                    tasks=sum(k),
                    mean=1.0,
                    shift=shift,
                )
                for n, shift, k in small
            ),
        ),
        _claim(
            id="hierarchical.quantile.derived",
            statement=(
                "k_j = n F_j(t), rounded, is sometimes better than equal exponents (mean over that "
                "of equal exponents)"
            ),
            citation=f"{HIERARCHICAL}, Section III, another guideline",
            relation="<",
            expected="confirmed",
            cases=tuple(_beside(n, shift, best, rule) for n, shift, rule, best in better),
        ),
    )


def _factor_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="hierarchical.factor.printed",
            statement=(
                "The scheme improves the expected finishing time by a factor of 1.5 (mean of the "
                "best single-rate MDS code over that of layers)"
            ),
            citation=f"{HIERARCHICAL}, Abstract",
            expected="refuted",
            cases=tuple(_factor(1.5, *design) for design in _AGAINST),
        ),
        _claim(
            id="hierarchical.factor.corrected",
            statement=(
                "The factor depends on the parameters: 1.512 for n = 10, 10 layers, 50 tasks, "
                "alpha = .1; from 1.13 to 1.65 at the others here"
            ),
            citation=f"{HIERARCHICAL}, Abstract, corrected",
            expected="confirmed",
            cases=tuple(
                _factor(
                    _best(n, sum(k), shift)[1] / hierarchical.finishing_mean(n, k, 1.0, shift),
                    n,
                    shift,
                    k,
                )
                for n, shift, k in _AGAINST
            ),
        ),
    )


def _late(point: tuple[int, tuple[int, ...], float, float], theory: float) -> Case:
    n, k, shift, t = point
    return late(layered(n, *k), t, theory, exponential(1.0, shift))


def _independent(n: int, k: tuple[int, ...], shift: float, t: float) -> float:
    return 1 - hierarchical.independent_probability_printed(n, k, t, 1.0, shift)


def _mean(n: int, k: Sequence[int], shift: float, theory: float) -> Case:
    return timed(completion(layered(n, *k), exponential(1.0, shift)), theory)


def _beside(n: int, shift: float, k: Sequence[int], other: Sequence[int]) -> Case:
    """Ratio of the two mean times, against 1."""
    latency = exponential(1.0, shift)
    return timed(
        completion(layered(n, *k), latency),
        1.0,
        against=completion(layered(n, *other), latency),
        how="ratio",
    )


def _best(n: int, tasks: int, shift: float) -> tuple[int, float]:
    k = int(hierarchical.best_single_rate(n, tasks, 1.0, shift))
    return k, float(hierarchical.single_rate_mean(n, tasks, k, 1.0, shift))


def _factor(theory: float, n: int, shift: float, k: tuple[int, ...]) -> Case:
    latency, tasks = exponential(1.0, shift), sum(k)
    single, _ = _best(n, tasks, shift)
    # a worker's share is tasks/single tasks; layers have their own unit, one task
    return timed(
        completion(answers(n, single), latency, work=float(tasks)),
        theory,
        against=completion(layered(n, *k), latency),
        how="ratio",
    )


def _raised(k: Sequence[int]) -> list[int]:
    """Each k_j as large as any later one."""
    return [max(k[j:]) for j in range(len(k))]
