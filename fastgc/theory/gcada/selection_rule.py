"""How often a worker or group is selected, and how old its gradient gets (gcada, II to IV).

The age τ is the number of iterations since a unit last uploaded.
A unit, a worker of CADA or a group of G-CADA, is selected in iteration k if L² ‖θ^k − θ^(k−τ)‖²
exceeds c Σ ‖θ^(k+1−d) − θ^(k−d)‖² over the last D = ``window`` iterations, or if its age τ calls
for a refresh: at τ ≥ D (``refresh`` = "at"), or at τ > D ("after").
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fastgc.errors import FastgcError
from fastgc.theory.cases.experiment_tables import cada
from fastgc.theory.cases.statements import both, finite
from fastgc.theory.cases.studies import Table
from fastgc.theory.common import check
from fastgc.theory.gcada import paper
from fastgc.theory.gcada.algorithm import BY_AGE, CADA, GCADA_3, GCADA_4, Run, periodic, training
from fastgc.theory.papers.claim import Cases

#: Number of drawn runs, and their seed.
DRAWN: Table = {"runs": 60, "seed": 1}
#: Runs in which the bound is attained.
TIGHT_CADA = periodic(4, 8)
TIGHT_GCADA = (periodic(1, 2, 4), periodic(1, 3, 3))
#: Runs whose units have L² = c, the first threshold, or c/4, the last: h(d) counts these, too.
AT_THRESHOLDS = (Run((1.0,) * 12, 1.0), Run((0.5,) * 3, 1.0, 4), Run((0.5, 1.0, 1.0, 1.0), 1.0, 3))
#: Why L_0 is infinite, and thresholds are c/d.
_PROOF = (
    "By Cauchy-Schwarz d steps move the parameters by at most d times the sum of their squares, so "
    "that L^2 <= c/d keeps the rule for d iterations. A unit with L^2 > c may be selected in every "
    "one: class d = 0, which the bound must count, lies above c and has no upper end."
)


@paper.elementwise
def refresh_period(window: int, refresh: str = "after") -> float:
    """Iterations after which a unit is selected whatever it holds: D + 1 ("after") or D ("at").

    Section IV says that the age is "larger than D", Section III and Algorithm 1 "τ ≥ D".
    """
    if refresh not in ("at", "after"):
        raise FastgcError(f"refresh: got {refresh!r}, allowed are 'at', 'after'")
    return float(window + (refresh == "after"))


@paper.claim("age.update.corrected", "Algorithm 1, line 8", of=(True,))
@paper.claim("age.update.printed", "Section IV", "misprint", "algorithm", of=(False,))
def _(is_right: bool) -> Cases:
    """An unselected group keeps its age, the 1 that an upload sets it to (Algorithm 1 adds 1; the
    largest number of iterations since an upload).
    Printed: the PS updates the AoI of the selected groups as τ_g^(k+1) = 1, while for other groups
    it sets τ_g^(k+1) = τ_g^k

    age.update.corrected: A group that is not selected gets one iteration older: a gradient that
    only its age renews gets D iterations old where age >= D is selected, D + 1 where age > D is.
    Proof. The age is the number of iterations since the last upload, by its definition after (3),
    so it grows by one in every iteration without one, as Algorithm 1 has it."""
    for window, refresh in ((10, "at"), (4, "at"), (4, "after")):
        theory = float(refresh_period(window, refresh)) if is_right else 1.0
        selection = cada(2.0, window, (BY_AGE,) * 3, 12, refresh, groups=3)
        yield from both("largest_age", theory, **training(selection, 45))


@paper.claim(
    "refresh.at.corrected", "Section III and Algorithm 1, with (12) and (15)", of=("at", 0)
)
@paper.claim(
    "refresh.at.printed",
    "Section III and Algorithm 1, with (12) and (15)",
    "<=",
    "notation",
    of=("at", 1),
)
@paper.claim(
    "refresh.after.derived",
    "Section IV, with (12) and (15)",
    "<=",
    of=("after", 1),
    reads="refresh.at.printed",
)
def _(refresh: str, more: int) -> Cases:
    """With the rule "age > D" of Section IV the bounds (12) and (15) hold where ages alone select
    (thresholds c/d, L_0 infinite).

    refresh.at.corrected: Refreshed at age >= D, a unit that only its age selects is selected every
    D iterations.
    Proof. (12) with its D + 1 fits age > D: at age >= D a unit of the last class is selected D
    iterations after its last upload, so that its share is 1/D and not 1/(D + 1).

    refresh.at.printed: With the rule "age >= D" of Section III and Algorithm 1 the bounds (12) and
    (15) hold where ages alone select (thresholds c/d, L_0 infinite).
    Printed: Section III: if its AoI is greater than or equal to D. Algorithm 1: τ_g^k ≥ D. Section
    IV: if the AoI τ_g^k is larger than D. (12): M̄ = M Σ_(d=0)^D h(d)/(d+1)"""
    for window, shape in ((3, (0, 12)), (4, (0, 3, 4)), (5, (0, 4, 3))):
        run = replace(periodic(*shape), window=window, refresh=refresh)
        yield from both("selected", run.units / (run.window + more), **run.trained)


@paper.elementwise
def quiet_iterations(smoothness: float, c: float, window: int) -> float:
    """Iterations after a selection in which (7) never selects a unit: the largest d ≤ D, L² ≤ c/d.

    By Cauchy–Schwarz ‖θ^k − θ^(k−d)‖² ≤ d Σ ‖steps‖², so that L² d ≤ c keeps the condition.
    """
    square = Fraction(smoothness * smoothness)  # c / square may be rounded across a whole number
    return float(window if square * window <= c else c // square)


@paper.elementwise
def selection_period(smoothness: float, c: float, window: int, refresh: str = "after") -> float:
    """Least number of iterations between two selections of a unit; gcada (12), corrected.

    One more than `quiet_iterations`, but D at most where a unit is refreshed at age D.
    """
    period = float(quiet_iterations(smoothness, c, window)) + 1.0
    return min(period, float(refresh_period(window, refresh)))


@paper.formula
def selected_bound_printed(smoothness: Sequence[float], c: float, window: int) -> float:
    """Most units selected in an iteration on average as gcada (12), (15) have it. Wrong.

    With L̄_0 = L̄_(D+1) = 0 the class d = 0, between L̄_1² and L̄_0², is empty: units with L² > c,
    which are selected most often, count for nothing. Thresholds are c/d: c is the c_d/M² of the
    printed c_d/(d M²), or the c_d/G² of (15).
    """
    _units(smoothness)
    check.arguments(window=window, c=c)
    ends = [0.0, *(c / d for d in range(1, int(window) + 1)), 0.0]
    return math.fsum(
        1.0 / (d + 1)
        for L in smoothness
        for d in range(int(window) + 1)
        if ends[d + 1] < L * L < ends[d]
    )


@paper.claim("selection.printed", "(12) and (15)", "<=", "misprint")
def _() -> Cases:
    """(12) and (15) bound the mean number selected with L_0 = 0 and the thresholds c_d/(d M^2) and
    c_d/(d G^2) (first with c_d = c, there being one c in (7) and (9), then with the c_d that make
    them c/d, as these rules have them; refreshed at age > D; last point: drawn runs above the
    bound).
    Printed: M̄ = M Σ_(d=0)^D h(d)/(d+1) ≤ M (12), h(d) = (1/M) Σ_m I(L̄_(d+1)^2 < L_m^2 < L̄_d^2),
    with L̄_d^2 = c_d/(d M^2) and L̄_0 = L̄_(D+1) = 0"""
    runs = (CADA, TIGHT_CADA, GCADA_4, *TIGHT_GCADA)
    for run in runs:
        most = selected_bound_printed(run.smoothness, run.c / run.units**2, run.window)
        yield from _selected(most, run)
    for run in runs:
        yield from _selected(selected_bound_printed(run.smoothness, run.c, run.window), run)
    yield finite("selection_bound_violations", 0.0, first_end="zero", refresh="after", **DRAWN)


@paper.formula
def selected_bound(
    smoothness: Sequence[float], c: float, window: int, refresh: str = "after"
) -> float:
    """Most units selected in an iteration on average; gcada (12), (15), corrected.

    Σ 1/(d+1) over the units' L, d the number of `quiet_iterations`: thresholds are c/d, and L̄_0 is
    infinite. With ``refresh`` = "at" a unit of the last class is selected every D iterations, not
    D + 1. It holds for any number of iterations that all periods divide.
    """
    _units(smoothness)
    return math.fsum(1.0 / float(selection_period(L, c, window, refresh)) for L in smoothness)


@paper.claim(
    "selection.g-cada.corrected",
    "(15), corrected",
    "<=",
    of=(GCADA_3, GCADA_4, *TIGHT_GCADA, *AT_THRESHOLDS[1:]),
    corrects="selection.printed",
    proof=_PROOF,
)
@paper.claim(
    "selection.cada.corrected",
    "(12), corrected",
    "<=",
    of=(CADA, TIGHT_CADA, AT_THRESHOLDS[0]),
    corrects="selection.printed",
    proof=_PROOF,
)
def _(*runs: Run) -> Cases:
    """CADA selects at most M sum_d h(d)/(d+1) workers in an iteration, thresholds c/d and L_0
    infinite, where it refreshes at age > D.

    selection.g-cada.corrected: G-CADA selects at most G sum_d h_G(d)/(d+1) groups in an iteration,
    thresholds c/d and L_0 infinite, where it refreshes at age > D."""
    for run in runs:
        yield from _selected(bound(run), run)
    if CADA in runs:
        drawn: Table = {"first_end": "infinity", "refresh": "after", **DRAWN}
        yield finite("selection_bound_violations", 0.0, **drawn)


@paper.claim(
    "selection.one-constant.derived",
    "(12) and (15), c_d = c",
    "<=",
    reads="selection.thresholds.printed",
)
def _() -> Cases:
    """With c_d = c, hence thresholds c/(d M^2) or c/(d G^2), and L_0 infinite the bounds (12) and
    (15) hold as well (refreshed at age > D)."""
    for run in (CADA, TIGHT_CADA, GCADA_3, *TIGHT_GCADA):
        yield from _selected(selected_bound(run.smoothness, run.c / run.units**2, run.window), run)


@paper.claim(
    "selection.thresholds.printed",
    "(7), (9) and Algorithm 1, with (12) and (15)",
    "notation",
    of=(False,),
)
@paper.claim("selection.thresholds.corrected", "(12) and (15), c_d of Algorithm 1", of=(True,))
def _(is_right: bool) -> Cases:
    """Rule (7) and rule (9) leave a unit alone for d iterations after its upload if L^2 <= c/d, for
    any steps (the least L^2 with which they select it).
    Proof. By Cauchy-Schwarz d steps move the parameters by at most d times the sum of their
    squares, and d equal steps by as much: so c_d is c M^2, and c G^2 in (15).

    selection.thresholds.printed: The constants c_d of (12), (15) and Algorithm 1 are the c of (7)
    and (9): L_d^2 = c_d/(d M^2) or c_d/(d G^2) with c_d = c is the least L^2 with which these rules
    select a unit d iterations after its upload.
    Printed: c > 0 is some constant (7), (9); constants {c_d} (Algorithm 1); L̄_d^2 = c_d/(d M^2)
    (12), L̄_(G,d)^2 = c_d/(d G^2) (15)"""
    constants = ((12, 2.0, 4, 1), (12, 2.0, 4, 3), (3, 0.3, 5, 2), (4, 0.3, 5, 5))
    for units, c, window, d in constants:
        theory = c / d if is_right else c / (d * units**2)
        yield finite("quiet_threshold", theory, c=c, window=window, d=d)


@paper.claim("selection.all.printed", "(12) and (15)", "<=")
def _() -> Cases:
    """The bounds (12) and (15) are at most M and G, added up over the classes (as printed, and with
    L_0 infinite, where they are attained)."""
    equal = periodic(12, 0), periodic(3, 0, 4)
    for run in (CADA, GCADA_3, GCADA_4, *equal):
        for first_end in ("zero", "infinity"):
            rule: Table = {"smoothness": list(run.smoothness), "c": run.c, "window": run.window}
            yield finite("selection_bound", run.units, first_end=first_end, **rule)


def bound(run: Run) -> float:
    """Bound (12) or (15) of the mean number of units that a run selects in an iteration."""
    return selected_bound(run.smoothness, run.c, run.window, run.refresh)


def _selected(theory: float, run: Run) -> Cases:
    return both("selected", theory, **run.trained, scale=run.units)


def _units(smoothness: Sequence[float]) -> None:
    if not len(smoothness):
        raise FastgcError("smoothness: empty; give that of every worker or group")
