"""Runs that several claims of paper gcada are tested on."""

from __future__ import annotations

from dataclasses import dataclass

from fastgc.theory.cases.tables import Table
from fastgc.theory.cases.training import SAMPLES, cada, selecting

WORKERS = 12
#: D, and iterations that all periods 1 … D + 1 divide.
WINDOW = 4
ITERATIONS = 60

#: Smoothness so large that a unit is selected in every iteration, and so small that only its age
#: selects it.
ALWAYS, BY_AGE = 1e4, 1e-9


@dataclass(frozen=True)
class Run:
    """A run of CADA (``d`` = 1) or of G-CADA with groups of ``d``, its smoothness given."""

    smoothness: tuple[float, ...]
    c: float
    d: int = 1
    batch: int | None = None
    refresh: str = "after"
    window: int = WINDOW

    @property
    def experiment(self) -> Table:
        """Table of the run."""
        rule = (self.c, self.window, self.smoothness, self.d * self.units, self.refresh, self.batch)
        return selecting(cada(*rule, None if self.d == 1 else self.units), ITERATIONS)

    @property
    def units(self) -> int:
        """Number of workers of CADA or of groups of G-CADA."""
        return len(self.smoothness)

    @property
    def gradients(self) -> int:
        """Number of single samples' gradients that a selected unit computes."""
        return self.d * (SAMPLES // self.units if self.batch is None else self.batch)


def periodic(heavy: int, light: int, d: int = 1, batch: int | None = None) -> Run:
    """A run whose ``heavy`` units are always selected and whose ``light`` ones by age alone."""
    return Run((ALWAYS,) * heavy + (BY_AGE,) * light, 2.0, d, batch)


#: Smoothness 1.3^(m−1) + 1 of the authors' script, and c such that the units' classes differ. In
#: the last run the gradients, and so the selection, depend on who is the fastest.
CADA = Run(tuple(1.3**m + 1 for m in range(12)), 40.0, batch=1)
GCADA_3 = Run(tuple(1.3**g + 1 for g in range(3)), 6.0, 4)
GCADA_4 = Run(tuple(1.3**g + 1 for g in range(4)), 8.0, 3, batch=1)
