"""Cases of completion experiments that the claims of several papers share."""

from typing import Any, Literal

from fastgc.theory.cases.tables import Table, exponential
from fastgc.theory.papers.claim import Case


def completion(
    system: Table,
    latency: Table | list[Table] | None = None,
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


def timed(
    experiment: Table,
    theory: float,
    statistic: str = "mean",
    *,
    against: Table | None = None,
    how: Literal["difference", "ratio"] = "difference",
    scale: float = 1.0,
) -> Case:
    """Compare a number of a completion experiment with a theory."""
    (measure,) = experiment["measure"]
    point = point_of(experiment)
    if against is not None:
        point["against"] = point_of(against)
    return Case(
        point, float(theory), experiment, measure, statistic, against=against, scale=scale, how=how
    )


def late(
    system: Table, t: float, theory: float, latency: Table | list[Table] | None = None
) -> Case:
    """Compare P(T > t) of a system without a port with a theory."""
    experiment = completion(system, latency, thresholds=[float(t)])
    return timed(experiment, theory, f"P(>{float(t)!r})")


def point_of(experiment: Table) -> Table:
    """Parameters of a completion experiment in one flat table, for people."""
    point: Table = dict(experiment["system"])
    latency = experiment["latency"]
    if isinstance(latency, dict):
        standard = {"distribution": "exponential", "mean": 1.0, "shift": 0.0}
        point |= {key: x for key, x in latency.items() if standard.get(key) != x}
    else:
        point["latency"] = latency
    if experiment["work"] != 1.0:
        point["work"] = experiment["work"]
    point |= experiment.get("port", {})
    point |= {key: x for key, x in experiment.get("stragglers", {}).items() if key != "model"}
    if "between_rounds" in experiment:
        point |= {key: experiment[key] for key in ("between_rounds", "iterations")}
    if "thresholds" in experiment:
        (point["threshold"],) = experiment["thresholds"]
    return point
