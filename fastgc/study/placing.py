"""Which worker of a design takes which place of a system: by mean times, as rows or laws tell."""

from collections.abc import Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.latency.empirical import Empirical
from fastgc.latency.traces import Trace
from fastgc.systems.system import System


class Placement:
    """Places by the order ``fastest`` of all workers, None where they are alike by law."""

    def __init__(self, fastest: Sequence[int] | None) -> None:
        self.fastest = None if fastest is None else tuple(fastest)
        self._traces: dict[tuple[int, tuple[int, ...]], tuple[Trace, Trace]] = {}

    def places(self, system: System) -> list[int] | None:
        """Return the worker of each place of a system; None where workers keep their order."""
        if self.fastest is None or system.settling_rule() is not None:
            return None
        found = system.structure().placed(self.fastest)
        return None if found == list(range(len(self.fastest))) else found

    def of(self, trace: Trace, places: Sequence[int]) -> Trace:
        """Return a trace's workers in their places; systems with equal places share one."""
        key = (id(trace), tuple(places))
        if key not in self._traces:
            self._traces[key] = trace, trace.of(places)
        return self._traces[key][1]


def fastest(laws: Sequence[Any], workers: int) -> list[int] | None:
    """Return workers by their mean times, the fastest first; None where all have one law.

    Equal means are ordered by the times themselves, so that no order of workers decides.
    """
    keys: list[tuple[float, Any]] = []
    if len(laws) > 1:
        try:
            keys = [(law.time().mean(), repr(law)) for law in laws]
        except FastgcError:  # a law that only draws has no mean that is known
            return None
    elif isinstance(laws[0], Empirical) and laws[0].order != "pooled":
        trace = laws[0].trace
        columns = trace.values if laws[0].order == "workers" else trace.rows.T
        keys = [(float(own.mean()), own.tobytes()) for own in columns if own.size]
    return sorted(range(workers), key=keys.__getitem__) if len(keys) == workers else None
