"""Closed forms of completion from the wider literature: plain stars, MDS codes, replication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastgc.theory.known.completion import (
    chosen,
    decodable_forms,
    groups_answer,
    law_of_time,
    load_form,
    receive,
    star_forms,
    time_forms,
)
from fastgc.theory.literature.replicated_times import (
    frc_completion_mean,
    frc_completion_tail,
    frc_completion_variance,
)
from fastgc.theory.papers.closed_form import ClosedForm

_STAR = "literature.order-statistics.exponential.derived"
_REPLICATION = "literature.frc.completion.derived"

#: Above it the probability that groups answer takes seconds.
_LARGEST = 128


def completion_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Closed forms for uncoded, ignore-stragglers, k-of-n and replication.

    >>> forms = completion_forms({
    ...     "kind": "completion",
    ...     "system": {"family": "k-of-n", "n": 20, "k": 16},
    ...     "work": 16.0,
    ...     "latency": {"distribution": "exponential", "mean": 1.0},
    ...     "measure": ["time"],
    ... })
    >>> forms[0].statistic, round(forms[0].value, 6)
    ('mean', 1.514406)
    """
    system = experiment.get("system") or {}
    n = system.get("n")
    if not isinstance(n, int) or n < 1:
        return []
    return chosen(experiment, _forms(experiment, system, n))


def _forms(
    experiment: Mapping[str, Any], system: Mapping[str, Any], n: int
) -> Iterator[ClosedForm]:
    family = system.get("family")
    if family == "uncoded":
        yield from star_forms(experiment, n, n, 1.0 / n, _STAR)
    elif family == "ignore-stragglers":
        yield from star_forms(experiment, n, n - system["stragglers"], 1.0 / n, _STAR)
    elif family == "k-of-n":
        yield from star_forms(experiment, n, system["k"], 1.0 / system["k"], _STAR)
    elif family == "replication":
        yield from _replication(experiment, n, system["d"], system.get("groups"))


def _replication(
    experiment: Mapping[str, Any], n: int, d: int, groups: int | None
) -> Iterator[ClosedForm]:
    yield load_form(experiment, d / n, None)
    needed = n // d if groups is None else groups
    if experiment.get("stragglers") is not None:
        if n <= _LARGEST:
            yield from decodable_forms(
                experiment, n, lambda r: groups_answer(n, d, needed, r), None
            )
        return
    law = law_of_time(experiment, d / n)
    if law is None or receive(experiment) > 0:
        return
    moments = None
    if law.exponential is not None:
        mean, shift = law.exponential
        moments = (
            float(frc_completion_mean(n, d, mean, shift, needed)),
            float(frc_completion_variance(n, d, mean, needed)),
        )
    yield from time_forms(
        experiment,
        moments,
        lambda t: float(frc_completion_tail(n, d, law.tail(t), needed)),
        _REPLICATION,
    )
