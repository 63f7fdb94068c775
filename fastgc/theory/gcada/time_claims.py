"""Claims of paper gcada on the time of an iteration: (10), (11), (13), (14), (16)."""

from __future__ import annotations

import math
from functools import partial

from fastgc.theory import gcada
from fastgc.theory.cases.completion import answers, completion, exponential, late, timed, whole
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.cases.training import after, everybody, selecting
from fastgc.theory.gcada.cases import CADA, GCADA_3, ITERATIONS, PAPER, WORKERS, Chosen, periodic
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="gcada", relation="=")

#: η of the paper.
_MEAN = 1e-4
#: Groups, how many of them are waited for, workers of a group.
_SOME = ((3, 1, 4), (3, 2, 4), (4, 2, 3))
_ALL = ((3, 3, 4), (4, 4, 3))

_WORKERS = (periodic(4, 8), periodic(1, 11))
_GROUPS = (periodic(1, 2, 4), periodic(1, 3, 3))


def time_claims() -> tuple[Claim, ...]:
    """Claims on order statistics, and on the time until all that were selected have answered."""
    return (*_order_claims(), *_group_claims(), *_waiting_claims(), *_concave_claims())


def _order_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.order-statistics.printed",
            statement="The a-th smallest of b exponential times of mean eta is eta (H_b - H_(b-a))",
            citation=f"{PAPER}, (10)",
            expected="confirmed",
            cases=tuple(
                timed(
                    completion(whole(answers(n, k)), exponential(_MEAN)),
                    gcada.order_mean(n, k, _MEAN),
                    scale=_MEAN,
                )
                for n, k in ((12, 12), (12, 6), (4, 1))
            ),
        ),
        _claim(
            id="gcada.adam.time.printed",
            statement="An iteration of distributed Adam takes eta H_M",
            citation=f"{PAPER}, (11)",
            expected="confirmed",
            cases=tuple(
                after(
                    selecting(everybody(workers), iterations),
                    "time",
                    iterations * gcada.selected_time(workers),
                )
                for workers, iterations in ((12, ITERATIONS), (6, 40), (3, 40))
            ),
        ),
    )


def _group_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.group.law.printed",
            statement=(
                "The fastest of M_G workers is done by x with probability F^G(x), the binomial sum "
                "over j >= 1"
            ),
            citation=f"{PAPER}, Section V-A",
            expected="confirmed",
            cases=tuple(
                late(whole(answers(d, 1)), t, 1.0 - _group_law(d, t))
                for d, t in ((4, 0.25), (3, 0.1), (3, 0.5))
            ),
        ),
        _claim(
            id="gcada.group-order.printed",
            statement=(
                "The a-th smallest of G group times has the mean (14), which is (eta/M_G) H_a for "
                "exponential times"
            ),
            citation=f"{PAPER}, (14)",
            expected="refuted",
            cases=tuple(
                _replicated(*shape, gcada.group_order_mean_printed(*shape))
                for shape in (*_SOME, *_ALL)
            ),
        ),
        _claim(
            id="gcada.group-order.corrected",
            statement="The a-th smallest of G group times has mean (eta/M_G) (H_G - H_(G-a))",
            citation=f"{PAPER}, (14), corrected",
            expected="confirmed",
            cases=tuple(
                _replicated(*shape, gcada.group_order_mean(*shape)) for shape in (*_SOME, *_ALL)
            ),
        ),
        _claim(
            id="gcada.group-order.largest.corrected",
            statement="(14) is the mean of the largest of a group times",
            citation=f"{PAPER}, (14), relabelled",
            expected="confirmed",
            cases=tuple(
                _replicated(k, k, d, gcada.group_order_mean_printed(groups, k, d))
                for groups, k, d in _SOME
            ),
        ),
    )


def _waiting_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.cada.time.printed",
            statement=(
                "An iteration of CADA takes eta H_M' on average, M' the bound (12) of the mean "
                "number of selected workers"
            ),
            citation=f"{PAPER}, (13)",
            expected="refuted",
            cases=tuple(_bounded(run) for run in (*_WORKERS, CADA)),
        ),
        _claim(
            id="gcada.cada.time.corrected",
            statement="An iteration of CADA takes at most eta H_M' on average",
            citation=f"{PAPER}, (13), corrected",
            relation="<=",
            expected="confirmed",
            cases=tuple(_bounded(run) for run in (*_WORKERS, CADA)),
        ),
        _claim(
            id="gcada.g-cada.time.printed",
            statement=(
                "An iteration of G-CADA takes (eta/M_G) H_G' on average, G' the bound (15) of the "
                "mean number of selected groups"
            ),
            citation=f"{PAPER}, (16)",
            expected="refuted",
            cases=tuple(_bounded(run) for run in (*_GROUPS, GCADA_3)),
        ),
        _claim(
            id="gcada.g-cada.time.corrected",
            statement="An iteration of G-CADA takes at most (eta/M_G) H_G' on average",
            citation=f"{PAPER}, (16), corrected",
            relation="<=",
            expected="confirmed",
            cases=tuple(_bounded(run) for run in (*_GROUPS, GCADA_3)),
        ),
        _claim(
            id="gcada.selected.time.derived",
            statement=(
                "An iteration that selects x groups takes (eta/M_G) H_x on average, one that "
                "selects none no time: so the mean time is that of H_x, not H at the mean x"
            ),
            citation=f"{PAPER}, (13) and (16), made exact",
            expected="confirmed",
            cases=tuple(
                after(run.experiment, "time", run.time)
                for run in (*_WORKERS, *_GROUPS, periodic(0, WORKERS))
            ),
        ),
    )


def _concave_claims() -> tuple[Claim, ...]:
    points = ((12, 0.3, 1), (12, 0.9, 1), (3, 0.5, 4), (4, 0.4, 3))
    return (
        _claim(
            id="gcada.harmonic.printed",
            statement="If x of n are selected, E H_x = H_(E x) (x binomial)",
            citation=f"{PAPER}, (13) and (16)",
            expected="refuted",
            cases=tuple(_binomial(n, p, d, gcada.selected_time(n * p, d)) for n, p, d in points),
        ),
        _claim(
            id="gcada.harmonic.corrected",
            statement="E H_x is the sum over i <= n of (1 - (1-p)^i)/i; H is concave, E H_x below",
            citation=f"{PAPER}, (13) and (16), corrected",
            expected="confirmed",
            cases=tuple(_binomial(n, p, d, gcada.binomial_time(n, p, d)) for n, p, d in points),
        ),
    )


def _group_law(d: int, t: float) -> float:
    late_worker = math.exp(-t)
    return math.fsum(
        math.comb(d, j) * (1.0 - late_worker) ** j * late_worker ** (d - j) for j in range(1, d + 1)
    )


def _replicated(groups: int, k: int, d: int, theory: float) -> Case:
    system: Table = whole({"family": "replication", "n": groups * d, "d": d, "groups": k})
    return timed(completion(system), theory)


def _bounded(run: Chosen) -> Case:
    theory = ITERATIONS * gcada.selected_time(run.bound, run.d)
    return after(run.experiment, "time", theory)


def _binomial(n: int, p: float, d: int, theory: float) -> Case:
    return finite("binomial_wait", theory, n=n, p=p, d=d)
