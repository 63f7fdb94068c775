"""Fractional repetition and the circulant with d = 2: their errors, and the worst of repetition."""

from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import frc
from fastgc.theory.common import check
from fastgc.theory.common import repetition as common
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import TANDON
from fastgc.theory.papers.claim import Cases

paper.share(
    common.frc_autocovariance,
    common.frc_error_variance,
    common.frc_exact_probability,
    common.frc_mean_error,
    common.frc_uncovered_probability,
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)

_GROUPS = f"Derived for fractional repetition of {TANDON}: groups without a survivor"


@paper.elementwise
def frc_largest_error(n: int, d: int, stragglers: int) -> float:
    """Largest error d⌊s/d⌋ of frc over all sets of s stragglers.

    A group costs its d partitions, and only once all of its d workers straggle.

    >>> frc_largest_error(n=12, d=3, stragglers=7)
    6.0
    """
    check.groups(n, d)
    check.count("stragglers", stragglers, 0, n)
    return d * (stragglers // d)


@paper.claim("frc.worst-case.derived", _GROUPS)
def _() -> Cases:
    """frc's largest error over all sets of s stragglers is d floor(s/d)."""
    for n, d, s in ((8, 2, 3), (9, 3, 2), (9, 3, 5), (12, 4, 9)):
        theory = frc_largest_error(n, d, s)
        yield finite("largest_error", theory, scale=n, code=frc(n, d), survivors=n - s)
        yield built("worst_error", theory, scale=n, code=frc(n, d), stragglers=s)
    for n, d, s in ((40, 4, 14), (60, 3, 11)):
        yield built("worst_error", frc_largest_error(n, d, s), code=frc(n, d), stragglers=s)
