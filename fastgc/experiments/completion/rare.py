"""The method for rare completion times: P(> threshold) alone, where the law is not known."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastgc.draws import streams
from fastgc.errors import FastgcError
from fastgc.experiments.completion.exact import answering
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.completion.table import CompletionTable
from fastgc.experiments.methods import Asked, RareFound, RareMethod, Sampling
from fastgc.registry.cached import cached_property
from fastgc.results.rows import EXACT, UNION_SAMPLING
from fastgc.statistics import strata
from fastgc.statistics.estimates import Estimate
from fastgc.systems.timing.laws import ExactTail, SampledTail, tail
from fastgc.systems.timing.laws.tail import Union

#: What is exceeded so often, trials show as well.
_OFTEN = 0.5


@dataclass(frozen=True, eq=False)
class RareTimes(RareMethod):
    """The probabilities of times, and of waiting, above an experiment's thresholds."""

    table: CompletionTable
    scenario: Scenario
    tail: ExactTail | SampledTail  #: Of the completion time.
    _unions: dict[float, Union] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, table: CompletionTable, scenario: Scenario) -> RareTimes | None:
        """Return the method; None where no threshold is asked for, or no tail is known."""
        asked = {"time", "waiting"} & set(table.measure)
        if not (asked and table.thresholds) or scenario.times is None:
            return None
        try:
            structure, answers = answering(scenario)
            port = scenario.port
            found = tail(structure, scenario.times, port.receive, port.opens, answers)
        except FastgcError:
            return None
        return cls(table, scenario, found)

    @cached_property
    def events(self) -> tuple[tuple[str, float, float], ...]:
        """Quantity, threshold, and the completion time that is exceeded with it."""
        less = {"time": 0.0, "waiting": self.scenario.busy}
        return tuple(
            (quantity, threshold, threshold + own)
            for quantity in self.table.measure
            if (own := less.get(quantity)) is not None
            for threshold in self.table.thresholds
        )

    def rows(self, asked: Asked, sampling: Sampling) -> Iterator[RareFound]:
        """Rows of all events that are rare enough, with the method of each."""
        for place, (quantity, threshold, t) in enumerate(self.events):
            named = quantity, f"P(>{threshold!r})", None
            if named in asked.known:
                continue
            if isinstance(self.tail, ExactTail):
                yield EXACT, (*named, self._not_surely_zero(self.tail.above(t)))
                continue
            union = self._union(t)
            if union.least >= _OFTEN and not asked.always:
                continue
            found = union.chance(partial(sampling, place), asked.relative, asked.trials)
            yield UNION_SAMPLING, (*named, self._not_surely_zero(found))

    def _not_surely_zero(self, found: Estimate) -> Estimate:
        """The probability, with bounds where it may be 0 by rounding alone: times have no end."""
        times = self.scenario.times or ()
        if all(math.isfinite(float(time.quantile(1.0))) for time in times):
            return found
        return strata.not_surely_zero(found)

    def part(self, place: int, seed: int, first: int, islands: int) -> NDArray[np.float64]:
        """What islands of one event give; see `fastgc.experiments.methods.Sampling`."""
        quantity, threshold, t = self.events[place]
        key = streams.key(seed, f"{self._stream} {quantity} {threshold!r}", "tail")
        return self._union(t).islands(key, first, islands)

    def _union(self, t: float) -> Union:
        if t not in self._unions:
            assert isinstance(self.tail, SampledTail)
            self._unions[t] = self.tail.union(t)
        return self._unions[t]

    @cached_property
    def _stream(self) -> str:
        """Names the draws: of all that decides a trial."""
        table = self.table
        own = [part.identity() for part in (table.system, *table.latency)]
        stragglers = None if table.stragglers is None else table.stragglers.identity()
        port = table.port.model_dump()
        parts = [own, stragglers, port, table.work, table.scaling]
        return json.dumps(parts, sort_keys=True, default=str)
