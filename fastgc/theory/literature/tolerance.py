"""Codes that decode exactly whatever some workers straggle: real, complex, or in pieces."""

from fastgc.theory.cases.statements import both, finite
from fastgc.theory.cases.tables import Table, cyclic, cyclic_mds, uniform
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import RAVIV, TANDON, YE_ABBE, sampled
from fastgc.theory.papers.claim import LOOSE, Cases

#: n, s, m
_SIZES = ((4, 1, 2), (6, 2, 2), (7, 1, 3), (8, 2, 4))


def _no_error(codes: list[Table]) -> Cases:
    for code in codes:
        n, d = code["n"], code["d"]
        yield from both("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for code in codes:
        yield sampled(code, uniform(code["d"] - 1), 0)


@paper.claim("cyclic.tolerance.printed", TANDON)
def _() -> Cases:
    """With probability 1 over its random numbers, Tandon's cyclic code decodes exactly whatever
    d-1 workers straggle."""
    return _no_error([cyclic(6, 2, 1), cyclic(8, 3, 1), cyclic(9, 3, 1)])


@paper.claim("cyclic-mds.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the reals, where n and d-1 are not both even or both odd, decodes
    exactly whatever d-1 workers straggle."""
    return _no_error([cyclic_mds(6, 4), cyclic_mds(9, 3), cyclic_mds(10, 4)])


@paper.claim("cyclic-mds.complex.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the complex numbers, which is there for all n and d, decodes exactly
    whatever d-1 workers straggle."""
    sizes = ((6, 3), (9, 4), (10, 3))
    family = {"family": "cyclic-mds", "field": "complex"}
    return _no_error([{**family, "n": n, "d": d} for n, d in sizes])


# ---- codes whose workers send an m-th of what the gradient is long


@paper.formula
def least_load(s: int, m: int) -> int:
    """Partitions that a worker must hold to survive s stragglers with answers of 1/m.

    s + m: of the d workers that hold a partition s may straggle, and the others' answers must tell
    its m pieces apart. Ye and Abbe, arXiv:1802.03475, Theorem 1.

    >>> least_load(s=2, m=3)
    5
    """
    return s + m


@paper.claim("ye-abbe.tolerance.printed", YE_ABBE)
def _() -> Cases:
    """With s + m partitions a worker, and answers 1/m as long as the gradient, the gradient is
    decoded exactly whatever s workers straggle."""
    for n, s, m in _SIZES:
        yield from both("largest_error_of_pieces", 0, scale=n, n=n, s=s, m=m)
    for n, s, m in (*_SIZES, (24, 4, 3)):
        yield sampled({"family": "ye-abbe", "n": n, "s": s, "m": m}, uniform(s), 0)


@paper.claim(
    "ye-abbe.converse.derived",
    f"Derived, for {YE_ABBE}: the rank of what is left",
    LOOSE,
    relation=">=",
)
def _() -> Cases:
    """With one partition less than s + m, whatever the code, some s stragglers leave an error of at
    least 1/m: of some partition's m pieces only m - 1 answers are left."""
    for n, s, m in _SIZES:
        yield finite("largest_error_of_less", 1.0 / m, scale=n, n=n, s=s, m=m)
