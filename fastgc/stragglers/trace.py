"""Stragglers as they were recorded: who was slower than a threshold, row by row."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns, Words, packed
from fastgc.draws.streams import Trials
from fastgc.latency.recording import multiple_of_median
from fastgc.latency.traces import TraceMember
from fastgc.registry import register
from fastgc.registry.cached import cached_property
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import Stragglers
from fastgc_kernels.draw.pattern_words import draw_rows, replay_rows, take_rows


@register("stragglers")
class Trace(TraceMember, Stragglers):
    """Workers straggle where a recorded time exceeds ``threshold``.

    Only rows that all workers have count.

    * ``threshold`` (float or str): In the trace's unit, or a multiple of the median of all values
      that are used, like ``"1.5 median"``.
    * ``order`` ({"replay", "rows", "pooled"}): With ``replay`` (the default) each trial starts at a
      row drawn at random and goes on in order, from the last row back to the first; with ``rows``
      every iteration takes a row drawn anew, so that only what workers do together is kept; with
      ``pooled`` workers straggle independently with the share of all values above the threshold.

    >>> import fastgc
    >>> files = {"times.csv": "a,b\\n1.0,2.0\\n1.0,6.0\\n"}
    >>> result = fastgc.run({"files": files, "experiment": [{
    ...     "code": {"family": "uncoded", "n": 2},
    ...     "stragglers": {"model": "trace", "file": "times.csv", "threshold": 1.5},
    ... }]})
    >>> result["experiment1"]["error"].mean.value
    1.0
    """

    model: Literal["trace"] = "trace"
    threshold: float | str
    order: Literal["replay", "rows", "pooled"] = "replay"

    @pydantic.field_validator("threshold")
    @classmethod
    def _positive(cls, threshold: float | str) -> float | str:
        multiple_of_median(threshold, np.ones(1))
        return threshold

    @property
    def limit(self) -> float:
        """The threshold in the trace's unit."""
        return self.trace.threshold(self.threshold)

    def identity(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "order": self.order,
            "threshold": self.limit,
            "sha256": self.trace.digest,
        }

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return self.layout_complaints(n)

    def bind(self, code: Code | None) -> PatternLaw:
        """Return the stragglers in the order asked for: `Replay`, `Rows` or `Iid`."""
        if self.order == "pooled":
            return Iid(p=float(np.mean(self.trace.pooled > self.limit)))
        survived = self.trace.rows <= self.limit
        return (Replay if self.order == "replay" else Rows)(survived.shape[1], survived.tobytes())


@dataclass(frozen=True)
class _Patterns(PatternLaw):
    """Recorded patterns of n workers; ``survived`` says row after row, in a byte, who did."""

    n: int
    survived: bytes

    @cached_property
    def packed_rows(self) -> Words:
        """The recorded patterns, packed (rows, words)."""
        return packed(np.frombuffer(self.survived, bool).reshape(-1, self.n))

    def _draw_rows(self, batch: Trials, purpose: str, out: Any) -> None:
        count = np.uint64(len(self.packed_rows))
        draw_rows(count, np.uint64(batch.first), batch.trials, batch.key(purpose), out)

    def distribution(self, n: int) -> Values:
        """Return the share of recorded rows that every pattern has, (2ⁿ,)."""
        return np.bincount(self._patterns, minlength=1 << n) / len(self.packed_rows)

    def survivor_counts(self, n: int) -> Values:
        """Return the share of recorded rows that has every number of survivors, (n + 1,)."""
        numbers = np.frombuffer(self.survived, bool).reshape(-1, self.n).sum(axis=1)
        return np.bincount(numbers, minlength=n + 1) / len(numbers)

    @property
    def _patterns(self) -> Any:
        return self.packed_rows[:, 0].astype(np.int64)


@dataclass(frozen=True)
class Rows(_Patterns):
    """Every iteration takes one of the recorded patterns, all rows alike."""

    def draw(self, n: int, batch: Trials) -> Patterns:
        rows = np.empty(batch.iterations * batch.trials, np.int64)
        self._draw_rows(batch, "straggle", rows)
        taken = np.empty((rows.size, self.packed_rows.shape[1]), np.uint64)
        take_rows(self.packed_rows, rows, taken)
        return Patterns(n, batch, packed=taken)

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values]:
        return np.ones(1), np.array([np.mean(values[self._patterns])])


@dataclass(frozen=True)
class Replay(_Patterns):
    """Recorded patterns in their order, from a row drawn once a trial."""

    def draw(self, n: int, batch: Trials) -> Patterns:
        starts = np.empty(batch.trials, np.int64)
        self._draw_rows(batch, "class", starts)
        taken = np.empty((batch.iterations * batch.trials, self.packed_rows.shape[1]), np.uint64)
        replay_rows(self.packed_rows, starts, taken)
        return Patterns(n, batch, packed=taken)

    def lagged(self, n: int, first: Values, second: Values, lag: int) -> float:
        return float(np.mean(first[self._patterns] * second[np.roll(self._patterns, -lag)]))
