"""How many answers k_j each layer should need (paper hierarchical): guidelines and the optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from fastgc.errors import FastgcError
from fastgc.theory.cases.completion import timed
from fastgc.theory.cases.finite import finite
from fastgc.theory.common.arguments import check_count, check_positive, elementwise
from fastgc.theory.hierarchical.paper import paper
from fastgc.theory.hierarchical.time import (
    finishing_mean,
    layers_with,
    mean_time,
    tasks_probability,
)
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

#: More candidates take minutes.
_MOST_CANDIDATES = 1000

#: n, α, k of equal failure exponents once rounded, k of the least mean.
_DESIGNS: tuple[tuple[int, float, tuple[int, ...], tuple[int, ...]], ...] = (
    (10, 1.0, (9, 6, 4, 1), (9, 7, 4, 0)),
    (10, 0.1, (9, 6, 4, 1), (8, 5, 4, 3)),
    (10, 1.0, (7, 3), (8, 2)),
    (20, 1.0, (17, 12, 8, 3), (19, 13, 7, 1)),
)


@paper.formula
@elementwise
def failure_exponent(n: int, k: int, layer: int, mean: float = 1.0) -> float:
    """Rate (n+1−k)/(j mean) at which P(layer j is not done by t) falls with t. Derived.

    A layer fails if n+1−k workers are late, each with a probability of about e^(−t/(j mean)).

    >>> failure_exponent(10, 8, 3)
    1.0
    """
    check_count("n", n, 1)
    check_count("k", k, 1, n)
    check_count("layer", layer, 1)
    check_positive(mean=mean)
    return (n + 1 - k) / (layer * mean)


@paper.claim("failure-exponent.derived", "Abstract: the same failure exponent for all layers")
def _() -> Cases:
    """P(layer j is not done by t) falls like exp(-(n+1-k_j) mu t/j)."""
    for n, k, layer in ((10, 8, 3), (10, 9, 1), (20, 13, 2), (6, 2, 4)):
        exponent = failure_exponent(n, k, layer)
        yield finite("failure_slope", exponent, n=n, k=k, layer=layer, t=30.0 * layer)


@paper.formula
@elementwise
def common_exponent(n: int, layers: int, tasks: int) -> float:
    """Exponent u = 2(r(n+1) − k)/(r(r+1)) that all layers have in common with k_j = n+1−u j.

    "All layers have the same failure exponent" (hierarchical, Abstract): these k_j add up to the
    tasks, before any is clipped to 0 … n. Derived.

    >>> common_exponent(10, 4, 20)
    2.4
    """
    _check(n, layers, tasks)
    return 2.0 * (layers * (n + 1) - tasks) / (layers * (layers + 1))


@paper.formula
def equal_exponent(n: int, layers: int, tasks: int) -> list[float]:
    """Answers k_j = n+1−u j, u such that they add up to the tasks once clipped to 0 … n. Not whole.

    >>> [round(k, 9) for k in equal_exponent(10, 4, 20)]
    [8.6, 6.2, 3.8, 1.4]
    """
    _check(n, layers, tasks)

    def needs(u: float) -> list[float]:
        return [min(max(n + 1.0 - u * j, 0.0), float(n)) for j in range(1, layers + 1)]

    low, high = 0.0, float(n + 1)
    while low < (middle := 0.5 * (low + high)) < high:
        if math.fsum(needs(middle)) > tasks:
            low = middle
        else:
            high = middle
    return needs(low)


@paper.claim(
    "equal-exponent.printed", "Abstract and Section I, as a rule of design", REFUTED, relation="<="
)
def _() -> Cases:
    """Codes with the same failure exponent on all layers, k_j = n+1-uj rounded, have the least
    expected finishing time (mean over that of the best k_j)."""
    for n, shift, rule, best in _DESIGNS:
        yield _beside(n, shift, rule, best)


@paper.claim("equal-exponent.corrected", "Abstract and Section I, corrected")
def _() -> Cases:
    """The rule is a guideline: for n = 10, 4 layers, 20 tasks and alpha = 1 it has mean 4.7133 with
    (9,6,4,1) against 4.6517 with (9,7,4,0)."""
    for n, shift, rule, best in _DESIGNS[:3]:
        yield mean_time(n, rule, shift)
        yield mean_time(n, best, shift)


@paper.formula
def optimal_answers(
    n: int, layers: int, tasks: int, mean: float = 1.0, shift: float = 0.0
) -> list[int]:
    """The whole k_1 ≥ k_2 ≥ … that add up to the tasks with the least mean of τ, by exhaustion.

    A k_j below k_(j+1) could be raised for nothing, so none need be looked at.

    >>> optimal_answers(4, 2, 5)
    [3, 2]
    """
    _check(n, layers, tasks)
    candidates = list(islice(_shares(tasks, layers, n), _MOST_CANDIDATES + 1))
    if len(candidates) > _MOST_CANDIDATES:
        raise FastgcError(
            f"n, layers, tasks: more than {_MOST_CANDIDATES} ways to share out {tasks} tasks; "
            "give fewer"
        )
    return min(candidates, key=lambda k: finishing_mean(n, k, mean, shift))


@paper.claim("optimum.derived", "Section III, optimum")
def _() -> Cases:
    """No other whole k_j have a smaller mean finishing time (all are tried)."""
    best = ((10, 1.0, (9, 7, 4, 0)), (4, 0.0, (3, 2)), (8, 0.5, (6, 4, 2)), (6, 1.0, (5, 3, 1)))
    for n, shift, k in best:
        given = {"n": n, "layers": len(k), "tasks": sum(k), "mean": 1.0, "shift": shift}
        yield finite("least_finishing_mean", finishing_mean(n, k, 1.0, shift), **given)


@paper.formula
def quantile_answers(
    n: int, layers: int, tasks: int, mean: float = 1.0, shift: float = 0.0
) -> list[float]:
    """Answers k_j = n F_j(t), the mean number of workers done with layer j by t. Not whole.

    At this t they add up to the tasks, and the layers are done at about the same time. Derived.

    >>> [round(k, 3) for k in quantile_answers(10, 4, 20, shift=1.0)]
    [9.589, 6.659, 3.281, 0.471]
    """
    _check(n, layers, tasks)
    if tasks == n * layers:
        return [float(n)] * layers

    def needs(t: float) -> list[float]:
        return [n * float(tasks_probability(j, t, mean, shift)) for j in range(1, layers + 1)]

    low, high = 0.0, shift + mean
    while math.fsum(needs(high)) < tasks:
        low, high = high, 2.0 * high
    while low < (middle := 0.5 * (low + high)) < high:
        if math.fsum(needs(middle)) < tasks:
            low = middle
        else:
            high = middle
    return needs(high)


@paper.claim("quantile.derived", "Section III, another guideline", relation="<")
def _() -> Cases:
    """k_j = n F_j(t), rounded, is sometimes better than equal exponents (mean over that of equal
    exponents)."""
    for n, shift, rule, best in _DESIGNS[1:]:
        yield _beside(n, shift, best, rule)


def _beside(n: int, shift: float, k: Sequence[int], other: Sequence[int]) -> Case:
    """Ratio of the two mean times, against 1."""
    against = layers_with(n, other, shift)
    return timed(layers_with(n, k, shift), 1.0, against=against, how="ratio")


def _shares(total: int, parts: int, most: int) -> Iterator[list[int]]:
    if parts == 1:
        if total <= most:
            yield [total]
        return
    for first in range(min(total, most), -(-total // parts) - 1, -1):
        for rest in _shares(total - first, parts - 1, first):
            yield [first, *rest]


def _check(n: int, layers: int, tasks: int) -> None:
    check_count("n", n, 1)
    check_count("layers", layers, 1)
    check_count("tasks", tasks, 1, n * layers)
