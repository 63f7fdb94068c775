"""A situation whose numbers are known: how it is sampled, and what is promised of its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastgc.draws.streams import LARGEST_BLOCK
from fastgc.runs.plan import Plan
from fastgc.study.study import Study

Table = dict[str, Any]
#: Experiment, quantity, statistic, index.
Key = tuple[str, str, str, int | None]


@dataclass(frozen=True)
class Promise:
    """The shares of intervals between which the truth may be covered; None promises nothing."""

    least: float | None
    most: float | None = None

    def __str__(self) -> str:
        """Return it in percent."""
        if self.least is None:
            return "no promise"
        if self.most is None:
            return f"≥ {100 * self.least:g}"
        return f"{100 * self.least:g}–{100 * self.most:g}"


BAND = Promise(0.935, 0.965)
FLOOR = Promise(0.935)
NONE = Promise(None)


@dataclass(frozen=True)
class Number:
    """A number whose intervals are counted: what people call it, its row, promise and truth."""

    said: str
    key: Key
    promise: Promise
    truth: float | None = None


@dataclass(frozen=True)
class Situation:
    """A study, how it is sampled, and the numbers that are looked at.

    Attributes
    ----------
    block : int
        Most trials of a block: fewer where a stop rule is to look often.
    first : int
        Trials of a run that is then extended; 0 for none.
    shards : int
        Sampled in so many, which are merged.
    kept : bool
        Whether quantiles are those of kept samples.
    """

    name: str
    experiments: tuple[Table, ...]
    stop: Table
    numbers: tuple[Number, ...]
    block: int = LARGEST_BLOCK
    first: int = 0
    shards: int = 1
    kept: bool = False
    ratio: bool = False

    @cached_property
    def plan(self) -> Plan:
        """The study's units; those of a ratio see common random numbers."""
        names = [each["name"] for each in self.experiments]
        study = {
            "experiment": [{"method": "monte-carlo", **each} for each in self.experiments],
            "stop": self.stop,
            "common_random_numbers": self.ratio,
            "ratio": [names] if self.ratio else [],
        }
        return Plan.of(Study.parse(study))

    @cached_property
    def truths(self) -> dict[Key, float]:
        """Each number's truth."""
        known = {number.key: number.truth for number in self.numbers if number.truth is not None}
        missing = {number.key for number in self.numbers} - known.keys()
        for point in self.plan.points if missing else ():
            for quantity, statistic, index, estimate in point.compiled.exact_method.rows():
                known[point.experiment, quantity, statistic, index] = estimate.value  # type: ignore[index]
        for name, quantity, statistic, index in missing - known.keys():
            upper, lower = (known[each, quantity, "mean", index] for each in name.split("/"))
            known[name, quantity, statistic, index] = upper / lower
        return {key: value for key, value in known.items() if value is not None}
