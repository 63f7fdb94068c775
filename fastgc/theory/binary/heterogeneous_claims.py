"""Claims on Section VI of paper binary: workers of unlike speed."""

from __future__ import annotations

from functools import partial

from fastgc.theory import binary
from fastgc.theory.cases.finite import CITATION, finite
from fastgc.theory.cases.tables import decoding, point_of, uniform
from fastgc.theory.papers.claim import Case, Claim, eager

_CITATION = f"{CITATION}, Section VI"

_claim = partial(eager, paper="binary", relation="=")

_Groups = tuple[tuple[int, ...], tuple[int, ...], int, int]


def heterogeneous_claims() -> tuple[Claim, ...]:
    """Claims on the loads that make all groups of workers equally fast."""
    # workers, times, s, k
    two: tuple[_Groups, ...] = (
        ((2, 4), (1, 7), 1, 6),
        ((3, 6), (2, 3), 2, 36),
        ((4, 6), (1, 4), 1, 50),
    )
    more: tuple[_Groups, ...] = (
        ((2, 2, 4), (1, 2, 4), 1, 24),
        ((3, 3, 6), (1, 3, 5), 2, 60),
        ((4, 2, 2, 2), (1, 2, 3, 7), 1, 40),
    )
    apart: tuple[_Groups, ...] = (
        ((2, 4), (1, 7), 1, 6),
        ((4, 6), (1, 4), 1, 6),
        ((2, 4), (1, 4), 1, 9),
    )
    whole: tuple[_Groups, ...] = (
        ((2, 4), (1, 7), 1, 12),
        ((3, 6), (1, 2), 2, 36),
        ((4, 6), (1, 4), 1, 50),
    )
    return (
        _claim(
            id="binary.heterogeneous.two-groups.printed",
            statement=(
                "Two groups need equal mean times with |J_1| = (s+1) k alpha t_2/(alpha t_2 + "
                "beta t_1)/tau_1 and |J_2| = (s+1) k beta t_1/(alpha t_2 + beta t_1)/tau_2"
            ),
            citation=_CITATION,
            expected="confirmed",
            cases=tuple(
                _load(groups, group, binary.heterogeneous_loads_printed(*groups)[group])
                for groups in two
                for group in range(2)
            ),
        ),
        _claim(
            id="binary.heterogeneous.loads.printed",
            statement=(
                "The conditions for m groups have the one solution "
                "|J_i| = (s+1) k/(t_i sum_j tau_j/t_j)"
            ),
            citation=_CITATION,
            expected="confirmed",
            cases=tuple(
                _load(groups, group, binary.heterogeneous_loads(*groups)[group])
                for groups in (two[0], *more)
                for group in range(len(groups[0]))
            ),
        ),
        _claim(
            id="binary.heterogeneous.class-workers.printed",
            statement="Each class has alpha/(alpha+beta) k/(s+1) workers of the first group",
            citation=_CITATION,
            expected="refuted",
            cases=tuple(
                _members(groups, binary.class_workers_printed(_n(groups), *_first(groups)))
                for groups in whole
            ),
        ),
        _claim(
            id="binary.heterogeneous.class-workers.corrected",
            statement=(
                "Each class has alpha/(alpha+beta) n/(s+1) workers of the first group, where s+1 "
                "divides the sizes of the groups"
            ),
            citation=f"{_CITATION}, corrected",
            expected="confirmed",
            cases=tuple(
                _members(groups, binary.class_workers(_n(groups), groups[2], groups[0][0]))
                for groups in whole
            ),
        ),
        _claim(
            id="binary.heterogeneous.rounding.printed",
            statement="Each |J_i| rounded by itself lets every class hold the k partitions once",
            citation=_CITATION,
            expected="refuted",
            cases=tuple(
                finite(
                    "rounded_class_sum",
                    k,
                    workers=list(workers),
                    times=list(times),
                    s=s,
                    k=k,
                )
                for workers, times, s, k in apart
            ),
        ),
        _claim(
            id="binary.heterogeneous.rounding.corrected",
            statement=(
                "Rounded class by class, so that every class holds the data once, the code decodes "
                "exactly whatever s workers straggle"
            ),
            citation=f"{_CITATION}, corrected",
            expected="confirmed",
            cases=tuple(_no_error(groups) for groups in (*apart, more[1])),
        ),
    )


def _load(groups: _Groups, group: int, theory: float) -> Case:
    workers, times, s, k = groups
    return finite(
        "equal_time_load",
        theory,
        workers=list(workers),
        times=list(times),
        s=s,
        k=k,
        group=group,
    )


def _members(groups: _Groups, theory: float) -> Case:
    workers, _, s, k = groups
    case = finite("workers_in_class", theory, workers=list(workers), s=s, group=0)
    return Case({**case.point, "k": k}, case.theory, case.experiment, case.quantity)


def _no_error(groups: _Groups) -> Case:
    workers, times, s, k = groups
    code = {
        "family": "heterogeneous-binary",
        "workers": list(workers),
        "times": list(times),
        "s": s,
        "k": k,
    }
    experiment = decoding("error", code, uniform(s))
    return Case(point_of(experiment), 0.0, experiment, "error", scale=k)


def _n(groups: _Groups) -> int:
    return sum(groups[0])


def _first(groups: _Groups) -> tuple[int, int, int]:
    """s, size of the first group, k."""
    return groups[2], groups[0][0], groups[3]
