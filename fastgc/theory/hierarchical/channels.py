"""Layers as erasure channels, which are not independent (paper hierarchical, Section II)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.hierarchical.paper import paper
from fastgc.theory.hierarchical.time import POINTS, check_layers, tasks_probability, unfinished_by
from fastgc.theory.papers.claim import LOOSE, REFUTED
from fastgc.theory.papers.paper import Cases


@paper.formula
def independent_probability_printed(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """P(τ ≤ t) if layers were "parallel and independent erasure channels" (Section II). Wrong.

    It is a lower bound, because the layers' finishing times are associated.

    >>> round(independent_probability_printed(10, [9, 8, 6, 5], 5.0, shift=0.5), 4)
    0.487
    """
    return math.prod(_layer_probabilities(n, k, t, mean, shift))


@paper.claim("independent.printed", "Section II", REFUTED)
def _() -> Cases:
    """Layers are parallel and independent erasure channels: P(tau <= t) is the product of the
    layers' probabilities."""
    return _unfinished(independent_probability_printed)


@paper.claim("independent.corrected", "Section II, corrected", LOOSE, relation="<=")
def _() -> Cases:
    """Layers help each other: the product of their probabilities is a lower bound of
    P(tau <= t)."""
    return _unfinished(independent_probability_printed)


@paper.formula
def weakest_probability(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Upper bound of P(τ ≤ t), the probability that the least likely layer is done by t. Derived.

    >>> round(weakest_probability(10, [9, 8, 6, 5], 5.0, shift=0.5), 4)
    0.6889
    """
    return min(_layer_probabilities(n, k, t, mean, shift))


@paper.claim("weakest.derived", "Section II, extended", relation=">=")
def _() -> Cases:
    """The weakest layer's probability is an upper bound of P(tau <= t)."""
    return _unfinished(weakest_probability)


def _unfinished(finished: Callable[[int, Sequence[int], float, float, float], float]) -> Cases:
    for n, k, shift, t in POINTS:
        yield unfinished_by(n, k, shift, t, 1 - finished(n, k, t, 1.0, shift))


def _layer_probabilities(
    n: int, k: Sequence[int], t: float, mean: float, shift: float
) -> list[float]:
    return [
        1.0 - order_tail(n, need, 1.0 - tasks_probability(j, t, mean, shift)) if need else 1.0
        for j, need in enumerate(check_layers(n, k), 1)
    ]
