"""Codes with real or complex coefficients, which decode exactly whatever d − 1 workers straggle."""

from __future__ import annotations

from fastgc.theory.cases.tables import Table, built, finite, uniform
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import RAVIV, TANDON, sampled
from fastgc.theory.papers.claim import Cases


def _no_error(codes: list[Table]) -> Cases:
    for code in codes:
        n, d = code["n"], code["d"]
        yield finite("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
        yield built("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for code in codes:
        yield sampled(code, uniform(code["d"] - 1), 0)


@paper.claim("cyclic.tolerance.printed", TANDON)
def _() -> Cases:
    """With probability 1 over its random numbers, Tandon's cyclic code decodes exactly whatever
    d-1 workers straggle."""
    sizes = ((6, 2), (8, 3), (9, 3))
    return _no_error([{"family": "cyclic", "n": n, "d": d, "seed": 1} for n, d in sizes])


@paper.claim("cyclic-mds.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the reals, where n and d-1 are not both even or both odd, decodes
    exactly whatever d-1 workers straggle."""
    sizes = ((6, 4), (9, 3), (10, 4))
    return _no_error([{"family": "cyclic-mds", "n": n, "d": d} for n, d in sizes])


@paper.claim("cyclic-mds.complex.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the complex numbers, which is there for all n and d, decodes exactly
    whatever d-1 workers straggle."""
    sizes = ((6, 3), (9, 4), (10, 3))
    family = {"family": "cyclic-mds", "field": "complex"}
    return _no_error([{**family, "n": n, "d": d} for n, d in sizes])
