"""Answers that are wrong: how many a gradient code corrects.

Chen, Wang, Charles, Papailiopoulos (arXiv:1803.09877).
"""

from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import cyclic, cyclic_mds, frc
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

DRACO = "Chen, Wang, Charles, Papailiopoulos, DRACO (arXiv:1803.09877)"


@paper.elementwise
def corrected_answers(s: int, stragglers: int) -> float:
    """Wrong answers that are corrected where s stragglers are survived and so many are missing.

    >>> [corrected_answers(4, t) for t in range(5)]
    [2.0, 1.0, 1.0, 0.0, 0.0]
    """
    check.count("stragglers", stragglers, 0, s)
    return float((s - stragglers) // 2)


@paper.claim("wrong.corrected.derived", f"Derived, for {DRACO}: half the distance that sums have")
def _() -> Cases:
    """A code that survives any s stragglers, and not any s + 1, gives the gradient although a of
    the answers of any n - t workers are wrong if and only if 2a + t <= s: of repetition by a
    majority in each group, of MDS codes by half of their distance."""
    for code, s in (
        (frc(6, 3), 2),
        (frc(5, 5), 4),
        (cyclic(6, 3, 1), 2),
        (cyclic(7, 5, 1), 4),
        (cyclic_mds(6, 4), 3),
    ):
        for t in range(min(s, 2) + 1):
            most = corrected_answers(s, t)
            yield finite("corrected_answers", most, code=code, stragglers=t)
            yield built("uncorrected_sets", 0, code=code, stragglers=t, wrong=int(most))
