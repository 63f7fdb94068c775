"""Iterations and gradients until a model is accurate (paper codedreduce, Section III-C).

A model is ε-accurate when ‖θ − θ*‖² ≤ ε = ``epsilon``. CodedReduce descends full gradients. What
the paper calls SGD descends the mean gradient of those workers that answer; here their losses are
½(θ − y_j)², ``variance`` being that of the y_j, and all sets of stragglers are alike.
"""

from __future__ import annotations

import math

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise


@elementwise
def descent_iterations(epsilon: float, contraction: float) -> float:
    """Iterations ⌈log(1/ε)/(−2 log ρ)⌉ from distance 1, each of which leaves the share ρ. Exact.

    codedreduce, Section III-C: O(log 1/ε). With constant step a, ρ = 1 − a λ for the least
    curvature λ, where a times the largest is at most 1.

    >>> descent_iterations(1e-6, 0.5)
    10.0
    """
    _above_zero("epsilon", epsilon)
    if not 0.0 < contraction < 1.0:
        raise FastgcError(f"contraction: got {contraction}, but a share in (0, 1) is needed")
    return float(max(0, math.ceil(math.log(epsilon) / (2.0 * math.log(contraction)))))


@elementwise
def survivors_variance(n: int, stragglers: int, variance: float = 1.0) -> float:
    """Variance of the mean of n − s of n numbers, drawn without replacement. Textbook.

    >>> round(survivors_variance(6, 3), 6)
    0.2
    """
    check_count("n", n, 2)
    check_count("stragglers", stragglers, 0, n - 1)
    return variance * stragglers / ((n - stragglers) * (n - 1.0))


@elementwise
def decaying_error(n: int, stragglers: int, iterations: int, variance: float = 1.0) -> float:
    """Mean square distance v/t of SGD with steps 1/(t+1) after t iterations. Derived, exact.

    θ is then the mean of what t independent sets of survivors would choose, of variance v.

    >>> round(decaying_error(6, 3, 4), 6)
    0.05
    """
    check_count("iterations", iterations, 1)
    return float(survivors_variance(n, stragglers, variance)) / iterations


@elementwise
def decaying_iterations(epsilon: float, n: int, stragglers: int, variance: float = 1.0) -> float:
    """Iterations ⌈v/ε⌉ of SGD with steps 1/(t+1) until the mean square distance is ε; O(1/ε).

    >>> decaying_iterations(0.03, 6, 3)
    7.0
    """
    _above_zero("epsilon", epsilon)
    return float(math.ceil(float(survivors_variance(n, stragglers, variance)) / epsilon))


@elementwise
def constant_error(
    n: int, stragglers: int, step: float, iterations: int, variance: float = 1.0
) -> float:
    """Mean square distance of SGD with a constant step after t iterations from θ*. Derived, exact.

    v a/(2 − a) (1 − (1 − a)^(2t)): it never gets below v a/(2 − a).

    >>> round(constant_error(6, 3, 0.5, 100), 6)
    0.066667
    """
    check_count("iterations", iterations, 0)
    if not 0.0 < step < 2.0:
        raise FastgcError(f"step: got {step}, but a number in (0, 2) is needed")
    v = float(survivors_variance(n, stragglers, variance))
    return v * step / (2.0 - step) * (1.0 - (1.0 - step) ** (2 * int(iterations)))


def _above_zero(name: str, value: float) -> None:
    if not 0.0 < value < math.inf:
        raise FastgcError(f"{name}: got {value}, but a finite number above 0 is needed")
