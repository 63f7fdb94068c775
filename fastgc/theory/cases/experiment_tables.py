"""Cases of experiments that the claims of several papers share."""

from collections.abc import Sequence
from typing import Any

from fastgc.theory.cases.studies import Table, exponential, maker
from fastgc.theory.papers.claim import Case

#: Number of samples of the smallest problem.
SAMPLES = 24


def point_of(experiment: Table) -> Table:
    """Parameters of an experiment in one flat table, for people."""
    point: Table = {}
    if experiment["kind"] == "decoding":
        for table in (experiment["code"], experiment["stragglers"]):
            point |= {key: value for key, value in table.items() if key not in ("family", "model")}
        if experiment["iterations"] > 1:
            point["iterations"] = experiment["iterations"]
    elif experiment["kind"] == "training":
        for key, named in (("selection", "method"), ("code", "family"), ("stragglers", "model")):
            table = dict(experiment.get(key, {}))
            name = table.pop(named, None)
            point |= ({} if name is None or named == "model" else {key: name}) | table
        point |= {key: experiment[key] for key in ("iterations", "shuffle") if key in experiment}
    else:
        point |= experiment["system"]
        standard = {"distribution": "exponential", "mean": 1.0, "shift": 0.0}
        point |= {key: x for key, x in experiment["latency"].items() if standard.get(key) != x}
        if experiment["work"] != 1.0:
            point["work"] = experiment["work"]
        point |= experiment.get("port", {})
        late = experiment.get("stragglers", {})
        point |= {key: x for key, x in late.items() if key != "model"}
        if "thresholds" in experiment:
            (point["threshold"],) = experiment["thresholds"]
    return point


def compared(experiment: Table, theory: float, statistic: str = "mean", **more: Any) -> Case:
    """Compare its measure with a theory; ``more`` as for a `Case`.

    ``note`` is shown as well, ``family`` says that the code's is.
    """
    (measure,) = experiment["measure"]
    family = {"family": experiment["code"]["family"]} if more.pop("family", False) else {}
    point = family | point_of(experiment) | more.pop("note", {})
    if experiment["kind"] == "completion" and "against" in more:
        point["against"] = point_of(more["against"])
    return Case(point, float(theory), experiment, measure, statistic, **more)


# ---- decoding


def decoding(
    measure: str,
    code: Table,
    stragglers: Table,
    iterations: int = 1,
    shuffle: str = "none",
    **more: Any,
) -> Table:
    """Table of a decoding experiment with one measure; ``more`` are other keys, as decoder."""
    return {
        "kind": "decoding",
        "code": code,
        "stragglers": stragglers,
        "iterations": iterations,
        "shuffle": shuffle,
        **more,
        "measure": [measure],
    }


def sampled(code: Table, stragglers: Table, theory: float, measure: str = "error") -> Case:
    """Compare the mean of a measure of one iteration with a theory."""
    scale = float(code["n"]) if measure == "error" else 1.0
    return compared(decoding(measure, code, stragglers), theory, family=True, scale=scale)


# ---- completion


def completion(
    system: Table,
    latency: Table | None = None,
    *,
    measure: str = "time",
    work: float = 1.0,
    receive: float = 0.0,
    opens: str = "start",
    **more: Any,
) -> Table:
    """Table of a completion experiment with one measure; unit exponential times by default."""
    table: Table = {"kind": "completion", "system": system, "work": work}
    table["latency"] = exponential() if latency is None else latency
    if receive:
        table["port"] = {"receive": receive} | ({} if opens == "start" else {"opens": opens})
    return table | more | {"measure": [measure]}


def late(system: Table, t: float, theory: float, latency: Table | None = None) -> Case:
    """Compare P(T > t) of a system without a port with a theory."""
    experiment = completion(system, latency, thresholds=[float(t)])
    return compared(experiment, theory, f"P(>{float(t)!r})")


# ---- training


def linear(samples: int, features: int) -> Table:
    """Table of linear regression on data made from a true model."""
    sizes = {"samples": samples, "features": features, "noise": 1.0}
    return {"model": "linear", "data": "synthetic", **sizes}


def amsgrad(step: float = 0.01) -> Table:
    """Table of the updates (8a)-(8c) of paper gcada."""
    return {"method": "amsgrad", "step": step}


#: Distributed Adam's choice: all workers, always, by default with all their data.
all_workers = maker("method", "all", "workers", "batch")


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
    optional = {"batch": batch, "groups": groups}
    return {
        "method": "cada" if groups is None else "g-cada",
        "workers": workers,
        "c": c,
        "window": window,
        "refresh": refresh,
        "smoothness": smoothness if isinstance(smoothness, str) else list(smoothness),
        **{key: value for key, value in optional.items() if value is not None},
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


def after(
    experiment: Table,
    quantity: str,
    theory: float,
    against: Table | None = None,
    scale: float | None = None,
    **more: Any,
) -> Case:
    """Compare a quantity after the last iteration, or its difference from another, with a theory.

    ``scale`` is the size of the quantity, by default that of the theory, or 1 where that is 0.
    """
    measure: Table = {"measure": [quantity]}
    more |= {"index": experiment["iterations"], "scale": scale or abs(float(theory)) or 1.0}
    if against is not None:
        more["against"] = against | measure
    return compared(experiment | measure, theory, **more)
