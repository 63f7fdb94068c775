"""Stand-ins of the draws of times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.philox import ATTEMPT, halves, words_at
from fastgc_kernels.draw.times import CHOICE, GAMMA, INVERSION, PART, SMALL, own_key
from fastgc_kernels.draw.variates import log, unit
from fastgc_kernels.stand_ins.draw import rows
from fastgc_kernels.stand_ins.draw.laws import invert
from fastgc_kernels.stand_ins.draw.pairs import exponentials, uniforms
from fastgc_kernels.stand_ins.draw.variates import exp, normal_above

MOST = 1 << 22
U64 = np.uint64

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def gammas(
    key: np.uint64,
    first: np.uint64,
    iteration: int,
    worker: int,
    shape: float,
    out: Floats,
) -> object:
    """All attempts side by side, then those that follow a rejected one."""
    if out.size > MOST:
        return NotImplemented
    k0, k1 = halves(key)
    boosted = shape if shape >= 1.0 else shape + 1.0
    d = boosted - 0.3333333333333333
    c = 1.0 / np.sqrt(9.0 * d)
    out[:] = exp(-(1.0 / shape) * out) if shape < 1.0 else 1.0
    waiting = np.arange(out.size)
    step = U64(worker)
    while waiting.size:
        trial = first + waiting.astype(np.uint64)
        a, b, e, f = words_at(trial, iteration, step, k0, k1)
        x = normal_above(0.0 - log(unit(a, b)))
        root = 1.0 + c * x
        cube = root * root * root
        highest = 0.5 * x * x + d * (1.0 - cube + log(np.maximum(cube, SMALL)))
        level = np.where(root > 0.0, log(unit(e, f)) - highest, 1.0)
        taken = level < 0.0
        out[waiting[taken]] *= (d * cube)[taken]
        waiting = waiting[~taken]
        step += ATTEMPT
    return None


def _simple(
    kind: int,
    params: Floats,
    key: np.uint64,
    number: int,
    place: tuple[np.uint64, int, int],
    numbers: Floats,
) -> None:
    if kind == law_numbers.GAMMA:
        gammas(own_key(key, number, GAMMA), *place, params[2], numbers)
        numbers[:] = params[0] + params[1] * numbers
    else:
        invert(kind, params, numbers)


def _one_law(
    kind: int,
    params: Floats,
    key: np.uint64,
    number: int,
    place: tuple[np.uint64, int, int],
    numbers: Floats,
) -> None:
    """Turn standard exponential numbers into times of a law or mixture."""
    if kind != law_numbers.MIXTURE:
        _simple(kind, params, key, number, place, numbers)
        return
    first, iteration, worker = place
    end = 4 + int(params[2])
    slow = numbers.copy()
    _simple(int(params[1]), params[4:end], key, number, place, numbers)
    _simple(int(params[3]), params[end:], key, number, place, slow)
    choice = np.empty((2, numbers.size))
    uniforms(own_key(key, number, CHOICE), first, iteration, worker // 2, *choice)
    np.copyto(numbers, slow, where=choice[worker % 2] < params[0])


def draw(
    laws: Integers,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> object:
    """All trials side by side."""
    iterations, n, tasks, trials = out.shape
    if out.size * int(laws[:, 3].max(initial=0)) > MOST:
        return NotImplemented
    for iteration in range(iterations):
        for pair in range(0, n, 2):
            pairs = range(pair, min(pair + 2, n))
            for task in range(tasks):
                for part in range(int(laws[pair : pair + 2, 3].max())):
                    number = (part << PART) + task
                    drawn = np.empty((2, trials))
                    own = own_key(key, number, INVERSION)
                    exponentials(own, first_trial, iteration, pair // 2, *drawn)
                    for j, times in zip(pairs, drawn, strict=False):
                        kind, start, stop, many = laws[j].tolist()
                        if kind < 0 or part >= many:
                            continue
                        place = (first_trial, iteration, j)
                        _one_law(kind, params[start:stop], key, number, place, times)
                        row = out[iteration, j, task]
                        row[:] = times if part == 0 else row + times
    return None


def draw_uniforms(
    worker: int,
    number: int,
    purpose: int,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> object:
    """All trials side by side."""
    if out.size > MOST:
        return NotImplemented
    own = own_key(key, number, purpose)
    both = np.empty((2, out.shape[1]))
    for iteration, row in enumerate(out):
        uniforms(own, first_trial, iteration, worker // 2, *both)
        row[:] = both[worker % 2]
    return None


def draw_one(
    kind: int,
    params: Floats,
    worker: int,
    number: int,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
) -> object:
    """All trials side by side."""
    if draw_uniforms(worker, number, INVERSION, key, first_trial, out) is NotImplemented:
        return NotImplemented
    for iteration, row in enumerate(out):
        row[:] = 0.0 - log(row)
        _one_law(kind, params, key, number, (first_trial, iteration, worker), row)
    return None


def draw_rows(
    count: np.uint64,
    number: int,
    purpose: int,
    key: np.uint64,
    first_trial: np.uint64,
    out: Integers,
) -> object:
    """All numbers side by side."""
    flat = out.reshape(out.size)
    return rows.draw(count, first_trial, out.shape[1], own_key(key, number, purpose), flat)
