"""A study whose numbers are known: how it is sampled, and what is promised of its intervals."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unittest.mock import patch

from bench import intervals
from bench.intervals import Promise
from fastgc.draws import streams
from fastgc.engine import blocks
from fastgc.engine.blocks import Limits
from fastgc.engine.executors.pool import Pool
from fastgc.engine.units import Unit
from fastgc.runs.plan import Plan, precision_rule
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study

Table = dict[str, Any]
#: Experiment, quantity, statistic, index.
Key = tuple[str, str, str, int | None]
Ends = tuple[float | None, float | None]

BAND = Promise(0.935, 0.965)
FLOOR = Promise(0.935)
#: Of the truth: what two methods differ in by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Target:
    """A number whose intervals are counted: what people call it, its row and promise."""

    said: str
    key: Key
    promise: Promise


@dataclass(frozen=True)
class Situation:
    """A study, how it is sampled, and the numbers that are looked at.

    ``block``: most trials of a block: fewer where a stop rule is to look often; ``first``: trials
    of a run that is then extended; 0 for none; ``shards``: sampled in so many, which are merged.
    """

    name: str
    experiments: tuple[Table, ...]
    stop: Table
    numbers: tuple[Target, ...]
    block: int = streams.LARGEST_BLOCK
    first: int = 0
    shards: int = 1
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
        """Each number's truth, by the exact method."""
        known: dict[Any, Any] = {}
        for point in self.plan.points:
            for quantity, statistic, index, estimate in point.compiled.exact_method.statistics():
                known[point.experiment, quantity, statistic, index] = estimate.value
        for name, quantity, statistic, index in {
            number.key for number in self.numbers
        } - known.keys():
            upper, lower = (known[each, quantity, "mean", index] for each in name.split("/"))
            known[name, quantity, statistic, index] = upper / lower
        return known

    def hits(self, seed: int) -> Counter[str]:
        """Sample once; count the intervals that hold their truth, and all trials."""
        with patch.object(streams, "LARGEST_BLOCK", self.block):
            ends, trials = self._intervals(seed)
        found = Counter({"trials": trials})
        for number in self.numbers:
            found[number.said] += _holds(ends[number.key], self.truths[number.key])
        return found

    @property
    def counted(self) -> intervals.Setting:
        """What is promised, and how it is counted."""
        promises = {number.said: number.promise for number in self.numbers}
        return intervals.Setting(
            self.name,
            promises,
            self.hits,
            lambda found, runs: f"{found['trials'] / runs:.0f} trials",
        )

    def _intervals(self, seed: int) -> tuple[dict[Key, Ends], int]:
        ends: dict[Key, Ends] = {}
        trials = 0
        for planned in self.plan.units:
            unit = Unit(planned.points, seed, planned.stream, together=planned.together)
            tally = self._sampled(unit)
            trials += tally.trials
            for point, quantity, statistic, index, estimate in unit.rows(tally):
                ends[point.experiment, quantity, statistic, index] = estimate.interval()  # type: ignore[index]
            if unit.together:
                upper, lower = (point.experiment for point in unit.points)
                quantity = unit.points[0].table.measure[0]
                ratio = unit.compare(tally, 0, 1, "ratio").interval()
                ends[f"{upper}/{lower}", quantity, "ratio", None] = ratio
        return ends, trials

    def _sampled(self, unit: Unit) -> Tally:
        stop = self.plan.study.stop
        tallies: list[Tally] = []
        for own in range(self.shards):
            stored = unit.fresh()
            precision = precision_rule(stop) if self.shards == 1 else None
            runs = [Limits(self.first)] * (self.first > 0) + [Limits(stop.trials, precision)]
            for limits in runs:
                pool = Pool(_Here(), lambda: 1)
                list(blocks.sample(unit, stored, limits, pool, (own, self.shards)))
            tallies.append(stored.total())
        for other in tallies[1:]:
            tallies[0].merge(other)
        return tallies[0]


class _Here(Executor):
    """Runs tasks at once, where they are handed out."""

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*arguments, **named))
        return future


def _holds(ends: Ends, truth: float) -> bool:
    slack = ROUNDING * abs(truth)
    low, high = ends
    return (low is None or low <= truth + slack) and (high is None or truth - slack <= high)
