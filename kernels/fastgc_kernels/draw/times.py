"""Draws of times, worker by worker.

The time of worker j for its task m in iteration l of trial t has an address of its own, in which n
has no part: systems of different sizes see the same times of the workers that they share. By
inversion (`law_numbers`); gamma times by Marsaglia and Tsang (2000).
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw import law_numbers, pattern_words
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.pairs import exponentials, uniforms
from fastgc_kernels.draw.philox import ATTEMPT, apart, halves, words_at
from fastgc_kernels.draw.variates import exp, log, normal_above, unit

LANES = 512  # trials side by side: few enough for the first cache
#: What the numbers of one task are for; each has its own part of the keys.
INVERSION, CHOICE, GAMMA, ROWS, START = 0, 1, 2, 3, 4
PURPOSE = U64(40)
PART = 20  # bit of a number's part: summand i of task m is number i · 2²⁰ + m
SMALL = 1e-300  # whose logarithm can be taken


@inline
def own_key(key, number, purpose):
    """Key of the draws of one number for one purpose; that of 0 for inversion is the key itself."""
    return apart(key, U64(number) + (U64(purpose) << PURPOSE))


@jit
def gammas(key, first, iteration, worker, shape, out):
    """Gamma times of scale 1 of one worker for a run of trials (Marsaglia and Tsang, 2000).

    Attempts have addresses of their own; few need a second one. With a shape below 1 a time of
    shape + 1 is multiplied by U^(1/shape), where ``out`` holds −log U.
    """
    k0, k1 = halves(key)
    count = out.size
    boosted = shape if shape >= 1.0 else shape + 1.0
    d = boosted - 0.3333333333333333
    c = 1.0 / np.sqrt(9.0 * d)
    if shape < 1.0:
        power = 1.0 / shape
        for t in range(count):
            out[t] = exp(-power * out[t])
    else:
        out[:] = 1.0
    normal = np.empty(count)
    level = np.empty(count)
    waiting = np.arange(count)
    left = count
    step = U64(worker)
    while left > 0:
        for i in range(left):
            trial = first + U64(waiting[i])
            x, y, z, w = words_at(trial, iteration, step, k0, k1)
            normal[i] = unit(x, y)
            level[i] = unit(z, w)
        for i in range(left):
            x = normal_above(0.0 - log(normal[i]))
            root = 1.0 + c * x
            cube = root * root * root
            highest = 0.5 * x * x + d * (1.0 - cube + log(max(cube, SMALL)))
            normal[i] = d * cube
            level[i] = log(level[i]) - highest if root > 0.0 else 1.0
        tried = left
        left = 0
        for i in range(tried):
            t = waiting[i]
            waiting[left] = t
            rejected = level[i] >= 0.0
            if not rejected:
                out[t] *= normal[i]
            left += np.int64(rejected)
        step += ATTEMPT


@inline
def _simple(kind, params, key, number, first, iteration, worker, numbers):
    if kind == law_numbers.GAMMA:
        own = own_key(key, number, GAMMA)
        gammas(own, first, iteration, worker, params[2], numbers)
        for t in range(numbers.size):
            numbers[t] = params[0] + params[1] * numbers[t]
    else:
        invert(kind, params, numbers)


@jit
def _one_law(kind, params, key, number, first, iteration, worker, numbers):
    # turns standard exponential numbers of a run of trials into times
    if kind != law_numbers.MIXTURE:
        _simple(kind, params, key, number, first, iteration, worker, numbers)
        return
    lanes = numbers.size
    end = 4 + np.int64(params[2])
    slow = numbers.copy()
    _simple(np.int64(params[1]), params[4:end], key, number, first, iteration, worker, numbers)
    _simple(np.int64(params[3]), params[end:], key, number, first, iteration, worker, slow)
    even = np.empty(lanes)
    odd = np.empty(lanes)
    uniforms(own_key(key, number, CHOICE), first, iteration, worker // 2, even, odd)
    choice = even if worker % 2 == 0 else odd
    for t in range(lanes):
        if choice[t] < params[0]:
            numbers[t] = slow[t]


@jit
def draw(
    laws: Integers, params: Floats, key: np.uint64, first_trial: np.uint64, out: Floats
) -> None:
    """Times ``out`` (L, n, tasks, T) of n workers' tasks in L iterations of T trials.

    ``laws`` (n, 4): kind (see `law_numbers`; −1 leaves a worker out), where its parameters lie in
    ``params`` (start and stop), and how many independent numbers are added up for one time.
    """
    iterations, n, tasks, trials = out.shape
    numbers = np.empty((2, LANES))
    for iteration in range(iterations):
        for worker in range(0, n, 2):
            most = laws[worker, 3]
            if worker + 1 < n:
                most = max(most, laws[worker + 1, 3])
            for start in range(0, trials, LANES):
                lanes = min(LANES, trials - start)
                first = first_trial + U64(start)
                for task in range(tasks):
                    for part in range(most):
                        number = (part << PART) + task
                        own = own_key(key, number, INVERSION)
                        even, odd = numbers[0, :lanes], numbers[1, :lanes]
                        if part == 0 and laws[worker, 0] >= 0:
                            even = out[iteration, worker, task, start : start + lanes]
                        if part == 0 and worker + 1 < n and laws[worker + 1, 0] >= 0:
                            odd = out[iteration, worker + 1, task, start : start + lanes]
                        exponentials(own, first, iteration, worker // 2, even, odd)
                        for j in range(worker, min(worker + 2, n)):
                            if laws[j, 0] < 0 or part >= laws[j, 3]:
                                continue
                            drawn = even if j == worker else odd
                            _one_law(
                                laws[j, 0], params[laws[j, 1] : laws[j, 2]], key, number,
                                first, iteration, j, drawn,
                            )  # fmt: skip
                            if part > 0:
                                row = out[iteration, j, task, start : start + lanes]
                                for t in range(lanes):
                                    row[t] += drawn[t]


@jit
def draw_uniforms(
    worker: int, number: int, purpose: int, key: np.uint64, first_trial: np.uint64, out: Floats
) -> None:
    """Uniform numbers ``out`` (L, T) of one worker, those of one number for one purpose."""
    iterations, trials = out.shape
    other = np.empty(trials)
    own = own_key(key, number, purpose)
    for iteration in range(iterations):
        row = out[iteration]
        if worker % 2 == 0:
            uniforms(own, first_trial, iteration, worker // 2, row, other)
        else:
            uniforms(own, first_trial, iteration, worker // 2, other, row)


@jit
def draw_one(
    kind: int,
    params: Floats,
    worker: int,
    number: int,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> None:
    """Times ``out`` (L, T) of one worker and one number, as `draw` has them."""
    iterations, trials = out.shape
    draw_uniforms(worker, number, INVERSION, key, first_trial, out)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            row = out[iteration, start : min(start + LANES, trials)]
            for t in range(row.size):
                row[t] = 0.0 - log(row[t])
            first = first_trial + U64(start)
            _one_law(kind, params, key, number, first, iteration, worker, row)


@jit
def draw_rows(
    count: np.uint64,
    number: int,
    purpose: int,
    key: np.uint64,
    first_trial: np.uint64,
    out: Integers,
) -> None:
    """Row numbers ``out`` (L, T) below ``count``, all alike."""
    own = own_key(key, number, purpose)
    pattern_words.draw_rows(count, first_trial, out.shape[1], own, out.reshape(out.size))
