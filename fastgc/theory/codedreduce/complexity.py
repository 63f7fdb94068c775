"""Iterations and gradients until a model is accurate (paper codedreduce, Section III-C).

A model is ε-accurate when ‖θ − θ*‖² ≤ ε = ``epsilon``. CodedReduce descends full gradients. What
the paper calls SGD descends the mean gradient of those workers that answer; here their losses are
½(θ − y_j)², ``variance`` being that of the y_j, and all sets of stragglers are alike.
"""

import math

from fastgc.errors import FastgcError
from fastgc.theory.cases.statements import at_size, finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce import paper
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Case, Cases

_PLACE = "Section III-C, total gradient computation complexity"
_EXACT = f"{_PLACE}, made exact"

_STEP = 0.5

#: What the workers would choose, of mean 0 and variance 1.
_SIX = (-1.0, -1.0, -1.0, 1.0, 1.0, 1.0)
#: Curvatures and step of a quadratic, and where its descent starts: anywhere, or along an axis.
_CURVATURES, _QUADRATIC_STEP = [1.0, 0.1, 0.3], 1.0
_STARTS = ([1.0, 1.0, 1.0], [0.5, -2.0, 1.0], [0.0, 0.0, 1.0])


@paper.elementwise
def descent_iterations(epsilon: float, contraction: float) -> float:
    """Number ⌈log(1/ε)/(−2 log ρ)⌉ of iterations from distance 1, each of which leaves the share ρ.

    It is exact, and O(log 1/ε) as in codedreduce, Section III-C. With a constant step a, ρ is
    1 − a λ for the least curvature λ, where a times the largest is at most 1.

    >>> descent_iterations(1e-6, 0.5)
    10.0
    """
    check.positive(epsilon=epsilon)
    if not 0.0 < contraction < 1.0:
        raise FastgcError(f"contraction: got {contraction}, but a share in (0, 1) is needed")
    return float(max(0, math.ceil(math.log(epsilon) / (2.0 * math.log(contraction)))))


@paper.claim("gradients.descent.printed", _PLACE, relation="<=", limit="order")
def _() -> Cases:
    """With exact gradients O(log(1/eps)) iterations reach accuracy eps on a strongly convex loss (a
    quadratic, from a start along no axis)."""
    for inverse in (1e1, 1e2, 1e4, 1e8, 1e16):
        yield at_size(inverse, _descended(math.log(inverse), 1 / inverse, _STARTS[0]))


@paper.claim("gradients.descent.bound.derived", _EXACT, relation="<=")
def _() -> Cases:
    """On a quadratic, log(1/eps)/(-2 log(1 - a lambda)) iterations, rounded up, suffice from any
    start at distance 1, lambda being the least curvature and a times the largest at most 1."""
    contraction = 1.0 - _QUADRATIC_STEP * min(_CURVATURES)
    for start in _STARTS:
        for epsilon in (1e-3, 1e-9):
            yield _descended(descent_iterations(epsilon, contraction), epsilon, start)


@paper.elementwise
def survivors_variance(n: int, stragglers: int, variance: float = 1.0) -> float:
    """Variance of the mean of n − s of n numbers, drawn without replacement. Textbook.

    >>> round(survivors_variance(6, 3), 6)
    0.2
    """
    check.count("n", n, 2)
    check.count("stragglers", stragglers, 0, n - 1)
    return variance * stragglers / ((n - stragglers) * (n - 1.0))


@paper.elementwise
def decaying_iterations(epsilon: float, n: int, stragglers: int, variance: float = 1.0) -> float:
    """Number ⌈v/ε⌉ of iterations of SGD with steps 1/(t+1) until the mean square distance is ε.

    It is O(1/ε). Derived.

    >>> decaying_iterations(0.03, 6, 3)
    7.0
    """
    check.positive(epsilon=epsilon)
    return float(math.ceil(float(survivors_variance(n, stragglers, variance)) / epsilon))


@paper.claim("gradients.sgd.printed", _PLACE, relation="<=", limit="order")
def _() -> Cases:
    """SGD that ignores stragglers, with steps c1/(t + c2) as in Section IV-A, reaches accuracy eps
    in O(1/eps) iterations (steps 1/(t+1))."""
    for inverse in (1e2, 1e3, 1e4, 1e5):
        given: Table = {"optima": list(_SIX), "stragglers": 3, "epsilon": 1 / inverse}
        yield at_size(inverse, finite("ignoring_iterations", inverse, **given))


@paper.claim("gradients.sgd.iterations.derived", _EXACT)
def _() -> Cases:
    """With steps 1/(t+1) it takes v/eps iterations, rounded up, v being the variance of the mean of
    N - S workers' optima."""
    for epsilon in (0.033, 0.0071, 0.00047):
        given: Table = {"optima": list(_SIX), "stragglers": 3, "epsilon": epsilon}
        theory = decaying_iterations(epsilon, 6, 3)
        yield finite("ignoring_iterations", theory, **given)


@paper.claim("gradients.total.printed", _PLACE, relation=">=", limit="order")
def _() -> Cases:
    """Until accuracy eps, SGD computes O(1/eps) d gradients where CR computes O(log(1/eps)) d: many
    more, as log(1/eps) is much less than 1/eps (their ratio grows as that of the two)."""
    for inverse in (1e1, 1e2, 1e3, 1e4, 1e5):
        yield at_size(inverse, _total(1 / inverse, inverse / math.log(inverse)))


def _descended(theory: float, epsilon: float, start: list[float]) -> Case:
    given: Table = {"curvatures": _CURVATURES, "step": _QUADRATIC_STEP, "start": start}
    return finite("descent_iterations", theory, **given, epsilon=epsilon)


def _total(epsilon: float, theory: float = 1.0) -> Case:
    given: Table = {"optima": list(_SIX), "stragglers": 3, "tree": [2, 2, 1], "step": _STEP}
    return finite("ignoring_over_tree_gradients", theory, **given, epsilon=epsilon)
