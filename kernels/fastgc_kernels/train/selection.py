"""Training with the gradients of selected workers: distributed SGD and Adam, CADA, G-CADA.

The unit that is selected is a group of workers that hold the same data (one worker, but for
G-CADA). Trials are trained side by side; what one of them does depends on nothing beside it. CADA:
Chen, Guo, Sun, Yin (2021); G-CADA: Zhu, Zhang, Simeone, Wang. Batches are taken in order around
the data, or at random by Floyd's algorithm (Bentley and Floyd, 1987).
"""

import numpy as np

from fastgc_kernels._arrays import ONE, U64, Booleans, Floats, Integers
from fastgc_kernels._jit import jit
from fastgc_kernels._vectors import added, load, spread
from fastgc_kernels.draw.pattern_words import bounded
from fastgc_kernels.draw.philox import MASK32, SHIFT32, apart, halves, words_at
from fastgc_kernels.train.descent_general import DIVERGED
from fastgc_kernels.train.optimizing import advance_one, schedule
from fastgc_kernels.train.selection_models import WIDTH, gradient, losses


@jit
def in_order(low: int, size: int, place: int, turn: int, out: Integers) -> None:
    """Samples ``out`` (b,) of a worker's batch number ``turn``, in order around its data.

    Its data are ``size`` samples from ``low`` on, where the worker begins at ``place``.
    """
    at = (place + turn * out.size) % size
    for i in range(out.size):
        out[i] = low + at
        at += 1
        if at == size:
            at = 0


@jit
def at_random(low, size, group, iteration, trial, key, seen, out):
    """Samples ``out`` (b,) of the first worker of a group, all sets of b in its data alike (Floyd).

    A draw's address is (key, group, trial, iteration, step): whichever worker is the first, its
    batch is drawn alike. ``seen`` has room for all its data, and is all false before and after.
    """
    k0, k1 = halves(apart(key, group))
    trial_low = trial & MASK32
    trial_high = trial >> SHIFT32
    batch = out.size
    words = np.empty(4, np.uint64)
    for step in range(batch):
        if step % 4 == 0:
            a, b, c, d = words_at(trial, iteration, step // 4, k0, k1)
            words[0] = a
            words[1] = b
            words[2] = c
            words[3] = d
        top = size - batch + step
        pick = np.int64(
            bounded(
                words[step % 4], U64(top) + ONE, trial_low, U64(iteration), U64(step), trial_high,
                k0, k1,
            )
        )  # fmt: skip
        if seen[pick]:
            pick = top
        seen[pick] = True
        out[step] = low + pick
    for i in range(batch):
        seen[out[i] - low] = False


@jit
def _apart(a: Floats, b: Floats) -> float:
    total = spread(0.0, WIDTH)
    i = 0
    while i < a.size:
        off = load(a, i, WIDTH) - load(b, i, WIDTH)
        total += off * off
        i += WIDTH
    return added(total)


@jit
def _put(values: Floats, out: Floats) -> None:
    # over and over; a loop compiles faster than an assignment
    flat = out.reshape(out.size)
    for start in range(0, flat.size, values.size):
        for j in range(values.size):
            flat[start + j] = values[j]


@jit
def train(
    task: tuple[int, int, Floats, Floats],
    everything: tuple[Floats, Integers, Floats, float, int],
    parts: tuple[Integers, int, int],
    rule: tuple[Floats, Floats, bool, bool, bool],
    order: tuple[bool, np.uint64, np.uint64],
    optimizer: Floats,
    scale: float,
    side: int,
    beginning: Floats,
    winners: Integers,
    loss: Floats,
    selected: Booleans,
) -> None:
    """Loss (L + 1, T) of training runs, and which groups each iteration ``selected`` (L, G, T).

    ``task`` = (model, units, X, y), as gradients take it; ``everything`` = (tiles, starts,
    y, rest, samples), as losses do. ``parts`` = (bounds (G + 1,), size, batch): group g has the
    samples from bounds[g] on and ``size`` workers, a gradient takes ``batch`` samples, or all if 0.
    ``rule`` = (squares (G,), c (D,), after, displacement, always): group g is selected iff
    ``always``; or squares[g] ‖θ^k − θ^(k−τ)‖² > Σ_d c_d ‖θ^(k+1−d) − θ^(k−d)‖² over d ≤ D (with
    ``displacement`` c_1 ‖θ^k − θ^(k−D)‖²); or at age τ ≥ D (with ``after``, > D).
    ``order`` = (random, key, first trial) of the batches. ``winners`` (L, G, T) is the place of the
    worker that answers first, or has size 0 where that bears upon nothing. ``scale`` multiplies the
    sum of all groups' gradients; ``side`` trials are trained at a time. A run that diverges has the
    loss NaN from there on, and selects no more.
    """
    model, units, X, y = task
    tiles, starts, targets, rest, samples = everything
    bounds, size, batch = parts
    squares, c, after, displacement, always = rule
    random, key, first = order
    iterations, groups, trials = selected.shape
    width = beginning.size
    window = c.size
    limit = window + 1 if after else window
    zero = np.zeros(1)
    plan = np.empty((iterations, 3))
    schedule(optimizer, plan)
    # what the trials of a group keep, and what an iteration of one of them needs
    thetas = np.empty((side, width))
    # the parameters of each group's gradient, where a rule asks for them
    sent = np.empty((side, 0 if always else groups, width))
    gradients = np.empty((side, groups, width))
    moments = np.empty((side, 3, width))
    steps = np.empty((side, window))
    past = np.empty((side, window if displacement else 0, width))
    last = np.empty((side, groups), np.int64)
    turns = np.empty((side, groups), np.int64)
    alive = np.empty(side, np.bool_)
    highest = np.empty(side)
    threshold = np.empty(side)
    now = np.empty(side)
    total = np.empty(width)
    before = np.empty(width)
    largest = 0
    for g in range(groups):
        largest = max(largest, bounds[g + 1] - bounds[g])
    rows = np.empty(largest, np.int64)
    seen = np.zeros(largest, np.bool_)
    for start in range(0, trials, side):
        count = min(side, trials - start)
        _put(beginning, thetas)
        _put(beginning, past)
        _put(zero, moments)
        _put(zero, steps)
        for t in range(count):
            for g in range(groups):
                last[t, g] = 0
                turns[t, g] = 0
        going = count  # trials that have not diverged
        # an iteration: losses, the rule's right-hand side, the groups' gradients, the step
        for l in range(iterations + 1):  # noqa: E741
            if going > 0:
                losses(
                    model, units, tiles, starts, targets, rest, samples, thetas[:count],
                    now[:count],
                )  # fmt: skip
            # the first loss says what diverging is; a run that has diverged is trained no more
            going = 0
            for t in range(count):
                if l == 0:
                    alive[t] = np.isfinite(now[t])
                    highest[t] = DIVERGED * (now[t] + 1.0)
                alive[t] = alive[t] and now[t] <= highest[t]
                loss[l, start + t] = now[t] if alive[t] else np.nan
                going += alive[t]
            if l == iterations:
                break
            # how far the parameters have moved of late; ``steps`` and ``past`` are rings, in which
            # an iteration's place is used anew ``window`` iterations later
            for t in range(count):
                if displacement:
                    threshold[t] = c[0] * _apart(thetas[t], past[t, l % window])
                else:
                    moved = 0.0
                    for d in range(1, window + 1):
                        moved += c[d - 1] * steps[t, (l - d) % window]
                    threshold[t] = moved
            # groups outside, so that one group's samples are still in the cache for all trials
            for g in range(groups):
                low = bounds[g]
                held = bounds[g + 1] - low
                used = batch if batch > 0 else held
                for t in range(count):
                    choose = alive[t] and (
                        l == 0
                        or always
                        or l - last[t, g] >= limit
                        or squares[g] * _apart(thetas[t], sent[t, g]) > threshold[t]
                    )
                    selected[l, g, start + t] = choose
                    if not choose:
                        continue
                    # the batch of the worker that answers first; then its gradient replaces the old
                    place = winners[l, g, start + t] if winners.size > 0 else 0
                    if random and used < held:
                        trial = first + np.uint64(start + t)
                        at_random(low, held, g, l, trial, key, seen, rows[:used])
                    else:
                        at = 0 if used == held else place * held // size
                        in_order(low, held, at, turns[t, g], rows[:used])
                    gradient(model, units, X, y, rows[:used], thetas[t], gradients[t, g])
                    if not always:
                        _put(thetas[t], sent[t, g])
                    last[t, g] = l
                    turns[t, g] += 1
            # the sum of all groups' gradients, new and old ones, moves the parameters
            for t in range(count):
                if not alive[t]:
                    continue
                theta = thetas[t]
                for j in range(width):
                    total[j] = 0.0
                    before[j] = theta[j]
                for g in range(groups):
                    own = gradients[t, g]
                    for j in range(width):
                        total[j] += own[j]
                for j in range(width):
                    total[j] *= scale
                if displacement:
                    _put(theta, past[t, l % window])
                advance_one(optimizer, plan[l], total, theta, moments[t])
                moved = _apart(theta, before)
                steps[t, l % window] = moved
                alive[t] = np.isfinite(moved)


# ---- Who is first in its group, and how long an iteration waits for the selected groups
#
# A minimum in each group, and a maximum over the selected ones.


@jit
def fastest(times: Floats, size: int, least: Floats, winners: Integers) -> None:
    """Smallest time ``least`` (L, G, T) in each group, and the place in it of its worker.

    Worker m of times (L, M, T) is in group m // size, at place m % size of it; of those that are
    equally fast the first wins.
    """
    iterations, groups, trials = least.shape
    for l in range(iterations):  # noqa: E741
        for g in range(groups):
            best = least[l, g]
            place = winners[l, g]
            own = times[l, g * size]
            for t in range(trials):
                best[t] = own[t]
                place[t] = 0
            for i in range(1, size):
                own = times[l, g * size + i]
                for t in range(trials):
                    sooner = own[t] < best[t]
                    best[t] = own[t] if sooner else best[t]
                    place[t] = i if sooner else place[t]


@jit
def elapsed(least: Floats, selected: Booleans, out: Floats) -> None:
    """Time ``out`` (L + 1, T) from the start until the slowest selected group has answered.

    ``selected`` is (L, G, T), or (L, G, 1) where all trials select alike. An iteration that selects
    none takes no time.
    """
    iterations, groups, trials = least.shape
    alike = selected.shape[2] == 1
    for t in range(trials):
        out[0, t] = 0.0
    for l in range(iterations):  # noqa: E741
        now = out[l + 1]
        for t in range(trials):
            now[t] = 0.0
        for g in range(groups):
            own = least[l, g]
            for t in range(trials):
                if selected[l, g, 0 if alike else t]:
                    now[t] = max(now[t], own[t])
        for t in range(trials):
            now[t] += out[l, t]
