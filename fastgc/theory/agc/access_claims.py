"""Claims on Proposition 1 of paper agc: how often a partition is not accessed."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastgc.theory import agc
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.papers.claim import Case, Claim, eager

_CITATION = (
    "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes, Proposition 1"
)

_claim = partial(eager, paper="agc", relation="=")


def access_claims() -> tuple[Claim, ...]:
    """Claims on the number of iterations in which no survivor holds partition 0."""
    return (
        _claim(
            id="agc.proposition1.without-shuffling.printed",
            statement=(
                "Without shuffling, a partition with k slow workers among its d holders is not "
                "accessed in L p_straggle_slow^k p_straggle_active^(d-k) of L iterations on average"
            ),
            citation=_CITATION,
            expected="confirmed",
            cases=tuple(
                _case(point, agc.proposition1_without_shuffling(*_given_holders(point)))
                for point in _fixed_classes()
            ),
        ),
        _claim(
            id="agc.proposition1.count-without-shuffling.printed",
            statement=(
                "Without shuffling, given the classes, the number of iterations without access to "
                "a partition is binomial: its variance is L x (1-x) with "
                "x = p_straggle_slow^k p_straggle_active^(d-k)"
            ),
            citation=f"{_CITATION}, proof",
            expected="confirmed",
            cases=tuple(
                _case(
                    point,
                    agc.not_accessed_variance_without_shuffling(*_given_holders(point)),
                    "variance",
                )
                for point in _fixed_classes()
            ),
        ),
        _claim(
            id="agc.proposition1.with-shuffling.corrected",
            statement=(
                "Averaged over the classes too, the mean number of iterations without access to a "
                "partition is L q^d, q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active, "
                "with random shuffling"
            ),
            citation=f"{_CITATION}, read without its condition on the classes",
            expected="confirmed",
            cases=tuple(
                _case(point, agc.proposition1_with_shuffling(*_averaged(point)))
                for point in (
                    _point(frc(8, 2), 2, "random", two_class((0.8, 0.01), p_slow=0.3)),
                    _point(frc(4, 2), 4, "random", two_class((0.8, 0.1), p_slow=0.3)),
                    _point(circulant(6, 3), 4, "random", two_class((0.9, 0.3), p_slow=0.5)),
                )
            ),
        ),
        _claim(
            id="agc.proposition1.given-slow.corrected",
            statement=(
                "With random shuffling and m slow workers, the mean number of iterations without "
                "access to a partition is L h(m), "
                "h(m) = sum_i C(m,i) C(n-m,d-i)/C(n,d) p_straggle_slow^i p_straggle_active^(d-i)"
            ),
            citation=f"{_CITATION}, corrected",
            expected="confirmed",
            cases=tuple(
                _case(point, agc.proposition1_given_slow(*_given_slow(point)))
                for point in _counted_classes()
            ),
        ),
        _claim(
            id="agc.proposition1.with-shuffling.printed",
            statement=(
                "With random shuffling, given k slow workers among the d that hold a partition "
                "before shuffling, the mean number of iterations without access is L q^d"
            ),
            citation=_CITATION,
            expected="refuted",
            cases=tuple(
                _case(
                    point,
                    agc.proposition1_with_shuffling(
                        point["iterations"], point["code"]["d"], p_slow, *_straggle(point)
                    ),
                )
                for point, _, p_slow in _conditioned()
            ),
        ),
        _claim(
            id="agc.proposition1.given-holders.corrected",
            statement=(
                "With random shuffling, given k slow workers among the d that hold a partition "
                "before shuffling, the mean number of L shuffled iterations without access is "
                "L E[h(k + Bin(n-d, p_slow))]"
            ),
            citation=f"{_CITATION}, corrected",
            expected="confirmed",
            cases=tuple(
                _case(
                    point,
                    agc.proposition1_given_holders(
                        point["iterations"],
                        point["code"]["n"],
                        point["code"]["d"],
                        slow_holders,
                        p_slow,
                        *_straggle(point),
                    ),
                )
                for point, slow_holders, p_slow in _conditioned()
            ),
        ),
        _claim(
            id="agc.proposition1.count.printed",
            statement=(
                "With random shuffling the number of iterations without access to a partition is "
                "binomial: its variance is L q^d (1-q^d)"
            ),
            citation=f"{_CITATION}, proof",
            expected="refuted",
            cases=tuple(
                _case(point, agc.not_accessed_variance_printed(*_averaged(point)), "variance")
                for point in _mixed("random")
            ),
        ),
        _claim(
            id="agc.proposition1.count.corrected",
            statement=(
                "Classes persist, so the number of iterations without access to a partition is a "
                "mixture: of Bin(L, h(m)) over the number m of slow workers with random shuffling, "
                "of Bin(L, p_straggle_slow^k p_straggle_active^(d-k)) over the number k of slow "
                "holders without; its variance is the mixture's"
            ),
            citation=f"{_CITATION}, proof, corrected",
            expected="confirmed",
            cases=tuple(
                _case(
                    point,
                    agc.not_accessed_variance(
                        point["iterations"],
                        point["code"]["n"],
                        point["code"]["d"],
                        point["stragglers"]["p_slow"],
                        *_straggle(point),
                        point["shuffle"],
                    ),
                    "variance",
                )
                for point in (*_mixed("random"), *_mixed("none"))
            ),
        ),
        _claim(
            id="agc.proposition1.count-given-slow.corrected",
            statement=(
                "With random shuffling and m slow workers the number of iterations without access "
                "to a partition is binomial: its variance is L h(m) (1-h(m))"
            ),
            citation=f"{_CITATION}, proof, corrected",
            expected="confirmed",
            cases=tuple(
                _case(point, agc.not_accessed_variance_given_slow(*_given_slow(point)), "variance")
                for point in _counted_classes()
            ),
        ),
    )


def _fixed_classes() -> tuple[Table, ...]:
    return (
        _point(frc(8, 2), 4, "none", two_class((0.8, 0.01), slow=[0, 1, 5])),
        _point(frc(8, 2), 4, "none", two_class((0.8, 0.4), slow=[0, 4])),
        _point(circulant(7, 3), 4, "none", two_class((0.7, 0.5), slow=[0, 5])),
    )


def _counted_classes() -> tuple[Table, ...]:
    return (
        _point(frc(8, 2), 4, "random", two_class((0.8, 0.01), slow=3)),
        _point(frc(6, 3), 4, "random", two_class((0.9, 0.3), slow=3)),
        _point(circulant(5, 2), 4, "random", two_class((0.7, 0.2), slow=2)),
    )


def _mixed(shuffle: str) -> tuple[Table, ...]:
    return (
        _point(frc(8, 2), 3, shuffle, two_class((0.8, 0.01), p_slow=0.3)),
        _point(frc(4, 2), 4, shuffle, two_class((0.9, 0.2), p_slow=0.4)),
        _point(circulant(5, 2), 4, shuffle, two_class((0.9, 0.1), p_slow=0.5)),
    )


def _conditioned() -> tuple[tuple[Table, int, float], ...]:
    """Experiment, slow workers among the first holders of partition 0, p_slow of the others."""
    return (
        (_point(frc(8, 2), 2, "random", _known(8, 2, 1, 0.3, (0.8, 0.01))), 1, 0.3),
        (_point(frc(4, 2), 2, "random", _known(4, 2, 0, 0.5, (0.8, 0.3))), 0, 0.5),
        (_point(frc(6, 3), 2, "random", _known(6, 3, 1, 0.7, (0.9, 0.4))), 1, 0.7),
    )


def _known(n: int, d: int, slow: int, p_slow: float, straggle: tuple[float, float]) -> Table:
    known = [1.0] * slow + [0.0] * (d - slow) + [p_slow] * (n - d)
    return two_class(straggle, p_slow=known)


def _point(code: Table, iterations: int, shuffle: str, stragglers: Table) -> Table:
    return decoding("not_accessed", code, stragglers, iterations, shuffle)


def _case(experiment: Table, theory: float, statistic: str = "mean") -> Case:
    point = point_of(experiment) | {"shuffle": experiment["shuffle"]}
    return Case(point, theory, experiment, "not_accessed", statistic, index=0)


def _straggle(point: Table) -> tuple[float, float]:
    return point["stragglers"]["p_straggle_slow"], point["stragglers"]["p_straggle_active"]


def _averaged(point: Table) -> tuple[Any, ...]:
    p_slow = point["stragglers"]["p_slow"]
    return (point["iterations"], point["code"]["d"], p_slow, *_straggle(point))


def _given_slow(point: Table) -> tuple[Any, ...]:
    code, slow = point["code"], point["stragglers"]["slow"]
    return (point["iterations"], code["n"], code["d"], slow, *_straggle(point))


def _given_holders(point: Table) -> tuple[Any, ...]:
    n, d = point["code"]["n"], point["code"]["d"]
    held_by = range(d) if point["code"]["family"] == "frc" else [-i % n for i in range(d)]
    slow_holders = sum(worker in point["stragglers"]["slow"] for worker in held_by)
    return (point["iterations"], d, slow_holders, *_straggle(point))
