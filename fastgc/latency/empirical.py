"""Recorded times as a law: every value of a trace with the same chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fastgc.latency.compiled import Compiled
from fastgc.latency.law import Law
from fastgc.latency.recorded import Recorded
from fastgc.latency.time import Time, Values
from fastgc.latency.traces import Trace
from fastgc.registry import register
from fastgc_kernels.draw import law_numbers


@register("latency")
class Empirical(Recorded, Law):
    """Times drawn from a trace, whose values are seconds.

    Parameters
    ----------
    order : {"pooled", "workers", "rows", "replay"}
        ``pooled`` (the default) takes every value of every worker as one law; ``workers`` is one
        law a worker; ``rows`` and ``replay`` also take each worker's own values, whole rows at a
        time, drawn anew or in order, and so keep what goes on together: whoever needs independent
        workers must refuse them.
    """

    distribution: Literal["empirical"] = "empirical"
    order: Literal["pooled", "workers", "rows", "replay"] = "pooled"

    def rest(self) -> Time:
        """Return the law of all values; `of_worker` gives one worker's."""
        return SampleTime(self.trace.pooled)

    def of_worker(self, j: int) -> Law:
        """Return the law of worker j's values; of rows, where rows are taken."""
        if self.order == "pooled":
            return self
        values = self.trace.values[j]
        if self.order != "workers":
            values = self.trace.rows[:, j]
        own = self.model_copy(update={"order": "pooled"})
        own._trace = Trace((self.trace.workers[j],), (values,))
        return own

    def identity(self) -> dict[str, Any]:
        """Name the values by their content."""
        return {
            "distribution": self.distribution,
            "order": self.order,
            "sha256": self.trace.digest,
        }

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) where there are not n workers; a pool fits any number."""
        return [] if self.order == "pooled" else self.layout_complaints(n)


@dataclass(frozen=True, eq=False)
class SampleTime(Time):
    """One of the given values, all alike."""

    values: Values
    _sorted: Values = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Sort the values, which every question is asked of."""
        object.__setattr__(self, "_sorted", np.sort(self.values))

    def survival(self, t: ArrayLike) -> Values:
        """Return the share of values > t."""
        size = self._sorted.size
        return np.asarray((size - np.searchsorted(self._sorted, t, "right")) / size)

    def cdf(self, t: ArrayLike) -> Values:
        """Return the share of values ≤ t."""
        return np.asarray(np.searchsorted(self._sorted, t, "right") / self._sorted.size)

    def quantile(self, u: ArrayLike) -> Values:
        """Return the smallest value with a share of at least u up to it; the minimum for u = 0."""
        size = self._sorted.size
        place = np.ceil(np.asarray(u, float) * size).astype(np.int64) - 1
        return np.asarray(self._sorted[np.clip(place, 0, size - 1)])

    def upper_quantile(self, v: ArrayLike) -> Values:
        """Return the smallest value with a share of at most v above it."""
        size = self._sorted.size
        place = size - 1 - np.floor(np.asarray(v, float) * size).astype(np.int64)
        return np.asarray(self._sorted[np.clip(place, 0, size - 1)])

    def mean(self) -> float:
        """Return the average."""
        return float(np.mean(self.values))

    def compiled(self) -> Compiled | None:
        """Return the form that kernels know."""
        return Compiled(law_numbers.VALUES, np.concatenate([[0.0, 1.0], self._sorted]))
