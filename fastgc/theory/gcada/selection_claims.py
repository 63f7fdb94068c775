"""Claims of paper gcada on who is selected: rules (7), (9), ages, the bounds (12) and (15)."""

from __future__ import annotations

from functools import partial

from fastgc.theory import gcada
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.training import after, cada, grouped, selecting
from fastgc.theory.gcada.cases import (
    BY_AGE,
    CADA,
    GCADA_3,
    GCADA_4,
    ITERATIONS,
    PAPER,
    WORKERS,
    Chosen,
    periodic,
)
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="gcada", relation="=")

#: Numbers of runs, and their seeds.
_RUNS = ((60, 1), (20, 2), (20, 3))
_WINDOWS = ((3, 24), (5, 60), (10, 110))
_TIGHT = (periodic(4, 8), periodic(1, 2, 4), periodic(1, 3, 3))


def selection_claims() -> tuple[Claim, ...]:
    """Claims on ages and on the number of workers or groups that are selected."""
    return (*_age_claims(), *_bound_claims())


def _age_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.age.update.printed",
            statement=(
                "A group that is not selected keeps its age, and still is refreshed every D + 1 "
                "iterations"
            ),
            citation=f"{PAPER}, Section IV",
            expected="refuted",
            cases=tuple(
                _ages(window, "after", "tau", iterations) for window, iterations in _WINDOWS
            ),
        ),
        _claim(
            id="gcada.age.update.corrected",
            statement=(
                "A group that is not selected gets one iteration older, and is refreshed every D "
                "(age >= D) or D + 1 iterations (age > D)"
            ),
            citation=f"{PAPER}, Algorithm 1, line 8",
            expected="confirmed",
            cases=tuple(
                _ages(window, refresh, "tau + 1", iterations)
                for refresh in ("at", "after")
                for window, iterations in _WINDOWS
            ),
        ),
        _claim(
            id="gcada.refresh.at.printed",
            statement=(
                "Refreshed at age >= D, no unit is selected more often than once in d + 1 "
                "iterations, d its class in (12) (units that are, of 720 in 60 runs)"
            ),
            citation=f"{PAPER}, Section III and Algorithm 1, with (12)",
            expected="refuted",
            cases=tuple(_early("at", *runs) for runs in _RUNS),
        ),
        _claim(
            id="gcada.refresh.at.corrected",
            statement=(
                "Refreshed at age >= D, a unit of the last class is selected every D iterations"
            ),
            citation=f"{PAPER}, Section III and Algorithm 1, made exact",
            expected="confirmed",
            cases=tuple(_refreshed(window, "at", *shape) for window, *shape in _REFRESHED),
        ),
        _claim(
            id="gcada.refresh.after.corrected",
            statement=(
                "Refreshed at age > D, as Section IV has it, no unit is selected more often than "
                "once in d + 1 iterations, and one of the last class exactly as often"
            ),
            citation=f"{PAPER}, Section IV, with (12)",
            expected="confirmed",
            cases=(
                *(_early("after", *runs) for runs in _RUNS),
                *(_refreshed(window, "after", *shape) for window, *shape in _REFRESHED),
            ),
        ),
    )


#: Window, groups, workers of a group.
_REFRESHED = ((3, 12, 1), (4, 3, 4), (5, 4, 3))


def _bound_claims() -> tuple[Claim, ...]:
    runs = (CADA, GCADA_3, GCADA_4)
    return (
        _claim(
            id="gcada.selection.cada.printed",
            statement=(
                "CADA selects at most M sum_d h(d)/(d+1) workers in an iteration, where the class "
                "of the smoothest losses ends at L_0 = 0"
            ),
            citation=f"{PAPER}, (12)",
            relation="<=",
            expected="refuted",
            cases=(
                _violations("zero"),
                *(_selected(run, run.bound_printed) for run in (CADA, periodic(4, 8))),
            ),
        ),
        _claim(
            id="gcada.selection.cada.corrected",
            statement=(
                "CADA selects at most M sum_d h(d)/(d+1) workers in an iteration, thresholds c/d "
                "and L_0 infinite, where it refreshes at age > D"
            ),
            citation=f"{PAPER}, (12), corrected",
            relation="<=",
            expected="confirmed",
            cases=(
                _violations("infinity"),
                *(_selected(run, run.bound) for run in (CADA, periodic(4, 8))),
            ),
        ),
        _claim(
            id="gcada.selection.g-cada.printed",
            statement=(
                "G-CADA selects at most G sum_d h_G(d)/(d+1) groups in an iteration, where the "
                "class of the smoothest losses ends at L_0 = 0"
            ),
            citation=f"{PAPER}, (15)",
            relation="<=",
            expected="refuted",
            cases=tuple(_selected(run, run.bound_printed) for run in (GCADA_4, *_TIGHT[1:])),
        ),
        _claim(
            id="gcada.selection.g-cada.corrected",
            statement=(
                "G-CADA selects at most G sum_d h_G(d)/(d+1) groups in an iteration, thresholds "
                "c/d and L_0 infinite, where it refreshes at age > D"
            ),
            citation=f"{PAPER}, (15), corrected",
            relation="<=",
            expected="confirmed",
            cases=tuple(_selected(run, run.bound) for run in (GCADA_3, GCADA_4, *_TIGHT[1:])),
        ),
        _claim(
            id="gcada.selection.all.printed",
            statement="The bounds (12) and (15) are at most M and G",
            citation=f"{PAPER}, (12) and (15)",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(_selected(run, run.units) for run in runs),
        ),
    )


def _ages(window: int, refresh: str, update: str, iterations: int) -> Case:
    theory = -(-iterations // int(gcada.refresh_period(window, refresh)))
    return finite(
        "age_selections",
        theory,
        window=window,
        refresh=refresh,
        update=update,
        iterations=iterations,
    )


def _early(refresh: str, runs: int, seed: int) -> Case:
    return finite("early_units", 0.0, refresh=refresh, runs=runs, seed=seed)


def _violations(first_end: str) -> Case:
    """Runs that select more than the bound: none."""
    runs, seed = _RUNS[0]
    return finite(
        "selection_bound_violations",
        0.0,
        first_end=first_end,
        refresh="after",
        runs=runs,
        seed=seed,
    )


def _refreshed(window: int, refresh: str, units: int, d: int) -> Case:
    """Only their ages select the units."""
    rule = (2.0, window, [BY_AGE] * units)
    selection = (
        cada(*rule, workers=WORKERS, refresh=refresh)
        if d == 1
        else grouped(units, *rule, workers=units * d, refresh=refresh)
    )
    theory = units * ITERATIONS / gcada.refresh_period(window, refresh)
    return after(selecting(selection, ITERATIONS), "uploads", theory)


def _selected(run: Chosen, selected: float) -> Case:
    """Uploads, one for every unit that is selected."""
    return after(run.experiment, "uploads", ITERATIONS * selected, scale=ITERATIONS * run.units)
