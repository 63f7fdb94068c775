"""Cases of training experiments that the claims of several papers share."""

from collections.abc import Sequence
from typing import Any

from fastgc.theory.cases.tables import Table, exponential
from fastgc.theory.papers.claim import Case

#: Number of samples of the smallest problem.
SAMPLES = 24


def linear(samples: int, features: int) -> Table:
    """Table of linear regression on data made from a true model."""
    sizes = {"samples": samples, "features": features, "noise": 1.0}
    return {"model": "linear", "data": "synthetic", **sizes}


def amsgrad(step: float = 0.01) -> Table:
    """Table of the updates (8a)-(8c) of paper gcada."""
    return {"method": "amsgrad", "step": step}


def all_workers(workers: int, batch: int | None = None) -> Table:
    """Table of distributed Adam's choice: all workers, always, by default with all their data."""
    return {"method": "all", "workers": workers} | _given(batch=batch)


def cada(
    c: float,
    window: int,
    smoothness: Sequence[float] | str,
    workers: int,
    refresh: str,
    batch: int | None = None,
    groups: int | None = None,
) -> Table:
    """Table of CADA's choice of workers, or of G-CADA's choice of so many groups."""
    return {
        "method": "cada" if groups is None else "g-cada",
        "workers": workers,
        "c": c,
        "window": window,
        "refresh": refresh,
        "smoothness": smoothness if isinstance(smoothness, str) else list(smoothness),
        **_given(batch=batch, groups=groups),
    }


def selecting(
    selection: Table, iterations: int, *, latency: Table | None = None, **more: Any
) -> Table:
    """Table of a training experiment with a selection, on a small problem.

    Times are exponential by default.
    """
    return {
        "kind": "training",
        "problem": linear(SAMPLES, 2),
        "selection": selection,
        "optimizer": amsgrad(),
        "iterations": iterations,
        "latency": exponential() if latency is None else latency,
        **more,
    }


def coded(
    code: Table,
    optimizer: Table,
    iterations: int,
    problem: Table,
    stragglers: Table | None = None,
    **more: Any,
) -> Table:
    """Table of a training experiment with coded gradients."""
    return {
        "kind": "training",
        "problem": problem,
        "code": code,
        **_given(stragglers=stragglers),
        "optimizer": optimizer,
        "iterations": iterations,
        **more,
    }


def after(
    experiment: Table,
    quantity: str,
    theory: float,
    *,
    against: Table | None = None,
    scale: float | None = None,
    note: Table | None = None,
) -> Case:
    """Compare a quantity after the last iteration, or its difference from another, with a theory.

    ``scale`` is the size of the quantity, by default that of the theory, or 1 where that is 0.
    """
    return Case(
        point_of(experiment) | (note or {}),
        float(theory),
        _measuring(quantity, experiment),
        quantity,
        index=experiment["iterations"],
        against=None if against is None else _measuring(quantity, against),
        scale=abs(float(theory)) or 1.0 if scale is None else scale,
    )


def point_of(experiment: Table) -> Table:
    """Parameters of a training experiment in one flat table, to be printed."""
    point: Table = {}
    for key, named in (("selection", "method"), ("code", "family"), ("stragglers", None)):
        table = dict(experiment.get(key) or {})
        if named in table:
            point[key] = table.pop(named)
        table.pop("model", None)
        point |= table
    point["iterations"] = experiment["iterations"]
    point |= {key: experiment[key] for key in ("shuffle", "target_loss") if key in experiment}
    return point


def _given(**optional: Any) -> Table:
    return {key: value for key, value in optional.items() if value is not None}


def _measuring(quantity: str, experiment: Table) -> Table:
    return experiment | {"measure": [quantity]}
