"""What is known of training by who is selected; rules but "all" have bounds only."""

from __future__ import annotations

from collections.abc import Iterator

from fastgc.theory.known.registered import selection
from fastgc.theory.known.training import Training
from fastgc.theory.papers.closed_form import ClosedForm

#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


@selection("all")
def everybody(run: Training) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time.

    >>> from fastgc.theory import closed_forms
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
    workers, batch = run.selection.get("workers"), run.selection.get("batch")
    iterations = run.experiment.get("iterations")
    if not isinstance(workers, int) or not isinstance(iterations, int) or iterations > _LONGEST:
        return
    each: dict[str, tuple[float, str]] = {
        "downloads": (workers, "communication"),
        "uploads": (workers, "communication"),
    }
    if isinstance(batch, int):
        each["gradients"] = workers * batch, "computation"
    if (law := run.time) is not None:
        each["time"] = law.order(workers, workers)[0], "time"
    for quantity, (cost, what) in each.items():
        claim = f"gcada.adam.{what}.printed"
        for iteration in range(iterations + 1):
            yield ClosedForm(quantity, "mean", iteration, float(iteration * cost), claim)
