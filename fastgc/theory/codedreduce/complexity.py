"""Iterations and gradients until a model is accurate (paper codedreduce, Section III-C).

A model is ε-accurate when ‖θ − θ*‖² ≤ ε = ``epsilon``. CodedReduce descends full gradients. What
the paper calls SGD descends the mean gradient of those workers that answer; here their losses are
½(θ − y_j)², ``variance`` being that of the y_j, and all sets of stragglers are alike.
"""

import math
from typing import Any

from fastgc.errors import FastgcError
from fastgc.theory.cases.statements import brute, finite
from fastgc.theory.codedreduce import paper
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Cases, Measure, at

_PLACE = "Section III-C, total gradient computation complexity"
_EXACT = f"{_PLACE}, made exact"
#: What the workers would choose, of mean 0 and variance 1.
_SIX: dict[str, Any] = {"optima": [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0], "stragglers": 3}
#: A quadratic and the step of its descent.
_QUADRATIC: dict[str, Any] = {"curvatures": [1.0, 0.1, 0.3], "step": 1.0}


def _to_accuracy(name: str, run: dict[str, Any]) -> Measure:
    return brute(name, lambda inverse: run | {"epsilon": 1 / inverse})


@paper.states("gradients.descent.printed", _PLACE, relation="<=", limit="order")
@at(
    [1e1, 1e2, 1e4, 1e8, 1e16],
    _to_accuracy("descent_iterations", _QUADRATIC | {"start": [1.0, 1.0, 1.0]}),
    size=lambda inverse: inverse,
)
def _descent(inverse: float) -> float:
    """With exact gradients O(log(1/eps)) iterations reach accuracy eps on a strongly convex loss (a
    quadratic, from a start along no axis)."""
    return math.log(inverse)


@paper.elementwise
def descent_iterations(epsilon: float, contraction: float) -> float:
    """Number ⌈log(1/ε)/(−2 log ρ)⌉ of iterations from distance 1, each of which leaves the share ρ.

    With a constant step a, ρ is 1 − a λ for the least curvature λ, where a times the largest is at
    most 1.
    """
    check.positive(epsilon=epsilon)
    if not 0.0 < contraction < 1.0:
        raise FastgcError(f"contraction: got {contraction}, but a share in (0, 1) is needed")
    return float(max(0, math.ceil(math.log(epsilon) / (2.0 * math.log(contraction)))))


@paper.claim("gradients.descent.bound.derived", _EXACT, relation="<=")
def _() -> Cases:
    """On a quadratic, log(1/eps)/(-2 log(1 - a lambda)) iterations, rounded up, suffice from any
    start at distance 1, lambda being the least curvature and a times the largest at most 1."""
    for start in ([1.0, 1.0, 1.0], [0.5, -2.0, 1.0], [0.0, 0.0, 1.0]):
        for epsilon in (1e-3, 1e-9):
            most = float(descent_iterations(epsilon, 1.0 - 0.1))
            given = _QUADRATIC | {"start": start, "epsilon": epsilon}
            yield finite("descent_iterations", most, **given)


@paper.states("gradients.sgd.iterations.derived", _EXACT)
@at(
    [(0.033, 6, 3), (0.0071, 6, 3), (0.00047, 6, 3)],
    brute("ignoring_iterations", lambda epsilon: _SIX | {"epsilon": epsilon}),
)
def decaying_iterations(epsilon: float, n: int, stragglers: int, variance: float = 1.0) -> float:
    """With steps 1/(t+1) it takes v/eps iterations, rounded up, v being the variance of the mean of
    N - S workers' optima."""
    check.positive(epsilon=epsilon)
    check.count("n", n, 2)
    check.count("stragglers", stragglers, 0, n - 1)
    return math.ceil(variance * stragglers / ((n - stragglers) * (n - 1.0)) / epsilon)


@paper.states("gradients.sgd.printed", _PLACE, relation="<=", limit="order")
@at([1e2, 1e3, 1e4, 1e5], _to_accuracy("ignoring_iterations", _SIX), size=lambda inverse: inverse)
def _ignoring(inverse: float) -> float:
    """SGD that ignores stragglers, with steps c1/(t + c2) as in Section IV-A, reaches accuracy eps
    in O(1/eps) iterations (steps 1/(t+1))."""
    return inverse


@paper.states("gradients.total.printed", _PLACE, relation=">=", limit="order")
@at(
    [1e1, 1e2, 1e3, 1e4, 1e5],
    _to_accuracy("ignoring_over_tree_gradients", _SIX | {"tree": [2, 2, 1], "step": 0.5}),
    size=lambda inverse: inverse,
)
def _ratio(inverse: float) -> float:
    """Until accuracy eps, SGD computes O(1/eps) d gradients where CR computes O(log(1/eps)) d: many
    more, as log(1/eps) is much less than 1/eps (their ratio grows as that of the two)."""
    return inverse / math.log(inverse)
