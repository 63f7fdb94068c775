"""When layered tasks are done: worker i's j-th task at j X_i, X_i its one speed (hierarchical).

Layer j is done with k_j answers, so the job at τ = max_j j X_(k_j). The paper's text ends before
its theorem; what is said here follows from its model (5), where X_i is a shift plus an exponential
time (α and 1/μ there).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.common.order_statistics import exponential_order_mean, order_tail
from fastgc.theory.common.quadrature import half_line
from fastgc.theory.common.staircase import staircase_probability

Values = NDArray[np.float64]

#: Terms of an exact polynomial; more take seconds.
_MOST_TERMS = 20_000


@elementwise
def tasks_probability(tasks: int, t: float, mean: float = 1.0, shift: float = 0.0) -> float:
    """F_s(t): probability that a worker has done s tasks by t (hierarchical, (5)).

    >>> round(tasks_probability(2, 3.0, shift=0.5), 6)
    0.632121
    """
    check_count("tasks", tasks, 1)
    _check_law(mean, shift)
    return -math.expm1(-max(t / tasks - shift, 0.0) / mean)


def finishing_probability(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """P(τ ≤ t): at least k_j workers have X ≤ t/j, for every layer j. Exact.

    A staircase probability (Noé 1972) in O(r n²), r layers.

    >>> round(finishing_probability(10, [9, 8, 6, 5], 5.0, shift=0.5), 7)
    0.6137999
    """
    needs = _check_layers(n, k)
    _check_law(mean, shift)
    return float(_finished(n, needs, np.array([float(t)]), mean, shift)[0])


def finishing_mean(n: int, k: Sequence[int], mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean of τ, by quadrature of its distribution.

    >>> round(finishing_mean(10, [9, 8, 6, 5], shift=0.5), 7)
    4.8221169
    """
    return _moment(n, k, mean, shift, 1)


def finishing_variance(n: int, k: Sequence[int], mean: float = 1.0, shift: float = 0.0) -> float:
    """Variance of τ, by quadrature of its distribution.

    >>> round(finishing_variance(3, [2], shift=0.5), 9)
    0.361111111
    """
    return _moment(n, k, mean, shift, 2) - _moment(n, k, mean, shift, 1) ** 2


def finishing_mean_fraction(n: int, k: Sequence[int]) -> Fraction:
    """Mean of τ for unit exponential times, as a fraction.

    >>> finishing_mean_fraction(4, [3, 2])
    Fraction(41, 30)
    """
    needs = _check_layers(n, k)
    layers = len(needs)
    if math.comb(n + layers, layers) > _MOST_TERMS:
        raise FastgcError(
            f"n, k: got {n} workers and {layers} layers, too many for fractions; use finishing_mean"
        )
    # exponents of e^−t in units of 1/scale; layer j looks at e^(−t/j)
    scale = math.lcm(*range(1, layers + 1))
    weights: dict[int, dict[int, int]] = {0: {0: 1}}
    later = 0
    for j in range(layers, 0, -1):
        after: dict[int, dict[int, int]] = {}
        for done, polynomial in weights.items():
            power = polynomial
            for more in range(n - done + 1):
                if more:
                    power = _times_difference(power, later, scale // j)
                if done + more >= needs[j - 1]:
                    target = after.setdefault(done + more, {})
                    for exponent, c in power.items():
                        found = target.get(exponent, 0) + c * math.comb(n - done, more)
                        target[exponent] = found
        weights, later = after, scale // j
    finished: dict[int, int] = {}
    for done, polynomial in weights.items():
        for exponent, c in polynomial.items():
            place = exponent + (n - done) * later
            finished[place] = finished.get(place, 0) + c
    terms = (Fraction(-c * scale, exponent) for exponent, c in finished.items() if exponent)
    return sum(terms, Fraction(0))


def independent_probability_printed(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """P(τ ≤ t) if layers were "parallel and independent erasure channels" (Section II). Wrong.

    A lower bound: the layers' finishing times are associated.

    >>> round(independent_probability_printed(10, [9, 8, 6, 5], 5.0, shift=0.5), 4)
    0.487
    """
    return math.prod(_layer_probabilities(n, k, t, mean, shift))


def weakest_probability(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """P(τ ≤ t) at most that of the layer least likely to be done. Derived.

    >>> round(weakest_probability(10, [9, 8, 6, 5], 5.0, shift=0.5), 4)
    0.6889
    """
    return min(_layer_probabilities(n, k, t, mean, shift))


@elementwise
def single_rate_mean(n: int, tasks: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time tasks/k · E X_(k) of an (n, k) MDS code whose workers do tasks/k tasks each.

    The previous work that the factor 1.5 is against (hierarchical, Abstract): all or nothing.

    >>> round(single_rate_mean(10, 50, 4, shift=0.1), 5)
    7.2371
    """
    check_count("tasks", tasks, 1)
    return tasks / k * float(exponential_order_mean(n, k, mean, shift))


@elementwise
def best_single_rate(n: int, tasks: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """The k with the least `single_rate_mean`.

    >>> best_single_rate(10, 50, shift=0.1)
    4.0
    """
    check_count("n", n, 1)
    return float(
        min(
            range(1, int(n) + 1),
            key=lambda k: float(single_rate_mean(n, tasks, k, mean, shift)),
        )
    )


def _moment(n: int, k: Sequence[int], mean: float, shift: float, power: int) -> float:
    needs = _check_layers(n, k)
    _check_law(mean, shift)
    last = max(j for j, need in enumerate(needs, 1) if need)
    start = last * shift

    def tail(t: Values) -> Values:
        late = 1.0 - _finished(n, needs, t, mean, shift)
        return np.asarray(late if power == 1 else 2.0 * t * late)

    return start**power + half_line(tail, start, last * mean, 1e-12)


def _finished(n: int, needs: tuple[int, ...], t: Values, mean: float, shift: float) -> Values:
    layers = np.arange(len(needs), 0, -1)[:, None]
    chances = -np.expm1(-np.maximum(t / layers - shift, 0.0) / mean)
    return staircase_probability(n, needs[::-1], chances)


def _layer_probabilities(
    n: int, k: Sequence[int], t: float, mean: float, shift: float
) -> list[float]:
    chances = [
        (need, float(tasks_probability(j, t, mean, shift)))
        for j, need in enumerate(_check_layers(n, k), 1)
    ]
    return [1.0 - float(order_tail(n, need, 1.0 - p)) if need else 1.0 for need, p in chances]


def _times_difference(polynomial: dict[int, int], later: int, sooner: int) -> dict[int, int]:
    """Multiply by w^later − w^sooner."""
    out: dict[int, int] = {}
    for exponent, c in polynomial.items():
        out[exponent + later] = out.get(exponent + later, 0) + c
        out[exponent + sooner] = out.get(exponent + sooner, 0) - c
    return out


def _check_layers(n: int, k: Sequence[int]) -> tuple[int, ...]:
    check_count("n", n, 1)
    for j, need in enumerate(k, 1):
        check_count(f"k_{j}", need, 0, n)
    if not any(k):
        raise FastgcError(f"k: got {list(k)}, but some layer must need an answer")
    return tuple(int(need) for need in k)


def _check_law(mean: float, shift: float) -> None:
    if not 0.0 < mean < math.inf:
        raise FastgcError(f"mean: got {mean}, but a finite number above 0 is needed")
    if not 0.0 <= shift < math.inf:
        raise FastgcError(f"shift: got {shift}, but a finite number of at least 0 is needed")
