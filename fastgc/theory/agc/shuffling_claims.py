"""Claims on shuffling in paper agc: Remark 1, and what shuffling changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastgc.theory import agc
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.papers.claim import Case, Claim, eager

_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"

_claim = partial(eager, paper="agc", relation="=")

_Point = tuple[int, int, int, float, float, float]


def shuffling_claims() -> tuple[Claim, ...]:
    """Claims that compare shuffles: none, random, cyclic."""
    # n, d, iterations, p_slow, p_straggle_slow, p_straggle_active
    circulants: tuple[_Point, ...] = (
        (8, 2, 3, 0.3, 0.8, 0.01),
        (7, 2, 3, 0.4, 0.8, 0.2),
        (6, 3, 3, 0.5, 0.9, 0.1),
    )
    repetitions: tuple[_Point, ...] = (
        (8, 2, 3, 0.3, 0.8, 0.01),
        (4, 2, 4, 0.5, 0.9, 0.1),
        (6, 3, 3, 0.5, 0.9, 0.2),
    )
    # n, d, iterations, slow, p_straggle_slow, p_straggle_active
    counted: tuple[tuple[int, int, int, int, float, float], ...] = (
        (8, 2, 4, 3, 0.8, 0.01),
        (6, 2, 4, 3, 0.95, 0.02),
        (6, 3, 4, 4, 0.95, 0.02),
    )
    return (
        _claim(
            id="agc.remark1.error.corrected",
            statement=(
                "Cyclic shuffling does not change the circulant's error: the average over the "
                "iterations has the same mean and the same variance as without shuffling"
            ),
            citation=f"{_PAPER}, Remark 1, corrected",
            expected="confirmed",
            cases=(
                *(_difference(circulant, "cyclic", *point) for point in circulants),
                *(_variance(circulant, "cyclic", *point) for point in circulants),
            ),
        ),
        _claim(
            id="agc.remark1.access.printed",
            statement=(
                "Over a multiple of n iterations cyclic shuffling evens the access: whatever "
                "workers are slow, every partition is not accessed L/n times the sum over the "
                "partitions of p_straggle_slow^(k_i) p_straggle_active^(d-k_i) on average"
            ),
            citation=f"{_PAPER}, Remark 1",
            expected="confirmed",
            cases=(
                _evened(8, 2, [0, 1], (0.8, 0.01), partition=0),
                _evened(8, 2, [0, 1], (0.8, 0.01), partition=5),
                _evened(5, 2, [0, 1], (0.9, 0.3), partition=3),
                _evened(6, 3, [0, 1, 2], (0.9, 0.3), partition=4),
            ),
        ),
        _claim(
            id="agc.shuffling.mean.corrected",
            statement="Random shuffling does not change the mean error, averaged over the classes",
            citation=f"{_PAPER}, Section IV, made precise",
            expected="confirmed",
            cases=(
                _difference(frc, "random", 8, 2, 2, 0.3, 0.8, 0.01),
                _difference(frc, "random", 24, 2, 2, 0.3, 0.8, 0.01),
                _difference(frc, "random", 12, 3, 2, 0.4, 0.6, 0.05),
                _difference(circulant, "random", 12, 2, 2, 0.2, 0.7, 0.02),
            ),
        ),
        _claim(
            id="agc.shuffling.variance.corrected",
            statement=(
                "The variance of the error averaged over the iterations depends on the shuffle: "
                "it is Var/L + (2/L^2) sum_h (L-h) c_h with the autocovariance c_h of each shuffle"
            ),
            citation=f"{_PAPER}, Section III, made precise",
            expected="confirmed",
            cases=tuple(
                _variance(frc, shuffle, *point)
                for shuffle in ("none", "random", "cyclic")
                for point in repetitions
            ),
        ),
        _claim(
            id="agc.shuffling.variance-difference.corrected",
            statement=(
                "With m slow workers, random shuffling lowers the variance of frc's error averaged "
                "over L iterations to Var/L, from Var/L plus the autocovariances without shuffling"
            ),
            citation=f"{_PAPER}, Section III, made precise",
            expected="confirmed",
            cases=tuple(_variance_difference(*point) for point in counted),
        ),
    )


def _experiment(code: Table, shuffle: str, iterations: int, *law: float) -> Table:
    p_slow, ss, active = law
    stragglers = two_class((ss, active), p_slow=p_slow)
    return decoding("mean_error", code, stragglers, iterations, shuffle)


def _difference(
    code: Callable[[int, int], Table], shuffle: str, n: int, d: int, *rest: float
) -> Case:
    iterations, *law = rest
    first = _experiment(code(n, d), shuffle, int(iterations), *law)
    second = _experiment(code(n, d), "none", int(iterations), *law)
    point = {"family": first["code"]["family"]} | point_of(first) | {"shuffle": shuffle}
    return Case(point, 0.0, first, "mean_error", against=second, scale=n)


def _variance(
    code: Callable[[int, int], Table], shuffle: str, n: int, d: int, *rest: float
) -> Case:
    iterations, *law = rest
    experiment = _experiment(code(n, d), shuffle, int(iterations), *law)
    formula = agc.frc_mean_error_variance if code is frc else agc.circulant_mean_error_variance
    # For the circulant the theory is that without shuffling: the claim is that they agree.
    theory = formula(n, d, *rest, shuffle if code is frc else "none")
    point = point_of(experiment) | {"shuffle": shuffle}
    return Case(point, theory, experiment, "mean_error", "variance", scale=n * n)


def _variance_difference(
    n: int, d: int, iterations: int, slow: int, ss: float, active: float
) -> Case:
    stragglers = two_class((ss, active), slow=slow)
    first = decoding("mean_error", frc(n, d), stragglers, iterations, "none")
    second = decoding("mean_error", frc(n, d), stragglers, iterations, "random")
    none, random = (
        agc.frc_mean_error_variance_given_slow(n, d, iterations, slow, ss, active, shuffle)
        for shuffle in ("none", "random")
    )
    point = point_of(first)
    return Case(point, none - random, first, "mean_error", "variance", against=second, scale=n * n)


def _evened(n: int, d: int, slow: list[int], straggle: tuple[float, float], partition: int) -> Case:
    stragglers = two_class(straggle, slow=[*slow])
    experiment = decoding("not_accessed", circulant(n, d), stragglers, n, "cyclic")
    theory = sum(
        agc.proposition1_without_shuffling(
            1, d, sum((i - j) % n in slow for j in range(d)), *straggle
        )
        for i in range(n)
    )
    return Case(point_of(experiment), theory, experiment, "not_accessed", index=partition)
