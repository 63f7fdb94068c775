"""Rounds one after the other whose late workers finish what they do: ``between_rounds``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.float64]

BetweenRounds = Literal["cancel", "finish"]

#: Times closer than this part of a round are the same: sums of equal times differ by rounding.
_SAME = 1e-9


def carried(done: Callable[[Times], Times], times: Times) -> tuple[Times, Times]:
    """Return when workers answer who finish what they do before they take up a round.

    All are free when the first round begins; each other one begins when the one before is done. A
    worker that is busy then takes up, once its late answer is out, the round that is on by then;
    rounds that are over are skipped. It takes its time of the round that it takes up. Who is free
    in the last 1e-9 of a round takes up the next one, so that rounding decides no tie.

    Parameters
    ----------
    done : callable
        When a round is over, (T,), in which workers answer after seconds (n, T); no earlier where
        one of them answers later.
    times : float64 array (L, n, T)
        Seconds that workers take in each round.

    Returns
    -------
    answers : float64 array (L, n, T)
        Seconds from the beginning of a round to a worker's answer in it, if it takes it up: more
        than the round takes if it does not.
    late : float64 array (L, T)
        Answers of rounds before that come while a round is on.

    Examples
    --------
    >>> times = np.array([[[1.0], [5.0]], [[2.0], [2.0]], [[9.0], [3.0]]])
    >>> answers, late = carried(lambda each: each.min(axis=0), times)
    >>> answers[..., 0].tolist(), late[:, 0].tolist()
    ([[1.0, 5.0], [2.0, 6.0], [9.0, 5.0]], [0.0, 0.0, 1.0])
    """
    answers, late = np.empty_like(times), np.empty((len(times), times.shape[2]))
    busy = np.zeros(times.shape[1:])
    for own, answered, came in zip(times, answers, late, strict=True):
        np.add(busy, own, out=answered)
        end = done(answered)
        begun = (busy < end * (1 - _SAME)) | (busy == 0)
        last = end * (1 + _SAME)
        came[:] = ((busy > 0) & (busy <= last) & (busy < np.inf)).sum(axis=0)
        busy = np.where(begun, answered, busy)
        with np.errstate(invalid="ignore"):  # a round that is never done has none after it
            left = np.where(busy <= last, 0.0, busy - end)
            busy = np.where(end < np.inf, left, np.inf)
    return answers, late
