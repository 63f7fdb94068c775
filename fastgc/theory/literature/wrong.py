"""Answers that are wrong: how many a gradient code corrects.

Chen, Wang, Charles, Papailiopoulos (arXiv:1803.09877).
"""

from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import cyclic, cyclic_mds, frc
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

DRACO = SOURCES["1803.09877"]


@paper.elementwise
def corrected_answers(s: int, stragglers: int) -> float:
    """Wrong answers that are corrected where s stragglers are survived and so many are missing.

    >>> [corrected_answers(4, t) for t in range(5)]
    [2.0, 1.0, 1.0, 0.0, 0.0]
    """
    check.count("stragglers", stragglers, 0, s)
    return float((s - stragglers) // 2)


@paper.elementwise
def robust_load(n: int, s: int, wrong: int, pieces: int = 1) -> float:
    """Least load of a gradient code for s stragglers and so many wrong answers of n workers.

    (s + 2a + m)/n with answers of an m-th of the gradient: a wrong answer costs as much as two
    missing ones, and Ye and Abbe's d ≥ s + m (arXiv:1802.03475) counts these. Derived.

    >>> robust_load(12, 1, 2), robust_load(12, 1, 2, pieces=3)
    (0.5, 0.6666666666666666)
    """
    check.count("n", n, 1)
    held = s + 2 * wrong + pieces
    check.count("s + 2 wrong + pieces", held, 1, n)
    return held / n


@paper.elementwise
def private_load(n: int, s: int, wrong: int, colluding: int, degree: int = 1) -> float:
    """Load of n workers that compute a polynomial of encoded data, which tell some of them nothing.

    1/k for the largest k with (k + z − 1) g + s + 2a + 1 ≤ n: so many points decide a polynomial of
    degree g in data that are interpolated through k shares and z random ones, of which any z
    workers learn nothing, over a finite field (Yu et al., Lagrange Coded Computing,
    arXiv:1806.00939). The gradient of least squares has g = 2 in its data. Derived from the count.

    >>> private_load(12, 2, 0, 0), private_load(12, 2, 1, 1), private_load(12, 2, 1, 1, degree=2)
    (0.1, 0.14285714285714285, 0.3333333333333333)
    """
    check.count("degree", degree, 1)
    k = (n - s - 2 * wrong - 1) // degree - colluding + 1
    check.count("shares of the data, ⌊(n - s - 2 wrong - 1)/degree⌋ - colluding + 1,", k, 1)
    return 1.0 / k


@paper.claim("wrong.load.derived", f"Derived, for {DRACO}: a wrong answer is two missing ones")
def _() -> Cases:
    """Among n workers a gradient code for s stragglers and a wrong answers has the load
    (s + 2a + 1)/n, with which it corrects as many, and no more, beside s missing ones."""
    for n, s, a in ((7, 0, 2), (7, 2, 1), (8, 1, 1), (6, 3, 1)):
        held = round(n * robust_load(n, s, a))
        yield finite("corrected_answers", a, code=cyclic(n, held, 1), stragglers=s)


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
