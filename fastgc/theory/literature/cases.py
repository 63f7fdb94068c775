"""Cases and citations that the claims of the wider literature share."""

from fastgc.theory.cases.decoding import decoding, point_of
from fastgc.theory.cases.tables import Table
from fastgc.theory.common.codes import parameters
from fastgc.theory.literature import SOURCES
from fastgc.theory.papers.claim import Case

TANDON = SOURCES["1612.03301"]
RAVIV = SOURCES["1707.03858"]
KADHE = SOURCES["1904.13373"]
YE_ABBE = SOURCES["1802.03475"] + ", Theorem 1"
GLASGOW = SOURCES["2006.09638"]


def sampled(
    code: Table, stragglers: Table, theory: float, measure: str = "error", statistic: str = "mean"
) -> Case:
    """Compare a measure of one iteration with a theory."""
    experiment = decoding(measure, code, stragglers)
    point = {"family": code["family"]} | point_of(experiment)
    k = _partitions(code) if measure == "error" else 1
    scale = {"mean": k, "variance": k * k}.get(statistic, 1)
    return Case(point, float(theory), experiment, measure, statistic, scale=float(scale))


def _partitions(code: Table) -> int:
    """Number of partitions of a code."""
    return parameters(code["name"])["k"] if code["family"] == "bibd" else int(code["n"])
