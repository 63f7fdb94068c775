"""Runs that several claims of paper gcada are tested on."""

from __future__ import annotations

from dataclasses import dataclass

from fastgc.theory import gcada
from fastgc.theory.cases.tables import Table
from fastgc.theory.cases.training import SAMPLES, cada, grouped, selecting

PAPER = (
    "Zhu, Zhang, Simeone, Wang, Adaptive Worker Grouping for Communication-Efficient and "
    "Straggler-Tolerant Distributed SGD"
)

WORKERS = 12
#: D, and iterations that all periods 1 … D + 1 divide.
WINDOW = 4
ITERATIONS = 60

#: Smoothness so large that a unit is selected in every iteration, and so small that only its age
#: selects it.
ALWAYS, BY_AGE = 1e4, 1e-9


@dataclass(frozen=True)
class Chosen:
    """A run of CADA (``d`` = 1) or of G-CADA with groups of ``d``, its smoothness given."""

    smoothness: tuple[float, ...]
    c: float
    d: int
    batch: int | None = None
    refresh: str = "after"

    @property
    def experiment(self) -> Table:
        """Table of the run."""
        rule = (self.c, WINDOW, self.smoothness, self.d * self.units, self.refresh, self.batch)
        selection = cada(*rule) if self.d == 1 else grouped(self.units, *rule)
        return selecting(selection, ITERATIONS)

    @property
    def units(self) -> int:
        """Workers of CADA or groups of G-CADA."""
        return len(self.smoothness)

    @property
    def gradients(self) -> int:
        """Of single samples, that a selected unit computes."""
        return self.d * (SAMPLES // self.units if self.batch is None else self.batch)

    @property
    def bound(self) -> float:
        """Selected in an iteration on average, at most."""
        return gcada.selected_bound(self.smoothness, self.c, WINDOW, self.refresh)

    @property
    def bound_printed(self) -> float:
        """The same as printed."""
        return gcada.selected_bound_printed(self.smoothness, self.c, WINDOW)


@dataclass(frozen=True)
class Periodic(Chosen):
    """A run in which each unit is selected always, or by its age alone: counts are known."""

    @property
    def heavy(self) -> int:
        """Units that are always selected."""
        periods = gcada.selection_period(self.smoothness, self.c, WINDOW, self.refresh)
        return int((periods == 1.0).sum())

    @property
    def time(self) -> float:
        """Mean time of the whole run."""
        refreshes = round(ITERATIONS / float(gcada.refresh_period(WINDOW, self.refresh)))
        rest = ITERATIONS - refreshes
        return refreshes * float(gcada.selected_time(self.units, self.d)) + rest * float(
            gcada.selected_time(self.heavy, self.d)
        )


def periodic(heavy: int, light: int, d: int = 1, batch: int | None = None) -> Periodic:
    """Of the units so many are selected always, and so many by their age."""
    return Periodic((ALWAYS,) * heavy + (BY_AGE,) * light, 2.0, d, batch)


#: Smoothness 1.3^(m−1) + 1 of the authors' script, and c such that the units' classes differ. In
#: the last run the gradients, and so the selection, depend on who is the fastest.
CADA = Chosen(tuple(1.3**m + 1 for m in range(12)), 40.0, 1, batch=1)
GCADA_3 = Chosen(tuple(1.3**g + 1 for g in range(3)), 6.0, 4)
GCADA_4 = Chosen(tuple(1.3**g + 1 for g in range(4)), 8.0, 3, batch=1)
