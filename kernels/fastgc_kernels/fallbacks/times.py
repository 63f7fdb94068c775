"""Fallbacks for draws of times, all trials side by side."""

import numpy as np

from fastgc_kernels._arrays import U64, Floats, Integers
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.philox import ATTEMPT, halves, words_at
from fastgc_kernels.draw.times import CHOICE, GAMMA, INVERSION, PART, SMALL, own_key
from fastgc_kernels.draw.variates import log, unit
from fastgc_kernels.fallbacks.elementary import exp, normal_above, probability_below

MOST = 1 << 22

Place = tuple[np.uint64, int, int]  # the first trial, the iteration, and the worker


def uniforms(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> None:
    """One call of the generator."""
    trial = first + np.arange(even.size, dtype=np.uint64)
    a, b, c, d = words_at(trial, iteration, address, *halves(key))
    even[:], odd[:] = unit(a, b), unit(c, d)


def exponentials(
    key: np.uint64, first: np.uint64, iteration: int, address: int, even: Floats, odd: Floats
) -> None:
    """From uniform numbers."""
    uniforms(key, first, iteration, address, even, odd)
    even[:], odd[:] = 0.0 - log(even), 0.0 - log(odd)


def invert(kind: int, params: Floats, numbers: Floats) -> None:
    """One operation after the other."""
    own = params[2:]
    if kind == law_numbers.WEIBULL:
        numbers[:] = exp(own[0] * log(numbers))
    elif kind == law_numbers.PARETO:
        numbers[:] = exp(own[0] * numbers)
    elif kind == law_numbers.UNIFORM:
        numbers[:] = probability_below(numbers)
    elif kind == law_numbers.LOGNORMAL:
        numbers[:] = exp(own[0] + own[1] * normal_above(numbers))
    elif kind == law_numbers.VALUES:
        place = (probability_below(numbers) * own.size).astype(np.int64)
        numbers[:] = own[np.minimum(place, own.size - 1)]
    still = kind == law_numbers.DETERMINISTIC
    numbers[:] = params[0] if still else params[0] + params[1] * numbers


def gammas(
    key: np.uint64, first: np.uint64, iteration: int, worker: int, shape: float, out: Floats
) -> None:
    """All attempts side by side, then those that follow a rejected one."""
    d = (shape if shape >= 1.0 else shape + 1.0) - 0.3333333333333333
    c = 1.0 / np.sqrt(9.0 * d)
    out[:] = exp(-(1.0 / shape) * out) if shape < 1.0 else 1.0
    waiting = np.arange(out.size)
    step = U64(worker)
    while waiting.size:
        trial = first + waiting.astype(np.uint64)
        x, y, z, w = words_at(trial, iteration, step, *halves(key))
        normal = normal_above(0.0 - log(unit(x, y)))
        root = 1.0 + c * normal
        cube = root * root * root
        highest = 0.5 * normal * normal + d * (1.0 - cube + log(np.maximum(cube, SMALL)))
        taken = np.where(root > 0.0, log(unit(z, w)) - highest, 1.0) < 0.0
        out[waiting[taken]] *= (d * cube)[taken]
        waiting = waiting[~taken]
        step += ATTEMPT


def _simple(
    kind: int, params: Floats, key: np.uint64, number: int, place: Place, numbers: Floats
) -> None:
    """Turn standard exponential numbers into times of one law."""
    if kind == law_numbers.GAMMA:
        gammas(own_key(key, number, GAMMA), *place, params[2], numbers)
        numbers[:] = params[0] + params[1] * numbers
    else:
        invert(kind, params, numbers)


def _one_law(
    kind: int, params: Floats, key: np.uint64, number: int, place: Place, numbers: Floats
) -> None:
    """The same of a law or mixture."""
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
    laws: Integers, params: Floats, key: np.uint64, first_trial: np.uint64, out: Floats
) -> object:
    """Two workers after the other."""
    iterations, n, tasks, trials = out.shape
    if out.size * int(laws[:, 3].max(initial=0)) > MOST:
        return NotImplemented
    for iteration, task, pair in np.ndindex(iterations, tasks, (n + 1) // 2):
        for part in range(int(laws[2 * pair : 2 * pair + 2, 3].max())):
            number = (part << PART) + task
            drawn = np.empty((2, trials))
            exponentials(own_key(key, number, INVERSION), first_trial, iteration, pair, *drawn)
            for worker in range(2 * pair, min(2 * pair + 2, n)):
                kind, start, stop, many = laws[worker].tolist()
                if kind >= 0 and part < many:
                    times, place = drawn[worker % 2], (first_trial, iteration, worker)
                    _one_law(kind, params[start:stop], key, number, place, times)
                    row = out[iteration, worker, task]
                    row[:] = times if part == 0 else row + times
    return None
