"""Codes with real coefficients, which decode exactly whatever d − 1 workers straggle."""

from __future__ import annotations

from functools import partial

from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, uniform
from fastgc.theory.literature.cases import RAVIV, TANDON, sampled
from fastgc.theory.literature.paper import paper
from fastgc.theory.papers.paper import Cases


def _no_error(family: Table, more: Table, sizes: tuple[tuple[int, int], ...]) -> Cases:
    codes = [family | {"n": n, "d": d} | more for n, d in sizes]
    for (n, d), code in zip(sizes, codes, strict=True):
        yield finite("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for (_, d), code in zip(sizes, codes, strict=True):
        yield sampled(code, uniform(d - 1), 0)


paper.claim(
    "cyclic.tolerance.printed",
    TANDON,
    statement="Tandon's random cyclic code decodes exactly whatever d-1 workers straggle",
)(partial(_no_error, {"family": "cyclic"}, {"seed": 1}, ((6, 2), (8, 3), (9, 3))))
paper.claim(
    "cyclic-mds.tolerance.printed",
    RAVIV,
    statement="The cyclic MDS code decodes exactly whatever d-1 workers straggle",
)(partial(_no_error, {"family": "cyclic-mds"}, {}, ((6, 4), (9, 3), (10, 4))))
