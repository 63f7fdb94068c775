"""Which closed forms of paper hierarchical apply to an experiment: layered tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgc.theory.hierarchical.time import (
    finishing_mean,
    finishing_probability,
    finishing_variance,
)
from fastgc.theory.known.completion import (
    chosen,
    decodable_forms,
    is_completion,
    law_of_time,
    receive,
    time_forms,
)
from fastgc.theory.papers.closed_form import ClosedForm

#: Staircase probabilities of more take seconds.
_LARGEST = 400


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form of paper hierarchical that applies to an experiment.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Layers
        given by ``k``, one speed a worker, no port, exponential times.

    Examples
    --------
    >>> forms = closed_forms({
    ...     "kind": "completion",
    ...     "system": {"family": "hierarchical", "n": 4, "k": [3, 2]},
    ...     "latency": {"distribution": "exponential", "mean": 1.0},
    ...     "measure": ["time"],
    ... })
    >>> forms[0].statistic, round(forms[0].value, 9)
    ('mean', 1.366666667)
    """
    if not is_completion(experiment):
        return []
    system = experiment.get("system") or {}
    n, k = system.get("n"), system.get("k")
    if system.get("family") != "hierarchical" or k is None or not isinstance(n, int):
        return []
    if n > _LARGEST or len(k) > _LARGEST:
        return []
    return chosen(experiment, _forms(experiment, system, n, k))


def _forms(
    experiment: Mapping[str, Any], system: Mapping[str, Any], n: int, k: Sequence[int]
) -> Iterator[ClosedForm]:
    task = system.get("load")
    load = len(k) / sum(k) if task is None else len(k) * task
    yield ClosedForm("load", "mean", None, float(load), None)
    if experiment.get("stragglers") is not None:
        yield from decodable_forms(experiment, n, lambda r: float(r >= max(k)), None)
        return
    law = law_of_time(experiment, 1.0)
    if law is None or law.exponential is None or receive(experiment) > 0:
        return
    if (system.get("draws") or "speed") != "speed":
        return
    mean, shift = law.exponential
    moments = finishing_mean(n, k, mean, shift), finishing_variance(n, k, mean, shift)
    yield from time_forms(
        experiment,
        moments,
        lambda t: 1.0 - finishing_probability(n, k, t, mean, shift),
        "hierarchical.mean.derived",
    )
