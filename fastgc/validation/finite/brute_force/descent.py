"""Training with decoded gradients, exactly: every class, every pattern, moments step by step.

Weights of partitions are least squares on each pattern. Losses are of linear regression with one
feature on random data: the mean of the squared distance after an iteration is linear in the moments
before it, so runs need not be enumerated.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.codes import matrix
from fastgc.validation.finite.brute_force.trees import gradients_computed

Code = Mapping[str, Any]

_SAMPLES = 2


def mean_loss_difference(
    codes: tuple[Code, Code],
    shuffles: tuple[str, str],
    step: float,
    iterations: int,
    law: tuple[float, float, float],
    noise: float,
    seed: int,
) -> float:
    """Mean loss after so many iterations, the first way less the second, over that at the start.

    ``law`` is (p_slow, p_straggle_slow, p_straggle_active). The largest curvature is 1, so that
    descent with full gradients diverges from step 2 on.
    """
    p_slow, *straggle = law
    losses, start = [], 0.0
    for code, shuffle in zip(codes, shuffles, strict=True):
        B = matrix(code)
        n = B.shape[1]
        steps, first = _steps(tuple(map(tuple, B.tolist())), step, noise, seed)
        by_classes = np.array(
            [
                np.tensordot(_probabilities([straggle[not one] for one in slow]), steps, 1)
                for slow in itertools.product((False, True), repeat=n)
            ]
        )
        last = _last(by_classes, shuffle, iterations, first)
        losses.append(math.fsum(_probabilities([p_slow] * n) * last))
        start = float(_start(first)[0] / 2 + first[1])
    difference = (losses[0] - losses[1]) / start
    return difference if abs(difference) > 1e-12 else 0.0


def descent_iterations(
    curvatures: Sequence[float], step: float, epsilon: float, start: Sequence[float]
) -> int:
    """Descend a quadratic from distance 1 in the direction of ``start`` until ‖θ − θ*‖² ≤ ε."""
    distance = np.array(start) / np.linalg.norm(start)
    shrink = 1.0 - step * np.array(curvatures)
    count = 0
    while distance @ distance > epsilon:
        distance *= shrink
        count += 1
    return count


def ignoring_iterations(optima: Sequence[float], stragglers: int, epsilon: float) -> int:
    """Count iterations until the mean (θ − θ*)², which is 1 at first, is at most ε.

    Survivors' means are descended with steps 1/(t + 1).
    """
    best = sum(optima) / len(optima)
    chosen = list(itertools.combinations(optima, len(optima) - stragglers))
    spread = math.fsum((math.fsum(each) / len(each) - best) ** 2 for each in chosen) / len(chosen)
    square, count = 1.0, 0
    while square > epsilon:
        rate = 1.0 / (count + 1)
        square = (1.0 - rate) ** 2 * square + rate**2 * spread
        count += 1
    return count


def ignoring_over_tree_gradients(
    optima: Sequence[float],
    stragglers: int,
    tree: tuple[int, int, int],
    step: float,
    epsilon: float,
) -> float:
    """Divide the gradients until mean (θ − θ*)² ≤ ε, stragglers ignored, by those of a coded tree.

    The tree descends full gradients with ``step``.
    """
    full = descent_iterations([1.0], step, epsilon, [1.0])
    coded = float(full * gradients_computed(*tree, samples=1))
    return ignoring_iterations(optima, stragglers, epsilon) / coded


def _probabilities(p: Sequence[float]) -> Values:
    """Probability of every set of stragglers, none first, the last worker changing fastest."""
    out = np.ones(1)
    for each in p:
        out = np.multiply.outer(out, np.array([1.0 - each, each])).reshape(-1)
    return out


@cache
def _steps(
    rows: tuple[tuple[float, ...], ...], step: float, noise: float, seed: int
) -> tuple[Values, tuple[float, float]]:
    """What every pattern makes of (e², e, 1), e = θ − θ*; e at the start, and the least loss."""
    B = np.array(rows)
    k = len(B)
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((k, _SAMPLES))
    y = x + noise * draw.standard_normal((k, _SAMPLES))
    x, y = (values / math.sqrt(float((x**2).mean())) for values in (x, y))
    best = float((x * y).mean())
    hessians = (x**2).sum(axis=1) / x.size
    slopes = (x * (x * best - y)).sum(axis=1) / x.size
    rows_of_weights = []  # of partitions under every pattern, in the order of `_probabilities`
    for alive in itertools.product((True, False), repeat=B.shape[1]):
        A = B[:, alive]
        rows_of_weights.append(A @ np.linalg.lstsq(A, np.ones(k), rcond=None)[0])
    weights = np.array(rows_of_weights)
    shrink, shift = 1.0 - step * weights @ hessians, -step * weights @ slopes
    zero, one = np.zeros(len(weights)), np.ones(len(weights))
    steps = np.array(
        [[shrink**2, 2.0 * shrink * shift, shift**2], [zero, shrink, shift], [zero, zero, one]]
    )
    least = float(((x * best - y) ** 2).mean()) / 2
    return np.ascontiguousarray(steps.transpose(2, 0, 1)), (-best, least)


def _start(first: tuple[float, float]) -> Values:
    return np.array([first[0] ** 2, first[0], 1.0])


def _last(by_classes: Values, shuffle: str, iterations: int, first: tuple[float, float]) -> Values:
    """Mean loss (2ⁿ,) at the end, given the workers' classes."""
    n = len(by_classes).bit_length() - 1
    classes = list(itertools.product((False, True), repeat=n))
    moments = np.tile(_start(first), (len(classes), 1))
    if shuffle == "random":
        sizes = np.array([sum(slow) for slow in classes])
        alike = np.array([by_classes[sizes == m].mean(axis=0) for m in range(n + 1)])
        by_classes = alike[sizes]
    places = {slow: i for i, slow in enumerate(classes)}
    for iteration in range(iterations):
        turn = iteration % n if shuffle == "cyclic" else 0
        # column j is then worker j − turn's
        turned = [places[slow[n - turn :] + slow[: n - turn]] for slow in classes]
        moments = np.einsum("cij,cj->ci", by_classes[turned], moments)
    return moments[:, 0] / 2 + first[1]
