"""Cases and citations that the claims of the wider literature share."""

from typing import Any

from fastgc.theory.cases.decoding import decoding, point_of
from fastgc.theory.cases.tables import Table
from fastgc.theory.common.codes import parameters
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Case

TANDON = SOURCES["1612.03301"]
RAVIV = SOURCES["1707.03858"]
KADHE = SOURCES["1904.13373"]
YE_ABBE = SOURCES["1802.03475"] + ", Theorem 1"
GLASGOW = SOURCES["2006.09638"]


def sampled(
    code: Table,
    stragglers: Table,
    theory: float,
    measure: str = "error",
    statistic: str = "mean",
    **more: Any,
) -> Case:
    """Compare a measure of one iteration with a theory."""
    experiment = decoding(measure, code, stragglers, **more)
    point = {"family": code["family"]} | point_of(experiment)
    point |= {key: more[key] for key in ("decoder", "rho") if key in more}
    k = partitions(code) if measure == "error" else 1
    scale = {"mean": k, "variance": k * k}.get(statistic, 1)
    return Case(point, float(theory), experiment, measure, statistic, scale=float(scale))


def partitions(code: Table) -> int:
    """Number of partitions of a code."""
    family = code["family"]
    if family == "bibd":
        return parameters(code["name"])["k"]
    if family == "graph":
        return int(code["vertices"]) if "vertices" in code else 10
    if family == "matrix":
        return len(list(code["rows"]))
    return int(code["k"]) if "k" in code else int(code["n"])
