"""A point of a study: an experiment with every swept key at one of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastgc.experiments.experiment import Experiment
from fastgc.experiments.table import MeasuredTable


@dataclass(frozen=True)
class Point:
    """One point of one experiment's grid.

    Attributes
    ----------
    experiment : str
        The experiment's name.
    sweep : dict
        The swept keys and their values here; empty without a sweep.
    table : MeasuredTable
        The experiment with these values in place, fully checked.
    """

    experiment: str
    sweep: dict[str, Any]
    table: MeasuredTable

    @property
    def compiled(self) -> Experiment[Any]:
        """What answers every question about the point; made once."""
        return self.table.compiled
