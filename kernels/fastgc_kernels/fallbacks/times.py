"""Fallbacks for draws of times, all trials side by side."""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels.draw import law_numbers
from fastgc_kernels.draw.philox import halves, words_at
from fastgc_kernels.draw.times import INVERSION, PART, own_key
from fastgc_kernels.draw.variates import log, unit
from fastgc_kernels.fallbacks.elementary import exp, normal_above, probability_below

MOST = 1 << 22


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


def draw(
    laws: Integers, params: Floats, key: np.uint64, first_trial: np.uint64, out: Floats
) -> object:
    """Two workers after the other, where every law is a function of one number."""
    iterations, n, tasks, trials = out.shape
    if out.size * int(laws[:, 3].max(initial=0)) > MOST:
        return NotImplemented
    if not np.isin(laws[:, 0], (-1, *law_numbers.INVERTIBLE)).all():
        return NotImplemented
    for iteration, task, pair in np.ndindex(iterations, tasks, (n + 1) // 2):
        for part in range(int(laws[2 * pair : 2 * pair + 2, 3].max())):
            number = (part << PART) + task
            drawn = np.empty((2, trials))
            exponentials(own_key(key, number, INVERSION), first_trial, iteration, pair, *drawn)
            for worker in range(2 * pair, min(2 * pair + 2, n)):
                kind, start, stop, many = laws[worker].tolist()
                if kind >= 0 and part < many:
                    times = drawn[worker % 2]
                    invert(kind, params[start:stop], times)
                    row = out[iteration, worker, task]
                    row[:] = times if part == 0 else row + times
    return None
