"""How long an iteration waits (paper gcada, Section V-A): for workers, or the fastest of groups.

A worker's mini-batch takes an exponential time of the given ``mean`` η, whatever it stores.
``d`` = M_G workers of a group hold the same data; d = 1 is CADA.
"""

import math

import numpy as np

from fastgc.theory.cases.experiment_tables import (
    after,
    all_workers,
    compared,
    completion,
    late,
    selecting,
)
from fastgc.theory.cases.studies import answers, exponential, replication, whole
from fastgc.theory.common import check
from fastgc.theory.common.order_statistics import exponential_order_mean, harmonic
from fastgc.theory.gcada import paper
from fastgc.theory.gcada.algorithm import CADA, GCADA_3, ITERATIONS, WORKERS, Run, periodic
from fastgc.theory.gcada.selection_rule import bound, refresh_period, selection_period
from fastgc.theory.papers.claim import Case, Cases, at

#: η of the paper.
MEAN = 1e-4
#: Groups, how many of them are waited for, workers of a group; first fewer than all groups.
GROUPS = ((3, 1, 4), (3, 2, 4), (4, 2, 3), (3, 3, 4), (4, 4, 3))
#: Runs in which it is known who is selected.
CADA_RUNS = (periodic(4, 8), periodic(1, 11))
GCADA_RUNS = (periodic(1, 2, 4), periodic(1, 3, 3))
#: Why (13) and (16) are bounds.
_CONCAVE = (
    "Given that x units are selected the wait is (eta/M_G) H_x by (10), M_G = 1 in CADA; H is "
    "concave and grows, so its mean is at most H at the mean of x, and that is at most H at the "
    "bound."
)


def _replicated(theory: float, groups: int, k: int, d: int) -> Case:
    return compared(completion(whole(replication(groups * d, d) | {"groups": k})), theory)


@paper.states("order-statistics.printed", "(10)")
@at(
    [(12, 12, MEAN), (12, 6, MEAN), (4, 1, MEAN)],
    lambda theory, n, k: compared(
        completion(whole(answers(n, k)), exponential(MEAN)), theory, scale=MEAN
    ),
)
def order_mean(n: int, k: int, mean: float = 1.0) -> float:
    """The a-th smallest of b exponential times of mean eta is eta (H_b - H_(b-a))."""
    return float(exponential_order_mean(n, k, mean))


@paper.elementwise
def selected_time(selected: float, d: int = 1, mean: float = 1.0) -> float:
    """Time (η/d) H(x) until x selected groups of d have answered; gcada (11), (13), (16).

    H is the harmonic number at any x ≥ 0, ψ(x+1) + γ. Exact for a fixed whole number x. Where x is
    the mean of a number that varies, H being concave, it is an upper bound of the mean time.
    """
    return mean / d * float(harmonic_at(selected))


@paper.claim("adam.time.printed", "(11)")
def _() -> Cases:
    """An iteration of distributed Adam takes eta H_M."""
    for workers in (12, 6, 3):
        yield after(selecting(all_workers(workers), 1), "time", float(selected_time(workers)))


@paper.claim("group.law.printed", "Section V-A")
def _() -> Cases:
    """The fastest of M_G workers is done by x with probability F^G(x), the binomial sum over
    j >= 1."""
    for d, t in ((4, 0.25), (3, 0.1), (3, 0.5)):
        late_worker = math.exp(-t)
        law = math.fsum(
            math.comb(d, j) * (1.0 - late_worker) ** j * late_worker ** (d - j)
            for j in range(1, d + 1)
        )
        yield late(whole(answers(d, 1)), t, 1.0 - law)


@paper.states(
    "group-order.printed",
    "(14), its left side",
    says="The index on the left of (14) is that of the a-th smallest of several group times, of G "
    "by the words before it: it has the mean on its right, (eta/M_G) H_a for exponential times",
    kind="misprint",
    printed="Let T̄^G_(a:G) be the average of the ath smallest number … This can be evaluated as "
    "T̄^G_(a:M_G) = ∫_0^(+∞) (1 − (F^G(x))^a) dx (14)",
)
@at(GROUPS, _replicated)
@paper.states("group-order.largest.printed", "(14), as (16) uses it", reads="group-order.printed")
@at(GROUPS, lambda theory, k, d: _replicated(theory, k, k, d))
def group_order_mean_printed(groups: int, k: int, d: int, mean: float = 1.0) -> float:
    """With T_a for T_(a:a), as the text has it, the right side of (14) is the mean of the largest
    of a group times: (16) waits for the largest of G' of them, and uses (14) rightly."""
    check.count("k", k, 1, groups)
    return float(exponential_order_mean(k, k, mean / d))


@paper.states("group-order.corrected", "(14), corrected")
@at(GROUPS, _replicated)
def group_order_mean(groups: int, k: int, d: int, mean: float = 1.0) -> float:
    """The a-th smallest of G group times has mean (eta/M_G) (H_G - H_(G-a)).

    Proof. (F_G)^a is the probability that a given group times are all at most x, so (14) is of
    their largest: its index should read a:a. Group times are exponential of mean eta/M_G, and (10)
    holds for the a-th smallest of G of them."""
    return float(exponential_order_mean(groups, k, mean / d))


@paper.claim(
    "equalities.printed",
    "(13) and (16)",
    statement="With M' and G' the bounds (12) and (15) of the mean numbers that are selected (L_0 "
    "infinite), an iteration takes eta H_M' in CADA and (eta/M_G) H_G' in G-CADA on average.",
    of=(CADA, *CADA_RUNS, *GCADA_RUNS, GCADA_3),
    kind="misprint",
    printed="T̄_CADA = T̄_M̄ (13), T̄_(G−CADA) = T̄^G_Ḡ (16)",
)
@paper.claim(
    "g-cada.time.corrected",
    "(16), corrected",
    statement="An iteration of G-CADA takes at most (eta/M_G) H_G' on average, G' the bound (15).",
    of=(*GCADA_RUNS, GCADA_3),
    relation="<=",
    corrects="equalities.printed",
    proof=_CONCAVE,
)
@paper.claim(
    "cada.time.corrected",
    "(13), corrected",
    of=(*CADA_RUNS, CADA),
    relation="<=",
    corrects="equalities.printed",
    proof=_CONCAVE,
)
def _(*runs: Run) -> Cases:
    """An iteration of CADA takes at most eta H_M' on average, M' the bound (12)."""
    for run in runs:
        yield after(run.timed, "time", float(selected_time(bound(run), run.d)))


@paper.claim("selected.time.derived", "(13) and (16), made exact")
def _() -> Cases:
    """An iteration that selects x groups takes (eta/M_G) H_x on average, one that selects none no
    time: so the mean time is that of H_x, not H at the mean x."""
    for run in (*CADA_RUNS, *GCADA_RUNS, periodic(0, WORKERS)):
        # a unit is selected always, or by its age alone
        refreshes = round(ITERATIONS / float(refresh_period(run.window, run.refresh)))
        always = selection_period(run.smoothness, run.c, run.window, run.refresh) == 1.0
        every, heavy = (selected_time(x, run.d) for x in (run.units, int(always.sum())))
        total = float(refreshes * every + (ITERATIONS - refreshes) * heavy)
        yield after(run.timed, "time", total / ITERATIONS)


@paper.elementwise
def harmonic_at(x: float) -> float:
    """Harmonic number H(x) = ψ(x+1) + γ at any x ≥ 0, concave."""
    if x == int(x) and x < 10_000:
        return float(harmonic(int(x)))
    from scipy import special  # its import takes longer than many a command

    return float(special.digamma(x + 1.0) + np.euler_gamma)
