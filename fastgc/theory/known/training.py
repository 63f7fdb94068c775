"""A training experiment, as far as closed forms know it: who is selected, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.theory.known.time_law import TimeLaw, time_law


@dataclass(frozen=True)
class Training:
    """One ``[[experiment]]`` table of training."""

    experiment: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, ...]:
        """What the rule for the experiment goes by: the method that selects workers."""
        return "training", str(self.selection.get("method"))

    @property
    def selection(self) -> Mapping[str, Any]:
        """The table of the selection."""
        return self.experiment.get("selection") or {}

    @property
    def time(self) -> TimeLaw | None:
        """Law of the time of a worker's iteration, where there are closed forms."""
        work = float(self.experiment.get("work") or 1.0)
        scaling = str(self.experiment.get("scaling") or "server-dependent")
        return time_law(self.experiment.get("latency"), work, scaling)
