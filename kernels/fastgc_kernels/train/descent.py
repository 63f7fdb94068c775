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
from fastgc_kernels.train.lanes import LANES, clear
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

    A curve with 0 rows is left out. The distance is ‖θ − best‖² times ``scale``. ``end`` (p, T)
    are the parameters after L iterations, left out with 0 rows.
    """

    loss: Floats
    gradient_error: Floats
    distance: Floats
    best: Floats
    scale: float
    end: Floats


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
    """Put every trial at ``start`` (p,), without a history."""
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
def _excess_weights(
    weights: Floats, index: Integers, iteration: int, first: int, out: Floats
) -> None:
    """Fill ``out`` (k, LANES) with each partition's weight − 1 in trials ``first``, ….

    Trial t decodes with row ``index[iteration, t]`` of ``weights`` (m, k). Lanes beyond the last
    trial do again what the last one does.
    """
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
    """Fill ``out`` (LANES,) with the sum of squares of values (p, LANES)."""
    for t in range(LANES):
        out[t] = 0.0
    for a in range(values.shape[0]):
        row = values[a]
        for t in range(LANES):
            out[t] += row[t] * row[t]


@jit
def _record(
    iteration: int,
    first: int,
    samples: int,
    total: Floats,
    limit: Floats,
    theta: Floats,
    full: Floats,
    beyond: Floats,
    curves: Curves,
) -> None:
    """Write an iteration's curves; a diverged trial's are not numbers, from then on."""
    loss, gradient_error, distance, best, scale, end = curves
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
    if iteration == loss.shape[0] - 1:
        for a in range(end.shape[0]):
            for t in range(lanes):
                end[a, first + t] = theta[a, t]


@jit
def _decode(samples: int, full: Floats, beyond: Floats) -> None:
    for a in range(full.shape[0]):
        x = full[a]
        y = beyond[a]
        for t in range(LANES):
            x[t] = (x[t] + y[t]) / np.float64(samples)
