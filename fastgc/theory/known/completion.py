"""What can be known of a system, and the closed forms that follow for a completion experiment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.theory.known.straggler_law import law_of
from fastgc.theory.known.time_law import TimeLaw, time_law
from fastgc.theory.papers.claim import ClosedForm

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Time:
    """Mean and variance of the completion time, where known, and P(T > t)."""

    moments: tuple[float, float] | None
    tail: Callable[[float], float]


@dataclass(frozen=True)
class Known:
    """What is known of a system.

    Attributes
    ----------
    load
        A worker's share of the work.
    time
        Completion time from the law of a worker's time; None where it is not known.
    claim
        Id of the claim that tests the mean completion time for exponential times.
    decodable
        Probability to be ever done under a table of stragglers; None where it is not known.
    messages
        Number of messages where all answer.
    port
        Whether ``time`` holds where a port takes the messages one by one.
    tasks
        Number of a worker's tasks, where the ``load`` of a study is that of one task.
    task
        Share of the work whose time is the law's; ``load`` by default.
    load_claim, decodable_claim
        Ids of the claims that test the load and the probability to be done.
    """

    load: float
    time: Callable[[TimeLaw], Time | None]
    claim: str
    decodable: Callable[[Table], float | None]
    messages: float | None = None
    port: bool = False
    tasks: int = 1
    task: float | None = None
    load_claim: str | None = None
    decodable_claim: str | None = None


def receive(experiment: Table) -> float:
    """Seconds that a port takes for a message; 0 is no port."""
    return float((experiment.get("port") or {}).get("receive") or 0.0)


def if_answered(n: int, given: Callable[[int], float]) -> Callable[[Table], float | None]:
    """Probability to be ever done, from that given r of n workers that answer."""

    def decodable(stragglers: Table) -> float | None:
        law = law_of(n, stragglers)
        if law is None:
            return None
        return min(math.fsum(law.survivors[r] * given(r) for r in law.possible), 1.0)

    return decodable


def completion_forms(experiment: Table, known: Known) -> Iterator[ClosedForm]:
    """Load, messages and time where all workers answer, else the probability to be done."""
    given, stragglers = experiment["system"].get("load"), experiment.get("stragglers")
    load = known.load if given is None else known.tasks * given
    yield ClosedForm("load", "mean", None, float(load), known.load_claim)
    if stragglers is not None:
        chance = known.decodable(stragglers)
        if chance is not None:
            yield ClosedForm("decodable", "mean", None, chance, known.decodable_claim)
        return
    if known.messages is not None:
        yield ClosedForm("messages", "mean", None, known.messages, None)
    if receive(experiment) == 0 or known.port:
        task = known.load if known.task is None else known.task
        yield from _time_forms(experiment, known, task if given is None else given)


def _time_forms(experiment: Table, known: Known, task: float) -> Iterator[ClosedForm]:
    work, scaling = experiment.get("work") or 1.0, experiment.get("scaling") or "server-dependent"
    law = time_law(experiment.get("latency"), task * work, scaling)
    time = None if law is None else known.time(law)
    if law is None or time is None:
        return
    if time.moments is not None:
        claim = None if law.exponential is None else known.claim
        yield ClosedForm("time", "mean", None, time.moments[0], claim)
        yield ClosedForm("time", "variance", None, time.moments[1], None)
    for threshold in experiment.get("thresholds") or ():
        yield ClosedForm("time", f"P(>{float(threshold)!r})", None, time.tail(threshold), None)
