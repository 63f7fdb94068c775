"""What is known of tasks in layers, of which layer j needs k_j answers."""

from __future__ import annotations

from collections.abc import Iterator

from fastgc.theory import hierarchical
from fastgc.theory.known.completion import Completion
from fastgc.theory.known.registered import system
from fastgc.theory.papers.closed_form import ClosedForm

#: Staircase probabilities of more take seconds.
_LARGEST = 400


@system("hierarchical")
def layers(run: Completion) -> Iterator[ClosedForm]:
    """Load, probability to be ever done, and exponential times of one speed a worker.

    >>> from fastgc.theory import closed_forms
    >>> forms = closed_forms({
    ...     "kind": "completion",
    ...     "system": {"family": "hierarchical", "n": 4, "k": [3, 2]},
    ...     "latency": {"distribution": "exponential", "mean": 1.0},
    ...     "measure": ["time"],
    ... })
    >>> forms[0].statistic, round(forms[0].value, 9)
    ('mean', 1.366666667)
    """
    n, k = run.n, run.system.get("k")
    if k is None or not 1 <= n <= _LARGEST or len(k) > _LARGEST:
        return
    task = run.system.get("load")
    load = len(k) / sum(k) if task is None else len(k) * task
    yield ClosedForm("load", "mean", None, float(load), None)
    if run.stragglers is not None:
        yield from run.decodable_form(n, lambda r: float(r >= max(k)))
        return
    law = run.time_of(1.0)
    one_speed = (run.system.get("draws") or "speed") == "speed"
    if law is None or law.exponential is None or not one_speed:
        return
    mean, shift = law.exponential
    yield from run.time_forms(
        (
            hierarchical.finishing_mean(n, k, mean, shift),
            hierarchical.finishing_variance(n, k, mean, shift),
        ),
        lambda t: 1.0 - hierarchical.finishing_probability(n, k, t, mean, shift),
        "hierarchical.mean.derived",
    )
