"""Cases of training experiments that the claims of several papers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from fastgc.theory.cases.completion import exponential
from fastgc.theory.cases.tables import Table
from fastgc.theory.papers.claim import Case

#: Of the smallest problem.
SAMPLES = 24


def linear(samples: int, features: int, noise: float = 1.0) -> Table:
    """Table of linear regression on data made from a true model."""
    data = {"samples": samples, "features": features, "noise": noise}
    return {"model": "linear", "data": "synthetic", **data}


def descent(step: float, decay: float = 0.0) -> Table:
    """Table of gradient descent."""
    return {"method": "gradient-descent", "step": step} | ({"decay": decay} if decay else {})


def amsgrad(step: float = 0.01) -> Table:
    """Table of the updates (8a)-(8c) of paper gcada."""
    return {"method": "amsgrad", "step": step}


def everybody(workers: int, batch: int | None = None) -> Table:
    """Table of distributed Adam's choice: all workers, always; by default with all their data."""
    return {"method": "all", "workers": workers} | _sized(batch)


def cada(
    c: float,
    window: int,
    smoothness: Sequence[float] | str,
    workers: int = 12,
    refresh: str = "after",
    batch: int | None = None,
) -> Table:
    """Table of CADA's choice of workers."""
    return {
        "method": "cada",
        "workers": workers,
        "c": c,
        "window": window,
        "refresh": refresh,
        "smoothness": smoothness if isinstance(smoothness, str) else list(smoothness),
        **_sized(batch),
    }


def grouped(
    groups: int,
    c: float,
    window: int,
    smoothness: Sequence[float] | str,
    workers: int = 12,
    refresh: str = "after",
    batch: int | None = None,
) -> Table:
    """Table of G-CADA's choice of groups."""
    units = cada(c, window, smoothness, workers, refresh, batch)
    return units | {"method": "g-cada", "groups": groups}


def _sized(batch: int | None) -> Table:
    return {} if batch is None else {"batch": batch}


def selecting(
    selection: Table, iterations: int, *, latency: Table | None = None, **more: Any
) -> Table:
    """Table of a training experiment with a selection; small, and exponential times by default."""
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
    straggling = {} if stragglers is None else {"stragglers": stragglers}
    return {
        "kind": "training",
        "problem": problem,
        "code": code,
        **straggling,
        "optimizer": optimizer,
        "iterations": iterations,
        **more,
    }


def after(
    experiment: Table,
    quantity: str,
    theory: float,
    iterations: int | None = None,
    *,
    against: Table | None = None,
    scale: float | None = None,
    note: Table | None = None,
) -> Case:
    """Compare a curve after so many iterations, all by default, with a theory."""
    return Case(
        point_of(experiment) | (note or {}),
        float(theory),
        experiment | {"measure": [quantity]},
        quantity,
        index=experiment["iterations"] if iterations is None else iterations,
        against=None if against is None else against | {"measure": [quantity]},
        scale=abs(float(theory)) or 1.0 if scale is None else scale,
    )


def until(
    experiment: Table,
    quantity: str,
    theory: float,
    *,
    against: Table,
    how: Literal["difference", "ratio"] = "ratio",
    note: Table | None = None,
) -> Case:
    """Compare what two experiments take to reach their target loss."""
    return Case(
        point_of(experiment) | (note or {}),
        float(theory),
        experiment | {"measure": [quantity]},
        quantity,
        against=against | {"measure": [quantity]},
        how=how,
    )


def point_of(experiment: Table) -> Table:
    """Parameters of a training experiment in one flat table, for people."""
    point: Table = {}
    for key in ("selection", "code", "stragglers"):
        table = dict(experiment.get(key) or {})
        if key != "stragglers":
            for name in ("method", "family"):
                if name in table:
                    point[key] = table.pop(name)
        table.pop("model", None)
        point |= table
    point["iterations"] = experiment["iterations"]
    point |= {key: experiment[key] for key in ("shuffle", "target_loss") if key in experiment}
    return point
