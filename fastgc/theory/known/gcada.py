"""Which closed forms of paper gcada apply to an experiment: training that selects all workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastgc.theory.known.completion import chosen
from fastgc.theory.known.time_law import time_law
from fastgc.theory.papers.closed_form import ClosedForm

#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form of paper gcada that applies to an experiment.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Training
        with a selection of all workers: what it costs after 0 … L iterations, and its mean time
        for the laws of `fastgc.theory.known.time_law`. What other rules select has bounds only.

    Examples
    --------
    >>> forms = closed_forms({
    ...     "kind": "training",
    ...     "selection": {"method": "all", "workers": 12, "batch": 1},
    ...     "latency": {"distribution": "exponential", "mean": 1e-4},
    ...     "iterations": 2,
    ...     "measure": ["time", "uploads"],
    ... })
    >>> [(form.quantity, form.index, round(form.value, 8)) for form in forms if form.index == 2]
    [('uploads', 2, 24.0), ('time', 2, 0.00062064)]
    """
    selection = experiment.get("selection") or {}
    if experiment.get("kind", "decoding") != "training" or selection.get("method") != "all":
        return []
    workers, iterations = selection.get("workers"), experiment.get("iterations")
    if not isinstance(workers, int) or not isinstance(iterations, int) or iterations > _LONGEST:
        return []
    return chosen(experiment, _forms(experiment, selection, workers, iterations))


def _forms(
    experiment: Mapping[str, Any], selection: Mapping[str, Any], workers: int, iterations: int
) -> Iterator[ClosedForm]:
    each: dict[str, tuple[float, str]] = {
        "downloads": (workers, "gcada.adam.communication.printed"),
        "uploads": (workers, "gcada.adam.communication.printed"),
    }
    batch = selection.get("batch")
    if isinstance(batch, int):
        each["gradients"] = workers * batch, "gcada.adam.computation.printed"
    law = time_law(
        experiment.get("latency"),
        float(experiment.get("work") or 1.0),
        str(experiment.get("scaling") or "server-dependent"),
    )
    if law is not None:
        mean, _ = law.order(workers, workers)
        each["time"] = mean, "gcada.adam.time.printed"
    for quantity, (cost, claim) in each.items():
        for iteration in range(iterations + 1):
            yield ClosedForm(quantity, "mean", iteration, float(iteration * cost), claim)
