"""Codes whose workers send an m-th of what the gradient is long."""

from __future__ import annotations

from fastgc.theory.cases.tables import built, finite, uniform
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import YE_ABBE, sampled
from fastgc.theory.papers.claim import LOOSE, Cases

#: n, s, m
_SIZES = ((4, 1, 2), (6, 2, 2), (7, 1, 3), (8, 2, 4))


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
        yield finite("largest_error_of_pieces", 0, scale=n, n=n, s=s, m=m)
        yield built("largest_error_of_pieces", 0, scale=n, n=n, s=s, m=m)
    for n, s, m in (*_SIZES, (24, 4, 3)):
        yield sampled({"family": "ye-abbe", "n": n, "s": s, "m": m}, uniform(s), 0)


@paper.claim(
    "ye-abbe.converse.derived", "Derived from the rank of what is left", LOOSE, relation=">="
)
def _() -> Cases:
    """With one partition less than s + m, whatever the code, some s stragglers leave an error of at
    least 1/m: of some partition's m pieces only m - 1 answers are left."""
    for n, s, m in _SIZES:
        yield finite("largest_error_of_less", 1.0 / m, scale=n, n=n, s=s, m=m)
