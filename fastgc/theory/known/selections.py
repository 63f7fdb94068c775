"""What is known of training by who is selected; rules but "all" have bounds only."""

from __future__ import annotations

from collections.abc import Iterator

from fastgc.theory.known.completion import Table
from fastgc.theory.known.registered import selection
from fastgc.theory.known.time_law import time_law
from fastgc.theory.papers.claim import ClosedForm

#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


@selection("all")
def everybody(experiment: Table) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time."""
    workers, batch = (experiment["selection"].get(key) for key in ("workers", "batch"))
    iterations = experiment.get("iterations")
    if not isinstance(workers, int) or not isinstance(iterations, int) or iterations > _LONGEST:
        return
    each: dict[str, tuple[float, str]] = {
        "downloads": (workers, "communication"),
        "uploads": (workers, "communication"),
    }
    if isinstance(batch, int):
        each["gradients"] = workers * batch, "computation"
    work, scaling = experiment.get("work") or 1.0, experiment.get("scaling") or "server-dependent"
    law = time_law(experiment.get("latency"), work, scaling)
    if law is not None:
        each["time"] = law.order(workers, workers)[0], "time"
    for quantity, (cost, what) in each.items():
        claim = f"gcada.adam.{what}.printed"
        for iteration in range(iterations + 1):
            yield ClosedForm(quantity, "mean", iteration, float(iteration * cost), claim)
