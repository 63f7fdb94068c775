"""What descent makes of gradients with errors, by the descent lemma."""

import math
from collections.abc import Sequence

from fastgc.theory.cases.statements import both
from fastgc.theory.cases.tables import Table, descent, frc, matrix
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases


@paper.formula
def biased_descent_bound(
    excess: float, shares: Sequence[float], ratio: float, rest: float = 0.0
) -> float:
    """Bound of the excess loss after descent with the step 1/L by gradients with errors.

    Where ‖ĝ − g‖² ≤ δ_l ‖g‖² + ζ² in iteration l, the loss is L-smooth, and ‖g‖² ≥ 2μ times its
    excess over the least one: each step multiplies the excess by 1 − (1−δ_l) μ/L and adds ζ²/(2L).
    ``shares`` are the δ_l, ``ratio`` is μ/L, ``rest`` is ζ²/L. By the descent lemma; derived.

    >>> biased_descent_bound(1.0, [0.5, 0.5], 1.0), biased_descent_bound(0.0, [0.5], 1.0, rest=0.5)
    (0.25, 0.25)
    """
    check.probabilities(ratio=ratio)
    for share in shares:
        excess = (1.0 - (1.0 - share) * ratio) * excess + 0.5 * rest
    return excess


@paper.claim("gradients.descent.derived", "Derived: the descent lemma", relation="<=")
def _() -> Cases:
    """If the gradient's squared error is at most the share delta of its square, a step 1/L
    multiplies the excess loss by at most 1 - (1-delta) mu/L: attained where mu = L."""
    patterns = [[0, 2], [0, 1, 2, 3], [1, 4, 5], [3], [2, 5]]
    for sides in ((1.0, 1.0), (1.0, 0.6)):  # features of a partition's two samples
        x = [[sides[0], 0.0], [0.0, sides[1]]] * 6
        curvature = [side * side / 2.0 for side in sides]
        best = [1.5, -2.0]
        y = [row[0] * best[0] + row[1] * best[1] for row in x]
        first = math.fsum(h * at * at for h, at in zip(curvature, best, strict=True)) / 2.0
        for many in (1, 3, 5):
            alive = patterns[:many]
            shares = [(1.0 - len({j // 2 for j in each}) / 3.0) ** 2 for each in alive]
            ratio = min(curvature) / max(curvature)
            run: Table = {"code": frc(6, 2), "survivors": alive, "data": {"x": x, "y": y}}
            theory = biased_descent_bound(first, shares, ratio)
            yield from both("coded_loss", theory, optimizer=descent(1.0 / max(curvature)), **run)


@paper.claim("gradients.descent.differ.derived", "Derived: the descent lemma", relation="<=")
def _() -> Cases:
    """Where data differ and one half of them never answers, descent ends at the other half's
    optimum: the excess loss stays within the bound with delta = 1/2 and a rest."""
    for a, b in ((1.0, 0.5), (3.0, 1.0)):
        x, y = [[1.0]] * 4, [a, a, -b, -b]
        least, rest = (a + b) ** 2 / 8.0, (a + b) ** 2 / 8.0
        first = (a - b) ** 2 / 8.0
        for many in (1, 2, 6, 12):
            run: Table = {"code": matrix([[1.0, 0.0], [0.0, 1.0]]), "data": {"x": x, "y": y}}
            theory = least + biased_descent_bound(first, [0.5] * many, 1.0, rest)
            alive = [[0]] * many
            yield from both("coded_loss", theory, optimizer=descent(1.0), survivors=alive, **run)
