"""How old a group's gradient may get (paper gcada, Sections II to IV, Algorithm 1).

The age τ is the number of iterations since a unit, a worker of CADA or a group of G-CADA, last
uploaded. It is selected, whatever its rule says, at age τ ≥ D = ``window`` (``refresh`` = "at"), or
at τ > D ("after").
"""

from __future__ import annotations

from dataclasses import replace

from fastgc.errors import FastgcError
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.cases.training import amsgrad, cada
from fastgc.theory.common.arguments import check_count
from fastgc.theory.gcada import paper
from fastgc.theory.gcada.cases import BY_AGE, Run, both, periodic
from fastgc.theory.papers.claim import MISPRINT, NOTATION, REFUTED, Cases

#: Runs whose units are selected by their ages alone.
REFRESHED = (
    replace(periodic(0, 12), window=3),
    replace(periodic(0, 3, 4), window=4),
    replace(periodic(0, 4, 3), window=5),
)
#: Windows D of runs whose groups are all selected by age alone, and by which rule.
AGEING = ((10, "at"), (4, "at"), (4, "after"))


@paper.elementwise
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


@paper.claim("age.update.printed", "Section IV", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """An unselected group keeps its age, the 1 that an upload sets it to (Algorithm 1 adds 1; the
    largest number of iterations since an upload)."""
    for window, refresh in AGEING:
        yield from _oldest(window, refresh, 1.0)


@paper.claim(
    "age.update.corrected",
    "Algorithm 1, line 8",
    corrects="age.update.printed",
    proof="The age is the number of iterations since the last upload, by its definition after (3), "
    "so it grows by one in every iteration without one, as Algorithm 1 has it.",
)
def _() -> Cases:
    """A group that is not selected gets one iteration older: a gradient that only its age renews
    gets D iterations old where age >= D is selected, D + 1 where age > D is."""
    for window, refresh in AGEING:
        yield from _oldest(window, refresh, float(refresh_period(window, refresh)))


@paper.claim(
    "refresh.after.derived",
    "Section IV, with (12) and (15)",
    relation="<=",
    reads="refresh.at.printed",
)
def _() -> Cases:
    """With the rule "age > D" of Section IV the bounds (12) and (15) hold where ages alone select
    (thresholds c/d, L_0 infinite)."""
    return _bounded("after")


@paper.claim(
    "refresh.at.printed",
    "Section III and Algorithm 1, with (12) and (15)",
    REFUTED,
    relation="<=",
    kind=NOTATION,
)
def _() -> Cases:
    """With the rule "age >= D" of Section III and Algorithm 1 the bounds (12) and (15) hold where
    ages alone select (thresholds c/d, L_0 infinite)."""
    return _bounded("at")


@paper.claim(
    "refresh.at.corrected",
    "Section III and Algorithm 1, with (12) and (15)",
    corrects="refresh.at.printed",
    proof="(12) with its D + 1 fits age > D: at age >= D a unit of the last class is selected D "
    "iterations after its last upload, so that its share is 1/D and not 1/(D + 1).",
)
def _() -> Cases:
    """Refreshed at age >= D, a unit that only its age selects is selected every D iterations."""
    for run in REFRESHED:
        yield from _selected(replace(run, refresh="at"), run.window)


def _oldest(window: int, refresh: str, theory: float) -> Cases:
    """The oldest gradient of three groups of four that are selected by age alone."""
    selection = cada(2.0, window, (BY_AGE,) * 3, 12, refresh, groups=3)
    data: Table = {"samples": 24, "features": 2, "seed": 1}
    run: Table = {"selection": selection, "optimizer": amsgrad(), "iterations": 45, "data": data}
    for make in (finite, built):
        yield make("largest_age", theory, **run)


def _bounded(refresh: str) -> Cases:
    """Units selected in an iteration against (12) and (15), where ages alone select."""
    for run in REFRESHED:
        yield from _selected(replace(run, refresh=refresh), run.window + 1)


def _selected(run: Run, period: int) -> Cases:
    """Units selected in an iteration where each is once in so many."""
    return both("selected", run.units / period, run.trained)
