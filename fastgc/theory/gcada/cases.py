"""Runs that several claims of paper gcada are tested on."""

from dataclasses import dataclass

from fastgc.theory.cases.tables import Table, exponential
from fastgc.theory.cases.training import SAMPLES, amsgrad, cada, selecting

WORKERS = 12
#: D, and iterations that all periods 1 … D + 1 divide.
WINDOW = 4
ITERATIONS = 60

#: Number of drawn runs, and their seed.
DRAWN: Table = {"runs": 60, "seed": 1}

#: Smoothness so large that a unit is selected in every iteration, and so small that only its age
#: selects it.
ALWAYS, BY_AGE = 1e4, 1e-9


def training(selection: Table, iterations: int) -> Table:
    """Arguments of statements on a run with AMSGrad."""
    return {
        "data": {"samples": SAMPLES, "features": 2, "seed": 1},
        "selection": selection,
        "optimizer": amsgrad(),
        "iterations": iterations,
    }


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
    def timed(self) -> Table:
        """Table of the run, whose whole time is that of an iteration with unit times on average."""
        return selecting(self.selection, ITERATIONS, latency=exponential(1.0 / ITERATIONS))

    @property
    def selection(self) -> Table:
        """Table of the choice of workers or groups."""
        rule = (self.c, self.window, self.smoothness, self.d * self.units, self.refresh, self.batch)
        return cada(*rule, None if self.d == 1 else self.units)

    @property
    def trained(self) -> Table:
        """Arguments of statements on the same run where times bear upon nothing."""
        return training(self.selection, ITERATIONS)

    @property
    def units(self) -> int:
        """Number of workers of CADA or of groups of G-CADA."""
        return len(self.smoothness)

    @property
    def gradients(self) -> int:
        """Number of single samples' gradients that a selected unit computes."""
        return self.d * (SAMPLES // self.units if self.batch is None else self.batch)


def periodic(heavy: int, light: int, d: int = 1) -> Run:
    """A run whose ``heavy`` units are always selected and whose ``light`` ones by age alone."""
    return Run((ALWAYS,) * heavy + (BY_AGE,) * light, 2.0, d)


#: Smoothness 1.3^(m−1) + 1 of the authors' script, and c such that the units' classes differ. In
#: the last run the gradients, and so the selection, depend on who is the fastest.
CADA = Run(tuple(1.3**m + 1 for m in range(12)), 40.0, batch=1)
GCADA_3 = Run(tuple(1.3**g + 1 for g in range(3)), 6.0, 4)
GCADA_4 = Run(tuple(1.3**g + 1 for g in range(4)), 8.0, 3, batch=1)
