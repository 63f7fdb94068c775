"""Iterations and gradients until a model is accurate (paper codedreduce, Section III-C).

A model is ε-accurate when ‖θ − θ*‖² ≤ ε = ``epsilon``. CodedReduce descends full gradients. What
the paper calls SGD descends the mean gradient of those workers that answer; here their losses are
½(θ − y_j)², ``variance`` being that of the y_j, and all sets of stragglers are alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fastgc.errors import FastgcError
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, uniform
from fastgc.theory.cases.training import after, coded, descent, linear, until
from fastgc.theory.codedreduce.costs import gradients
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.common.arguments import check_count, check_positive, elementwise
from fastgc.theory.papers.claim import LOOSE, REFUTED, Case
from fastgc.theory.papers.paper import Cases

_PLACE = "Section III-C, total gradient computation complexity"
_CONDITIONAL = f"{_PLACE}, made conditional"

#: The mean loss of these data is .892 at the start and .426 at least; the largest curvature is 1.0.
_SAMPLES = 120
_NOISY, _CLEAN = linear(_SAMPLES, 3), linear(_SAMPLES, 3, 0.0)
_STEP = 0.5

#: What the workers would choose, of mean 0 and variance 1.
_FOUR, _SIX = (-1.0, 1.0, -1.0, 1.0), (-1.0, -1.0, -1.0, 1.0, 1.0, 1.0)
#: Those, stragglers, iterations.
_RUNS = ((_FOUR, 1, 3), (_FOUR, 2, 5), (_SIX, 3, 3))
#: n, layers, s of trees, and as many stragglers of as many workers.
_TREES = (((2, 2, 1), (6, 3)), ((3, 2, 1), (12, 4)), ((4, 2, 1), (20, 5)))
_STARS = tuple(star for _, star in _TREES)
#: Accuracies until which SGD computes fewer gradients than CR, and more.
_COARSE, _FINE = (0.1, 0.03), (1e-3, 1e-5)


@paper.formula
@elementwise
def descent_iterations(epsilon: float, contraction: float) -> float:
    """Number ⌈log(1/ε)/(−2 log ρ)⌉ of iterations from distance 1, each of which leaves the share ρ.

    It is exact, and O(log 1/ε) as in codedreduce, Section III-C. With a constant step a, ρ is
    1 − a λ for the least curvature λ, where a times the largest is at most 1.

    >>> descent_iterations(1e-6, 0.5)
    10.0
    """
    check_positive(epsilon=epsilon)
    if not 0.0 < contraction < 1.0:
        raise FastgcError(f"contraction: got {contraction}, but a share in (0, 1) is needed")
    return float(max(0, math.ceil(math.log(epsilon) / (2.0 * math.log(contraction)))))


@paper.claim("gradients.descent.printed", _PLACE)
def _() -> Cases:
    """With exact gradients O(log(1/eps)) iterations reach accuracy eps on a strongly convex loss:
    log(1/eps)/(-2 log(1 - a lambda)) of a quadratic."""
    quadratics = (([1.0], 0.5, 1e-3), ([1.0], 0.5, 1e-9), ([1.0, 0.1, 0.3], 1.0, 1e-4))
    for curvatures, step, epsilon in quadratics:
        most = descent_iterations(epsilon, 1.0 - step * min(curvatures))
        yield finite("descent_iterations", most, curvatures=curvatures, step=step, epsilon=epsilon)


@paper.formula
@elementwise
def survivors_variance(n: int, stragglers: int, variance: float = 1.0) -> float:
    """Variance of the mean of n − s of n numbers, drawn without replacement. Textbook.

    >>> round(survivors_variance(6, 3), 6)
    0.2
    """
    check_count("n", n, 2)
    check_count("stragglers", stragglers, 0, n - 1)
    return variance * stragglers / ((n - stragglers) * (n - 1.0))


@paper.formula
@elementwise
def decaying_error(n: int, stragglers: int, iterations: int, variance: float = 1.0) -> float:
    """Mean square distance v/t of SGD with steps 1/(t+1) after t iterations. Derived, exact.

    θ is then the mean of what t independent sets of survivors would choose, of variance v.

    >>> round(decaying_error(6, 3, 4), 6)
    0.05
    """
    check_count("iterations", iterations, 1)
    return float(survivors_variance(n, stragglers, variance)) / iterations


@paper.formula
@elementwise
def decaying_iterations(epsilon: float, n: int, stragglers: int, variance: float = 1.0) -> float:
    """Number ⌈v/ε⌉ of iterations of SGD with steps 1/(t+1) until the mean square distance is ε.

    It is O(1/ε). Derived.

    >>> decaying_iterations(0.03, 6, 3)
    7.0
    """
    check_positive(epsilon=epsilon)
    return float(math.ceil(float(survivors_variance(n, stragglers, variance)) / epsilon))


@paper.formula
@elementwise
def constant_error(
    n: int, stragglers: int, step: float, iterations: int, variance: float = 1.0
) -> float:
    """Mean square distance of SGD with a constant step after t iterations from θ*. Derived, exact.

    With step a it is v a/(2 − a) (1 − (1 − a)^(2t)), which tends to v a/(2 − a).

    >>> round(constant_error(6, 3, 0.5, 100), 6)
    0.066667
    """
    check_count("iterations", iterations, 0)
    if not 0.0 < step < 2.0:
        raise FastgcError(f"step: got {step}, but a number in (0, 2) is needed")
    v = float(survivors_variance(n, stragglers, variance))
    return v * step / (2.0 - step) * (1.0 - (1.0 - step) ** (2 * int(iterations)))


@paper.claim("gradients.sgd.printed", _PLACE, REFUTED)
def _() -> Cases:
    """SGD that ignores stragglers reaches accuracy eps in O(1/eps) iterations, with the constant
    step of GD, too: its mean square distance falls like v/t."""
    return _ignoring(_STEP, decaying_error)


@paper.claim("gradients.sgd.corrected", f"{_PLACE}, corrected")
def _() -> Cases:
    """With constant step a its mean square distance stays near v a/(2 - a): smaller accuracies are
    never reached."""
    return _ignoring(_STEP, lambda n, stragglers, t: constant_error(n, stragglers, _STEP, t))


@paper.claim("gradients.sgd.decaying.corrected", _CONDITIONAL)
def _() -> Cases:
    """With steps c1/(t + c2), as in Section IV-A, its mean square distance falls like 1/t (v/t
    exactly with 1/(t+1)): O(1/eps) iterations."""
    return _ignoring(None, decaying_error)


@paper.claim("gradients.sgd.exact-model.corrected", _CONDITIONAL)
def _() -> Cases:
    """Where one model fits all data exactly, SGD with a constant step reaches any accuracy, and in
    O(log(1/eps)) iterations: 150 for a loss of 1e-12."""
    for n, stragglers in _STARS:
        point = {"workers": n, "stragglers": stragglers, "target_loss": 1e-12, "iterations": 150}
        run = _sgd(n, stragglers, 150, _CLEAN, target_loss=1e-12, measure=["reached"])
        yield Case(point, 1.0, run, "reached")


@paper.claim("gradients.sgd-iteration.printed", _PLACE, REFUTED)
def _() -> Cases:
    """An iteration of SGD computes alpha d gradients, alpha = stragglers/N."""
    for n, stragglers in _STARS:
        yield _computed(n, stragglers, stragglers / n)


@paper.claim("gradients.sgd-iteration.corrected", f"{_PLACE}, corrected")
def _() -> Cases:
    """In an iteration of SGD all workers compute d gradients, of which the share 1 - alpha is
    used."""
    for n, stragglers in _STARS:
        yield _computed(n, stragglers, 1.0)
    # answers, each with d/N gradients
    for n, stragglers in _STARS:
        answers = 10.0 * (n - stragglers)
        yield after(_sgd(n, stragglers, 10), "uploads", answers, scale=10.0 * n)


@paper.claim("gradients.total.printed", _PLACE, REFUTED, relation=">")
def _() -> Cases:
    """SGD computes more gradients than CR until accuracy eps (SGD's over those of CR, steps 1/(t+1)
    and 0.5)."""
    return map(_total, (*_COARSE, *_FINE))


@paper.claim("gradients.total.fine.corrected", _CONDITIONAL, LOOSE, relation=">")
def _() -> Cases:
    """SGD computes more gradients than CR until a small enough accuracy eps."""
    return map(_total, (*_FINE, 1e-4))


@paper.claim("gradients.total.coarse.corrected", _CONDITIONAL, LOOSE, relation="<")
def _() -> Cases:
    """Until a loss that is not close to the least, SGD computes fewer gradients than CR: not N r_CR
    times those of descent with full gradients, each computed once."""
    for tree, star in _TREES:
        # full gradients, each computed once; CR has N r_CR of them
        more = gradients(*tree, _SAMPLES) / _SAMPLES
        for loss in (0.6, 0.45):
            full = _sgd(star[0], 0, 60, target_loss=loss)
            sgd = _sgd(*star, 60, target_loss=loss)
            yield until(sgd, "gradients_to_loss", more, against=full, note={"tree": list(tree)})
    yield from map(_total, _COARSE)


def _sgd(n: int, stragglers: int, iterations: int, problem: Table = _NOISY, **more: Any) -> Table:
    """Descent with the gradients of those that answer; with full ones if there is no straggler."""
    code = {"family": "uncoded", "n": n}
    straggling = uniform(stragglers) if stragglers else None
    return coded(code, descent(_STEP), iterations, problem, straggling, **more)


def _ignoring(step: float | None, error: Callable[[int, int, int], float]) -> Cases:
    """Mean square distance of SGD with a constant step, or with steps 1/(t + 1)."""
    for optima, stragglers, iterations in _RUNS:
        given: Table = {"optima": list(optima), "stragglers": stragglers, "iterations": iterations}
        theory = error(len(optima), stragglers, iterations)
        yield finite("ignoring_error", theory, **given, step=step)


def _computed(n: int, stragglers: int, share: float) -> Case:
    run = _sgd(n, stragglers, 10)
    return after(run, "gradients", 10 * share * _SAMPLES, scale=10 * _SAMPLES)


def _total(epsilon: float) -> Case:
    given: Table = {"optima": list(_SIX), "stragglers": 3, "tree": [2, 2, 1], "step": _STEP}
    return finite("ignoring_over_tree_gradients", 1.0, **given, epsilon=epsilon)
