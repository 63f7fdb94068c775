"""Paper hierarchical on what fastgc builds: coded layers, rules that choose what each needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.systems import layered
from fastgc.systems.rules.rules import choose
from fastgc.validation.enumerations import layers as enumerated
from fastgc.validation.enumerations import times


def undecodable_answers(n: int, k: Sequence[int], layer: int, answers: int) -> int:
    """Count the sets of so many workers from whose answers fastgc does not decode a layer, from 1.

    Tasks of random numbers are coded and decoded; the other layers' answers are not there.
    """
    scheme = layered(n, k)
    tasks = np.random.default_rng(1).standard_normal((scheme.tasks, 2))
    coded = scheme.encode(tasks)[layer - 1]
    first = sum(k[: layer - 1])
    wanted = tasks[first : first + k[layer - 1], np.newaxis]
    wrong = 0
    for workers in itertools.combinations(range(n), answers):
        try:
            found = scheme.decode(layer - 1, {worker: coded[worker] for worker in workers})
        except FastgcError:
            wrong += 1
        else:
            wrong += not np.allclose(found, wanted, atol=1e-8)
    return wrong


def finished_at(k: Sequence[int], times: Sequence[float]) -> float:
    """Compute a product from the answers of workers with these times, and say when that is."""
    A = np.arange(3.0 * sum(k)).reshape(-1, 3) % 7
    x = np.array([1.0, -2.0, 0.5])
    product, moment = layered(len(times), k).product(A, x, times)
    return moment if np.allclose(product, A @ x) else -1.0


def answers_of_layer(
    rule: str, n: int, layers: int, tasks: int, layer: int, shift: float = 0.0
) -> int:
    """Return k_j, j from 1, as a rule chooses it."""
    return _chosen(rule, n, layers, tasks, shift)[layer - 1]


def mean_of_rule(rule: str, n: int, layers: int, tasks: int, shift: float) -> float:
    """Mean finishing time of what a rule chooses, by Simpson's rule."""
    return times.finishing_mean(n, _chosen(rule, n, layers, tasks, shift), 1.0, shift)


def gain_of_a_move(rule: str, n: int, layers: int, tasks: int, shift: float) -> float:
    """Largest share of the mean that moving one task saves, after a rule's choice."""
    return enumerated.gain_of_a_move(_chosen(rule, n, layers, tasks, shift), n, shift)


def _chosen(rule: str, n: int, layers: int, tasks: int, shift: float) -> tuple[int, ...]:
    return choose(rule, n, layers, tasks, Exponential(mean=1.0, shift=shift).time())


MEASURES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        answers_of_layer,
        finished_at,
        gain_of_a_move,
        mean_of_rule,
        undecodable_answers,
    )
}
