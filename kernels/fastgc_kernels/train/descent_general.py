"""The frame of descent that all losses share: how an iteration begins, adds up and ends.

A loss has a `descend` of its own: in every iteration of a group of trials `begin`, its gradient of
each partition with `add_partition`, and `finish`. The frame is inlined, and what it calls is
compiled for arrays: so no more is compiled for one loss than what it needs.

In an iteration every partition's gradient is taken once. Their sum is the full gradient; the sum of
each times (weight − 1) is what decoding makes of it beyond that, exactly 0 where all weights are 1.
Gradient descent with weighted partial gradients (Tandon, Lei, Dimakis, Karampatziakis, 2017).
"""

from typing import NamedTuple

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.variates import exp, log
from fastgc_kernels.train.lanes import LANES, add_products, clear, products
from fastgc_kernels.train.optimizing import advance, schedule

BLOCK = 16  # samples at a time
DIVERGED = 1e12  # times the first loss plus 1


class Runs(NamedTuple):
    """How T runs of L iterations are trained.

    Iteration l of run t decodes with row ``index[l, t]`` (L, T) of ``weights`` (m, k), a weight for
    each partition; ``settings`` are an optimizer's; all runs begin at ``start`` (p,).
    """

    weights: Floats
    index: Integers
    settings: Floats
    start: Floats


class Curves(NamedTuple):
    """What is filled: ``loss`` (L + 1, T), ``gradient_error`` (L, T) and ``distance`` (L + 1, T).

    A curve with 0 rows is left out. The distance is ‖θ − best‖² times ``scale``.
    """

    loss: Floats
    gradient_error: Floats
    distance: Floats
    best: Floats
    scale: float


class State(NamedTuple):
    """What a group of trials keeps, each trial a lane; it is overwritten by the next group."""

    plan: Floats  # (L, 3): the optimizer's schedule, the same for all trials
    theta: Floats  # (p, LANES)
    moments: Floats  # (3, p, LANES)
    full: Floats  # (p, LANES): sum of the partitions' gradients
    beyond: Floats  # (p, LANES): sum of them times weight − 1
    part: Floats  # (p, LANES): one partition's gradient
    excess: Floats  # (k, LANES): weight − 1
    total: Floats  # (LANES,): sum of losses over samples
    limit: Floats  # (LANES,): largest loss of a run that has not diverged, else −1


@inline
def state_of(runs: Runs) -> State:
    """Room for a group of trials, and the schedule of the optimizer's steps."""
    size = runs.start.size
    plan = np.empty((runs.index.shape[0], 3))
    schedule(runs.settings, plan)
    return State(
        plan,
        np.empty((size, LANES)),
        np.empty((3, size, LANES)),
        np.empty((size, LANES)),
        np.empty((size, LANES)),
        np.empty((size, LANES)),
        np.zeros((runs.weights.shape[1], LANES)),
        np.empty(LANES),
        np.empty(LANES),
    )


@jit
def _start_runs(start: Floats, theta: Floats, moments: Floats) -> None:
    for a in range(start.size):
        row = theta[a]
        for t in range(LANES):
            row[t] = start[a]
    for m in range(moments.shape[0]):
        clear(moments[m])


@inline
def begin(iteration: int, first: int, runs: Runs, state: State) -> None:
    """Begin an iteration of trials ``first``, …, and before iteration 0 their runs."""
    if iteration == 0:
        _start_runs(runs.start, state.theta, state.moments)
    clear(state.full)
    clear(state.beyond)
    for t in range(LANES):
        state.total[t] = 0.0
    if iteration < runs.index.shape[0]:
        _excess_weights(runs.weights, runs.index, iteration, first, state.excess)


@inline
def finish(
    iteration: int, first: int, samples: int, runs: Runs, curves: Curves, state: State
) -> None:
    """End an iteration: write its curves and, unless it was the last, take a step."""
    _record(
        iteration, first, samples, state.total, state.limit, state.theta, state.full, state.beyond,
        curves,
    )  # fmt: skip
    if iteration < runs.index.shape[0]:
        _decode(samples, state.full, state.beyond)
        advance(runs.settings, state.plan[iteration], state.full, state.theta, state.moments)


@jit
def _excess_weights(weights, index, iteration, first, out):
    # each partition's weight − 1; lanes beyond the last trial do again what the last one does
    last = index.shape[1] - 1
    for t in range(LANES):
        own = weights[index[iteration, min(first + t, last)]]
        for i in range(own.size):
            out[i, t] = own[i] - 1.0


@jit
def add_partition(part: Floats, excess: Floats, full: Floats, beyond: Floats) -> None:
    """Add a partition's gradient to the full one, and times excess (LANES,) to what is beyond."""
    for a in range(part.shape[0]):
        own = part[a]
        x = full[a]
        y = beyond[a]
        for t in range(LANES):
            x[t] += own[t]
            y[t] += excess[t] * own[t]


@jit
def _squares(values: Floats, out: Floats) -> None:
    for t in range(LANES):
        out[t] = 0.0
    for a in range(values.shape[0]):
        row = values[a]
        for t in range(LANES):
            out[t] += row[t] * row[t]


@jit
def _record(iteration, first, samples, total, limit, theta, full, beyond, curves):
    loss, gradient_error, distance, best, scale = curves
    lanes = min(LANES, loss.shape[1] - first)
    # the mean loss, and who has diverged: once is for good
    for t in range(lanes):
        value = total[t] / np.float64(samples)
        if iteration == 0:
            limit[t] = DIVERGED * (value + 1.0) if value < np.inf else -1.0
        if not value <= limit[t]:
            limit[t] = -1.0
            value = np.nan
        loss[iteration, first + t] = value
    # how far the decoded gradient is from the full one: the length of what is beyond it
    if iteration < gradient_error.shape[0]:
        away = np.empty(LANES)
        whole = np.empty(LANES)
        _squares(beyond, away)
        _squares(full, whole)
        for t in range(lanes):
            value = 0.0 if away[t] == 0.0 else away[t] / whole[t]
            gradient_error[iteration, first + t] = value if limit[t] >= 0.0 else np.nan
    if iteration < distance.shape[0]:
        for t in range(lanes):
            value = 0.0
            for a in range(best.size):
                gap = theta[a, t] - best[a]
                value += gap * gap
            distance[iteration, first + t] = value * scale if limit[t] >= 0.0 else np.nan


@jit
def _decode(samples: int, full: Floats, beyond: Floats) -> None:
    for a in range(full.shape[0]):
        x = full[a]
        y = beyond[a]
        for t in range(LANES):
            x[t] = (x[t] + y[t]) / np.float64(samples)


# ---- Descent by one pass over the samples an iteration, for each kind of model
#
# Linear regression with more features than Gram matrices are good for, logistic and softmax
# regression. Partition i is samples ``bounds[i]`` … ``bounds[i + 1]`` − 1 of X (N, f) and y (N,).


@inline
def _descend(gradient, model, X: Floats, y: Floats, bounds: Integers, runs: Runs, curves: Curves):
    # ``gradient`` adds a block of samples
    iterations, trials = runs.index.shape
    state = state_of(runs)
    _, theta, _, full, beyond, part, excess, total, _ = state
    for first in range(0, trials, LANES):
        for l in range(iterations + 1):  # noqa: E741
            begin(l, first, runs, state)
            for i in range(bounds.size - 1):
                clear(part)
                for low in range(bounds[i], bounds[i + 1], BLOCK):
                    high = min(low + BLOCK, bounds[i + 1])
                    gradient(X[low:high], y[low:high], theta, total, part, model)
                add_partition(part, excess[i], full, beyond)
            finish(l, first, X.shape[0], runs, curves, state)


@jit
def _squared(margins: Floats, y: Floats, total: Floats):
    # adds losses ½(z − y)² to ``total``, and turns margins z (s, LANES) into slopes
    for i in range(y.size):
        row = margins[i]
        target = y[i]
        for t in range(LANES):
            gap = row[t] - target
            total[t] += 0.5 * (gap * gap)
            row[t] = gap


@inline
def logistic_loss(m):
    """(log(1 + e^−m), 1/(1 + e^m)): loss at margin m and how steeply it falls there.

    Only e^−|m| ≤ 1 is formed, so that nothing overflows; what 1 + e^−|m| loses in rounding is put
    back, so that small losses keep their digits. A margin that is no number gives a loss that is
    none.
    """
    e = exp(-abs(m))
    one = 1.0 + e
    part = 1.0 / one
    loss = (0.0 if m > 0.0 else -m) + (log(one) + (e - (one - 1.0)) * part)
    return loss, (e if m > 0.0 else 1.0) * part


@jit
def _logistic(margins: Floats, y: Floats, total: Floats):
    # the same of losses log(1 + e^−yz), y = ±1
    for i in range(y.size):
        row = margins[i]
        sign = y[i]
        for t in range(LANES):
            value, fall = logistic_loss(sign * row[t])
            total[t] += value
            row[t] = -sign * fall


@inline
def _of_margins(rows, y, theta, total, part, model):
    logistic, margins = model
    products(rows, theta, margins)
    if logistic:
        _logistic(margins, y, total)
    else:
        _squared(margins, y, total)
    add_products(rows, margins, part)


@jit
def margins(
    X: Floats, y: Floats, bounds: Integers, logistic: bool, runs: Runs, curves: Curves
) -> None:
    """Run all trials of a model of one number xᵀθ a sample.

    ``y`` is ±1 for ``logistic`` losses and any numbers for squared ones.
    """
    _descend(_of_margins, (logistic, np.empty((BLOCK, LANES))), X, y, bounds, runs, curves)


@jit
def _cross_entropy(scores: Floats, y: Floats, total: Floats) -> None:
    # adds to ``total`` (LANES,) and turns scores (C, s, LANES) into slopes; ``y`` (s,) are class
    # numbers; a score that is not finite makes the loss not a number
    top = np.empty(LANES)
    mass = np.empty(LANES)
    for i in range(y.size):
        label = np.int64(y[i])
        own = scores[label, i]
        for t in range(LANES):
            total[t] -= own[t]
            top[t] = own[t]
            mass[t] = 0.0
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                top[t] = max(top[t], row[t])
                total[t] += 0.0 * row[t]
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                value = exp(row[t] - top[t])
                mass[t] += value
                row[t] = value
        for t in range(LANES):
            total[t] += top[t] + log(mass[t])
            mass[t] = 1.0 / mass[t]
        for c in range(scores.shape[0]):
            row = scores[c, i]
            for t in range(LANES):
                row[t] *= mass[t]
        for t in range(LANES):
            own[t] -= 1.0


@inline
def _of_softmax(rows, y, theta, total, part, model):
    classes, scores = model
    features = rows.shape[1]
    for c in range(classes):
        products(rows, theta[c * features : (c + 1) * features], scores[c])
    _cross_entropy(scores, y, total)
    for c in range(classes):
        add_products(rows, scores[c], part[c * features : (c + 1) * features])


@jit
def softmax(
    X: Floats, y: Floats, bounds: Integers, classes: int, runs: Runs, curves: Curves
) -> None:
    """Run all trials of softmax regression; ``y`` are class numbers, parameters (C, f) by rows."""
    model = classes, np.empty((classes, BLOCK, LANES))
    _descend(_of_softmax, model, X, y, bounds, runs, curves)
