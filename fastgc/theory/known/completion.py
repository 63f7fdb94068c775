"""Closed forms of completion experiments, built from what a paper knows of its systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fastgc.theory.common.combinatorics import hypergeometric
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.known.straggler_law import law_of
from fastgc.theory.known.time_law import TimeLaw, time_law
from fastgc.theory.papers.closed_form import ClosedForm

Moments = tuple[float, float]


def is_completion(experiment: Mapping[str, Any]) -> bool:
    """Whether a table is one of completion."""
    return bool(experiment.get("kind", "decoding") == "completion")


def chosen(experiment: Mapping[str, Any], forms: Iterator[ClosedForm]) -> list[ClosedForm]:
    """The forms of the measures that the experiment asks for; what is infinite is left out."""
    measures = experiment.get("measure")
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def receive(experiment: Mapping[str, Any]) -> float:
    """Seconds that a port takes for a message; 0 is no port."""
    return float((experiment.get("port") or {}).get("receive") or 0.0)


def law_of_time(experiment: Mapping[str, Any], share: float) -> TimeLaw | None:
    """Law of the time of a worker with so much of the work, where there are closed forms.

    Only where all workers answer: with stragglers the time is conditional.
    """
    if experiment.get("stragglers") is not None:
        return None
    given = experiment["system"].get("load")
    load = (share if given is None else given) * (experiment.get("work") or 1.0)
    scaling = experiment.get("scaling") or "server-dependent"
    return time_law(experiment.get("latency"), load, scaling)


def load_form(experiment: Mapping[str, Any], share: float, claim: str | None) -> ClosedForm:
    """The measure ``load``: the share of the work, or what replaces it."""
    given = experiment["system"].get("load")
    return ClosedForm("load", "mean", None, float(share if given is None else given), claim)


def time_forms(
    experiment: Mapping[str, Any],
    moments: Moments | None,
    tail: Callable[[float], float],
    claim: str | None,
) -> Iterator[ClosedForm]:
    """Mean and variance of the time, where known, and its P(> t) at the thresholds."""
    if moments is not None:
        yield ClosedForm("time", "mean", None, moments[0], claim)
        yield ClosedForm("time", "variance", None, moments[1], None)
    for threshold in experiment.get("thresholds") or ():
        yield ClosedForm("time", f"P(>{float(threshold)!r})", None, tail(threshold), None)


def star_forms(
    experiment: Mapping[str, Any], n: int, need: int, share: float, claim: str | None
) -> Iterator[ClosedForm]:
    """A star that waits for ``need`` of n answers, without a port where it is about time."""
    yield load_form(experiment, share, None)
    if experiment.get("stragglers") is not None:
        yield from decodable_forms(experiment, n, lambda r: float(r >= need), None)
        return
    yield ClosedForm("messages", "mean", None, float(need), None)
    law = law_of_time(experiment, share)
    if law is None or receive(experiment) > 0:
        return

    def tail(t: float) -> float:
        return float(order_tail(n, need, law.tail(t)))

    named = claim if law.exponential is not None else None
    yield from time_forms(experiment, law.order(n, need), tail, named)


def decodable_forms(
    experiment: Mapping[str, Any], n: int, given: Callable[[int], float], claim: str | None
) -> Iterator[ClosedForm]:
    """Probability to be ever done, from that given r workers that answer."""
    law = law_of(n, experiment["stragglers"])
    if law is not None:
        value = math.fsum(law.survivors[r] * given(r) for r in law.possible)
        yield ClosedForm("decodable", "mean", None, min(float(value), 1.0), claim)


def groups_answer(n: int, d: int, needed: int, survivors: int) -> float:
    """Probability that at least so many groups of d have one of r survivors.

    >>> groups_answer(4, 2, 2, 2)
    0.6666666666666666
    """
    states = {(survivors, 0): 1.0}
    for group in range(n // d):
        left = n - d * group
        after: dict[tuple[int, int], float] = {}
        for (alive, reached), chance in states.items():
            here = hypergeometric(left, alive, d)
            for i, p in enumerate(here):
                if p:
                    place = (alive - i, reached + (i > 0))
                    after[place] = after.get(place, 0.0) + chance * p
        states = after
    chances = [0.0] * (n // d + 1)
    for (_, reached), chance in states.items():
        chances[reached] += chance
    return math.fsum(chances[needed:])
