"""Loss curves of the simulation, beside which the measured one is held.

One knows who was late in each round; it must be the measured curve. The others know the study's
law alone: the band of their runs is what was to be expected before anything was measured.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import Batch
from fastgc.measuring.plans import Plan
from fastgc.measuring.schemes import CodedGradient
from fastgc.results.measurements import finite
from fastgc.training.coded import Descent
from fastgc.training.optimizers import Optimizer
from fastgc_kernels.train import optimizing

#: Simulated runs, in groups of 64; times of workers, and products of samples, in all of them.
_GROUPS, _TIMES, _PRODUCTS = 4, 4e6, 4e9
#: Steps of a curve that are kept.
_STEPS = 200
#: Share of the runs that lie in the band.
_BAND = 0.9


def of_patterns(
    scheme: CodedGradient, optimizer: Optimizer, patterns: Mask
) -> tuple[Values, Values]:
    """Return losses (rounds + 1, runs) of the simulation for who answered (rounds, n, runs).

    And the decoding error of each round, (rounds, runs).
    """
    rounds, n, runs = patterns.shape
    assert scheme.problem is not None and scheme.data is not None
    ways, index = np.unique(patterns.transpose(0, 2, 1).reshape(-1, n), axis=0, return_inverse=True)
    descent = Descent(scheme.problem, scheme.data, scheme.code.k, optimizer, rounds)
    index = index.reshape(rounds, runs)
    # without weights results are exact
    ones = np.ones((len(ways), scheme.code.k))
    weights = scheme.weights(ways) if scheme.has_weights else ones
    return descent.run(weights, index).loss, scheme.errors(ways)[index]


def gradient_errors(scheme: CodedGradient, optimizer: Optimizer, used: Mask) -> Values | None:
    """Return each round's ‖ĝ − g‖² by the inner products of its partial gradients, (rounds,).

    As measured, over the square of g or of the first round's, whichever is more. ``used`` (rounds,
    n) are the answers that are decoded; None where that takes too long.
    """
    problem, data, rounds = scheme.problem, scheme.data, len(used)
    if problem is None or data is None or not scheme.has_weights or scheme.by_speed:
        return None
    if rounds * data.samples * scheme.parameters > _PRODUCTS / 10:
        return None
    theta, weights = problem.start(data), scheme.weights(used)
    settings, plan, moments = optimizer.vector(), np.empty((rounds, 3)), np.zeros((3, theta.size))
    optimizing.schedule(settings, plan)
    found, first = np.empty(rounds), 0.0
    for number, own in enumerate(weights):
        parts = scheme.partial_gradients(theta)
        gram = parts @ parts.T
        first = max(first, float(gram.sum())) if number == 0 else first
        scale = max(first, float(gram.sum()))
        error = float((own - 1) @ gram @ (own - 1))
        found[number] = error / scale if scale > 0 else error
        optimizing.advance_one(settings, plan[number], own @ parts, theta, moments)
    return found


def expected(plan: Plan, rounds: int) -> dict[str, Any] | None:
    """Return what the study's law says of losses and of the clock, before anything is measured.

    The ends of the band and the mean of simulated runs, and the mean seconds until then, at some
    steps, and the mean decoding error of a round; None where rounds hinder each other, without a
    law, or where that takes too long.
    """
    scheme, rule = plan.scheme, plan.rule
    if not isinstance(scheme, CodedGradient) or scheme.by_speed or not scheme.has_weights:
        return None
    if plan.optimizer is None or scheme.data is None or not rule.has_law:
        return None
    if plan.how.between_rounds == "finish" or rule.parts > 1:
        return None
    once = rounds * scheme.data.samples * scheme.parameters
    groups = int(min(_GROUPS, _TIMES / (64 * rounds * rule.n), _PRODUCTS / (64 * once)))
    if groups < 1:
        return None
    times = rule.simulated.draws.times(Batch(plan.seed, "measure learning", 0, groups, rounds))
    runs = times.shape[-1]
    flat = np.ascontiguousarray(times.transpose(1, 0, 2)).reshape(rule.n, -1)
    over = rule.simulated.evaluator.done(flat)
    answered = rule.simulated.answered(flat, over).reshape(rule.n, rounds, runs)
    loss, errors = of_patterns(scheme, plan.optimizer, answered.transpose(1, 0, 2))
    clock = np.concatenate([np.zeros((1, runs)), over.reshape(rounds, runs).cumsum(axis=0)])
    steps = kept(rounds)
    low, high = np.quantile(loss[steps], [(1 - _BAND) / 2, (1 + _BAND) / 2], axis=1)
    found = {"mean": loss[steps].mean(axis=1), "low": low, "high": high}
    found["seconds"] = clock[steps].mean(axis=1)
    facts = {"runs": runs, "band": _BAND, "steps": steps.tolist(), "error": float(errors.mean())}
    return facts | {key: list(map(finite, each)) for key, each in found.items()}


def kept(rounds: int) -> NDArray[np.int64]:
    """Return the steps of a curve that are kept."""
    return np.unique(np.linspace(0, rounds, _STEPS).astype(np.int64))
