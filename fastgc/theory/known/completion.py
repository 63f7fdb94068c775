"""A completion experiment, and forms that all systems state alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.theory.known.straggler_law import law_of
from fastgc.theory.known.time_law import TimeLaw, time_law
from fastgc.theory.papers.closed_form import ClosedForm

Moments = tuple[float, float]


@dataclass(frozen=True)
class Completion:
    """One ``[[experiment]]`` table of completion."""

    experiment: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, ...]:
        """What the rule for the experiment goes by: the system's family."""
        return "completion", str(self.system.get("family"))

    @property
    def system(self) -> Mapping[str, Any]:
        """The table of the system."""
        return self.experiment.get("system") or {}

    @property
    def n(self) -> int:
        """Number of workers, or of children; 0 where it is no whole number."""
        n = self.system.get("n")
        return n if isinstance(n, int) else 0

    @property
    def receive(self) -> float:
        """Seconds that a port takes for a message; 0 is no port."""
        return float((self.experiment.get("port") or {}).get("receive") or 0.0)

    @property
    def stragglers(self) -> Mapping[str, Any] | None:
        """The table of stragglers, None where all workers answer."""
        return self.experiment.get("stragglers")

    def time_of(self, share: float, port: bool = False) -> TimeLaw | None:
        """Law of the time of a worker with so much of the work, where there are closed forms.

        Only where all workers answer, as with stragglers the time is conditional; and without a
        port, unless closed forms with one are known.
        """
        if self.stragglers is not None or (self.receive > 0 and not port):
            return None
        load = self._share(share) * (self.experiment.get("work") or 1.0)
        scaling = self.experiment.get("scaling") or "server-dependent"
        return time_law(self.experiment.get("latency"), load, scaling)

    def load_form(self, share: float, claim: str | None = None) -> ClosedForm:
        """The measure ``load``: the share of the work, or what replaces it."""
        return ClosedForm("load", "mean", None, float(self._share(share)), claim)

    def time_forms(
        self, moments: Moments | None, tail: Callable[[float], float], claim: str | None
    ) -> Iterator[ClosedForm]:
        """Mean and variance of the time, where known, and its P(> t) at the thresholds."""
        if moments is not None:
            yield ClosedForm("time", "mean", None, moments[0], claim)
            yield ClosedForm("time", "variance", None, moments[1], None)
        for threshold in self.experiment.get("thresholds") or ():
            yield ClosedForm("time", f"P(>{float(threshold)!r})", None, tail(threshold), None)

    def decodable_form(self, n: int, given: Callable[[int], float]) -> Iterator[ClosedForm]:
        """Probability to be ever done, from that given r workers that answer."""
        law = law_of(n, self.stragglers or {})
        if law is not None:
            value = math.fsum(law.survivors[r] * given(r) for r in law.possible)
            yield ClosedForm("decodable", "mean", None, min(float(value), 1.0), None)

    def _share(self, share: float) -> float:
        """The share of the work, or the load that replaces it."""
        given = self.system.get("load")
        return share if given is None else float(given)
