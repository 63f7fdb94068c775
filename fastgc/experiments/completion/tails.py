"""P(> threshold) of a completion experiment whose law is not known, one threshold at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastgc.draws import streams
from fastgc.errors import FastgcError
from fastgc.experiments.completion.exact import answering
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.experiment import Found
from fastgc.registry.cached import cached_property
from fastgc.statistics.bounded import Bounded
from fastgc.systems.timing.laws import Tail, tail

#: What is exceeded so often is sampled as well without a road of its own.
_OFTEN = 0.5


class Tails:
    """How likely times above the thresholds are.

    Parameters
    ----------
    scenario : Scenario
    measure : sequence of str
        What is asked for.
    thresholds : sequence of float
        Of the time and of the waiting.
    """

    def __init__(
        self, scenario: Scenario, measure: Sequence[str], thresholds: Sequence[float]
    ) -> None:
        self._scenario = scenario
        self._measure = measure
        self._thresholds = thresholds

    @cached_property
    def tail(self) -> Tail | None:
        """The tail of the completion time; None where nobody asks for it, or none is known."""
        scenario = self._scenario
        asked = {"time", "waiting"} & set(self._measure)
        if not (asked and self._thresholds) or scenario.times is None:
            return None
        try:
            structure, answers = answering(scenario)
            return tail(
                structure, scenario.times, scenario.port.receive, scenario.port.opens, answers
            )
        except FastgcError:
            return None

    def rows(self, seed: int, stream: str) -> Iterator[Found]:
        """Every P(> threshold) that is known; what is drawn for it depends on seed and stream."""
        if self.tail is None:
            return
        key = streams.key(seed, stream, "tail")
        for quantity in self._measure:
            less = {"time": 0.0, "waiting": self._scenario.busy}.get(quantity)
            if less is None:
                continue
            for threshold in self._thresholds:
                found = self.tail.above(threshold + less, key)
                if not (isinstance(found, Bounded) and found.floor >= _OFTEN):
                    yield quantity, f"P(>{threshold!r})", None, found
