"""How often a worker or group is selected (paper gcada, (7), (9), (12), (15), Algorithm 1).

A unit, a worker of CADA or a group of G-CADA, is selected in iteration k if L² ‖θ^k − θ^(k−τ)‖²
exceeds c Σ ‖θ^(k+1−d) − θ^(k−d)‖² over the last D = ``window`` iterations, or if its age τ calls
for a refresh: at τ ≥ D (``refresh`` = "at"), or at τ > D ("after").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc.errors import FastgcError
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.cases.training import after
from fastgc.theory.common.arguments import check_count, check_not_negative, elementwise
from fastgc.theory.gcada.cases import CADA, GCADA_3, GCADA_4, ITERATIONS, Run, periodic
from fastgc.theory.gcada.paper import paper
from fastgc.theory.papers.claim import LOOSE, REFUTED, Case
from fastgc.theory.papers.paper import Cases

#: Window and iterations.
WINDOWS = ((3, 24), (5, 60), (10, 110))
#: Numbers of drawn runs, and their seeds.
DRAWN: tuple[Table, ...] = (
    {"runs": 60, "seed": 1},
    {"runs": 20, "seed": 2},
    {"runs": 20, "seed": 3},
)
#: Runs whose units are selected by their ages alone.
REFRESHED = (
    replace(periodic(0, 12), window=3),
    replace(periodic(0, 3, 4), window=4),
    replace(periodic(0, 4, 3), window=5),
)
#: Runs in which the bound is attained.
TIGHT_CADA = periodic(4, 8)
TIGHT_GCADA = (periodic(1, 2, 4), periodic(1, 3, 3))


@paper.formula
@elementwise
def refresh_period(window: int, refresh: str = "after") -> float:
    """Iterations after which a unit is selected whatever it holds: D + 1 ("after") or D ("at").

    Section IV says that the age is "larger than D", Section III and Algorithm 1 "τ ≥ D".

    >>> refresh_period(10), refresh_period(10, "at")
    (11.0, 10.0)
    """
    check_count("window", window, 1)
    if refresh not in ("at", "after"):
        raise FastgcError(f"refresh: got {refresh!r}, allowed are 'at', 'after'")
    return float(window + (refresh == "after"))


@paper.claim("age.update.printed", "Section IV", REFUTED)
def _() -> Cases:
    """A group that is not selected keeps its age, and still is refreshed every D + 1 iterations."""
    return _ages("after", "tau")


@paper.claim("age.update.corrected", "Algorithm 1, line 8")
def _() -> Cases:
    """A group that is not selected gets one iteration older, and is refreshed every D (age >= D) or
    D + 1 iterations (age > D)."""
    yield from _ages("at", "tau + 1")
    yield from _ages("after", "tau + 1")


@paper.formula
@elementwise
def quiet_iterations(smoothness: float, c: float, window: int) -> float:
    """Number d of iterations after a selection in which (7) never selects a unit again.

    It is the largest d ≤ D with L² ≤ c/d, exact. By Cauchy–Schwarz ‖θ^k − θ^(k−d)‖² ≤ d Σ ‖steps‖²,
    so that L² d ≤ c keeps the condition.

    >>> [quiet_iterations(L, 2.0, 10) for L in (0.0, 0.5, 1.0, 2.0)]
    [10.0, 8.0, 2.0, 0.0]
    """
    check_count("window", window, 1)
    check_not_negative(smoothness=smoothness, c=c)
    square = smoothness * smoothness
    if square * window <= c:
        return float(window)
    d = math.floor(c / square)
    # c / square may be rounded across a whole number
    while square * (d + 1) <= c:
        d += 1
    while square * d > c:
        d -= 1
    return float(d)


@paper.formula
@elementwise
def selection_period(smoothness: float, c: float, window: int, refresh: str = "after") -> float:
    """Least number of iterations between two selections of a unit; gcada (12), corrected.

    One more than `quiet_iterations`, but D at most where a unit is refreshed at age D.

    >>> selection_period(0.0, 2.0, 10), selection_period(0.0, 2.0, 10, "at")
    (11.0, 10.0)
    """
    period = float(quiet_iterations(smoothness, c, window)) + 1.0
    return min(period, float(refresh_period(window, refresh)))


@paper.claim("refresh.at.printed", "Section III and Algorithm 1, with (12)", REFUTED)
def _() -> Cases:
    """Refreshed at age >= D, no unit is selected more often than once in d + 1 iterations, d its
    class in (12) (units that are, of 720 in 60 runs)."""
    for drawn in DRAWN:
        yield finite("early_units", 0.0, refresh="at", **drawn)


@paper.claim("refresh.at.corrected", "Section III and Algorithm 1, made exact")
def _() -> Cases:
    """Refreshed at age >= D, a unit of the last class is selected every D iterations."""
    return map(_uploads_by_age, (replace(run, refresh="at") for run in REFRESHED))


@paper.claim("refresh.after.corrected", "Section IV, with (12)")
def _() -> Cases:
    """Refreshed at age > D, as Section IV has it, no unit is selected more often than once in d + 1
    iterations, and one of the last class exactly as often."""
    for drawn in DRAWN:
        yield finite("early_units", 0.0, refresh="after", **drawn)
    yield from map(_uploads_by_age, REFRESHED)


@paper.formula
def selected_bound_printed(smoothness: Sequence[float], c: float, window: int) -> float:
    """Most units selected in an iteration on average as gcada (12), (15) have it. Wrong.

    With L̄_0 = L̄_(D+1) = 0 the class d = 0, between L̄_1² and L̄_0², is empty: units with L² > c,
    which are selected most often, count for nothing. Thresholds are taken as c_d/(d M²) = c/d, as
    rule (7) has them; inequalities are strict as printed.

    >>> round(selected_bound_printed([0.5, 1.0, 2.0], 2.0, 3), 6)
    0.25
    """
    _units(smoothness)
    check_count("window", window, 1)
    check_not_negative(c=c)
    ends = [0.0, *(c / d for d in range(1, int(window) + 1)), 0.0]
    return math.fsum(
        1.0 / (d + 1)
        for L in smoothness
        for d in range(int(window) + 1)
        if ends[d + 1] < L * L < ends[d]
    )


@paper.claim("selection.cada.printed", "(12)", REFUTED, relation="<=")
def _() -> Cases:
    """CADA selects at most M sum_d h(d)/(d+1) workers in an iteration, where the class of the
    smoothest losses ends at L_0 = 0."""
    yield finite("selection_bound_violations", 0.0, first_end="zero", refresh="after", **DRAWN[0])
    for run in (CADA, TIGHT_CADA):
        yield _selected(run, bound_printed(run))


@paper.formula
def selected_bound(
    smoothness: Sequence[float], c: float, window: int, refresh: str = "after"
) -> float:
    """Most units selected in an iteration on average; gcada (12), (15), corrected.

    Parameters
    ----------
    smoothness : sequence of float
        Smoothness constant L of every unit.
    c : float
        Constant c of rule (7) or (9).
    window : int
        Number D of iterations that the rule looks back.
    refresh : {"after", "at"}
        With "at" a unit of the last class may be selected every D iterations, not D + 1.

    Returns
    -------
    float
        Σ 1/(d+1), d the unit's number of `quiet_iterations`: the thresholds are c/d, and the first
        class has no upper end, L̄_0 = ∞. Holds for any number of iterations that all periods divide.

    Examples
    --------
    >>> round(selected_bound([0.5, 1.0, 2.0], 2.0, 3), 6)
    1.583333
    """
    _units(smoothness)
    return math.fsum(1.0 / float(selection_period(L, c, window, refresh)) for L in smoothness)


@paper.claim("selection.cada.corrected", "(12), corrected", relation="<=")
def _() -> Cases:
    """CADA selects at most M sum_d h(d)/(d+1) workers in an iteration, thresholds c/d and L_0
    infinite, where it refreshes at age > D."""
    drawn: Table = {"first_end": "infinity", "refresh": "after", **DRAWN[0]}
    yield finite("selection_bound_violations", 0.0, **drawn)
    for run in (CADA, TIGHT_CADA):
        yield _selected(run, bound(run))


@paper.claim("selection.g-cada.printed", "(15)", REFUTED, relation="<=")
def _() -> Cases:
    """G-CADA selects at most G sum_d h_G(d)/(d+1) groups in an iteration, where the class of the
    smoothest losses ends at L_0 = 0."""
    for run in (GCADA_4, *TIGHT_GCADA):
        yield _selected(run, bound_printed(run))


@paper.claim("selection.g-cada.corrected", "(15), corrected", relation="<=")
def _() -> Cases:
    """G-CADA selects at most G sum_d h_G(d)/(d+1) groups in an iteration, thresholds c/d and L_0
    infinite, where it refreshes at age > D."""
    for run in (GCADA_3, GCADA_4, *TIGHT_GCADA):
        yield _selected(run, bound(run))


@paper.claim("selection.all.printed", "(12) and (15)", LOOSE, relation="<=")
def _() -> Cases:
    """The bounds (12) and (15) are at most M and G."""
    for run in (CADA, GCADA_3, GCADA_4):
        yield _selected(run, run.units)


def bound(run: Run) -> float:
    """Bound (12) or (15) of the mean number of units that a run selects in an iteration."""
    return selected_bound(run.smoothness, run.c, run.window, run.refresh)


def bound_printed(run: Run) -> float:
    """The same bound with the classes as printed."""
    return selected_bound_printed(run.smoothness, run.c, run.window)


def _ages(refresh: str, update: str) -> Cases:
    """How often a group is refreshed, by a rule of how its age grows."""
    for window, iterations in WINDOWS:
        theory = -(-iterations // int(refresh_period(window, refresh)))
        rule: Table = {"window": window, "refresh": refresh, "update": update}
        yield finite("age_selections", theory, **rule, iterations=iterations)


def _uploads_by_age(run: Run) -> Case:
    """Uploads of a run whose units are selected by their ages alone."""
    theory = run.units * ITERATIONS / refresh_period(run.window, run.refresh)
    return after(run.experiment, "uploads", theory)


def _selected(run: Run, selected: float) -> Case:
    """Uploads of a run, one for every unit that is selected."""
    return after(run.experiment, "uploads", ITERATIONS * selected, scale=ITERATIONS * run.units)


def _units(smoothness: Sequence[float]) -> None:
    """Refuse a run of no units."""
    if not len(smoothness):
        raise FastgcError("smoothness: empty; give that of every worker or group")
