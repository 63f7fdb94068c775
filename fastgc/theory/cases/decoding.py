"""Cases of decoding experiments that the claims of several papers share."""

from typing import Any

from fastgc.theory.cases.tables import Table
from fastgc.theory.common.codes import parameters
from fastgc.theory.papers.claim import Case


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


def point_of(experiment: Table) -> Table:
    """Parameters of an experiment in one flat table, for people."""
    point: Table = {}
    for table in (experiment["code"], experiment["stragglers"]):
        point |= {key: value for key, value in table.items() if key not in ("family", "model")}
    if experiment["iterations"] > 1:
        point["iterations"] = experiment["iterations"]
    return point


def compared(experiment: Table, theory: float, statistic: str = "mean", **more: Any) -> Case:
    """Compare its measure with a theory; ``more`` as for a `Case`, ``note`` is shown as well."""
    (measure,) = experiment["measure"]
    point = point_of(experiment) | more.pop("note", {})
    return Case(point, theory, experiment, measure, statistic, **more)


def sampled(
    code: Table, stragglers: Table, theory: float, measure: str = "error", statistic: str = "mean"
) -> Case:
    """Compare a measure of one iteration with a theory; k = n but of block designs."""
    point, k = {"family": code["family"]}, 1
    if measure == "error":
        k = parameters(code["name"])["k"] if code["family"] == "bibd" else int(code["n"])
    scale = float({"mean": k, "variance": k * k}.get(statistic, 1))
    experiment = decoding(measure, code, stragglers)
    point |= point_of(experiment)
    return Case(point, float(theory), experiment, measure, statistic, scale=scale)
