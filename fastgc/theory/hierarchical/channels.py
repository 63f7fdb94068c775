"""Layers as erasure channels, which are not independent (paper hierarchical, Section II)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.hierarchical import paper
from fastgc.theory.hierarchical.time import POINTS, check_layers, tasks_probability, unfinished_by
from fastgc.theory.papers.claim import LOOSE, Cases


@paper.formula
def independent_probability(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """P(τ ≤ t) if the layers' channels were independent (hierarchical, Section II). Derived.

    It is a lower bound of the true one, because the layers' finishing times are associated.

    >>> round(independent_probability(10, [9, 8, 6, 5], 5.0, shift=0.5), 4)
    0.487
    """
    return math.prod(_layer_probabilities(n, k, t, mean, shift))


@paper.claim("top-layers.printed", "Section II", LOOSE, relation="<")
def _() -> Cases:
    """A top layer is a better channel than the next one: with the same code it is less likely to
    be unfinished at t."""
    for n, need, layer, shift, t in (
        (10, 6, 1, 0.5, 2.0),
        (10, 6, 2, 0.1, 3.0),
        (4, 3, 3, 0.0, 4.0),
    ):
        next_one = 1.0 - _layer_probabilities(n, [0] * layer + [need], t, 1.0, shift)[-1]
        yield unfinished_by(n, [0] * (layer - 1) + [need], shift, t, next_one)


@paper.claim("independent.derived", "Section II, extended", LOOSE, relation="<=")
def _() -> Cases:
    """If layers were independent, P(done by t) would be the product of theirs; it is larger, for
    every layer is done sooner if any worker is faster, and such events are associated (Harris):
    P(tau > t) is at most one less the product."""
    return _unfinished(independent_probability)


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
    """P(tau > t) is at least the probability that the weakest layer is not done by t."""
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
