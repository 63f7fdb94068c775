"""Runs with the gradients of selected workers: times → who is first → descent; what it costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import Batch
from fastgc.experiments.training.table import TrainingTable
from fastgc.latency.draws import Draws
from fastgc.training.data.data import Data
from fastgc.training.selected import Selecting
from fastgc.training.selections import All, Selection

Values = NDArray[np.float64]


class Selected:
    """Training in which only some workers, or groups of them, compute a gradient.

    Parameters
    ----------
    wanted : set of str
        Curves to be computed.

    Attributes
    ----------
    drawn : int
        Numbers that an iteration of a run draws.
    """

    def __init__(
        self, table: TrainingTable, selection: Selection, wanted: set[str], data: Data
    ) -> None:
        self._wanted = wanted
        self.drawn = selection.workers
        self._training = Selecting(
            table.problem, data, table.optimizer, selection, table.iterations
        )
        self._draws = None
        if "time" in wanted or selection.needs_times:
            assert table.latency is not None  # or the study is refused
            self._draws = Draws(table.latency, self.drawn, table.work, table.scaling)

    def curves(self, batch: Batch, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs."""
        times = None if self._draws is None else self._draws.times(batch)
        runs = self._training.run(times, batch)
        curves = {
            "loss": runs.loss,
            "downloads": runs.downloads,
            "uploads": runs.uploads,
            "gradients": runs.gradients,
        }
        if runs.time is not None:
            curves["time"] = runs.time
        return {name: curve for name, curve in curves.items() if name in self._wanted}


def certain(selection: Selection) -> frozenset[str]:
    """Curves that chance has no part in."""
    found = {"downloads", "uploads", "gradients"}
    if (selection.batch is not None and selection.batch_order == "random") or selection.needs_times:
        return frozenset(found if isinstance(selection, All) else ())
    return frozenset(found | {"loss"})
