"""What descent makes of gradients with errors."""

from collections.abc import Sequence

from fastgc.theory.common import check
from fastgc.theory.literature import paper


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
