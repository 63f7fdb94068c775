"""Selected workers and groups (paper gcada): the rule run step by step, schedules tried out.

Units are the workers of CADA or the groups of G-CADA. Runs are of linear regression with AMSGrad on
random data, whose scale, and so whose smoothness, differs from unit to unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

#: c of the rule and D in the runs; iterations that the periods 1 … D + 1 divide.
_C, _WINDOW, _ITERATIONS = 2.0, 4, 60
_UNITS, _SAMPLES, _FEATURES = 12, 8, 3


def selection_bound(smoothness: Sequence[float], c: float, window: int, first_end: str) -> float:
    """Add up the bound of the mean number that is selected, one class and unit after the other.

    ``first_end``: the class of the largest smoothness ends at "zero" or "infinity".
    """
    ends = [math.inf if first_end == "infinity" else 0.0]
    ends += [c / d for d in range(1, window + 1)] + [0.0]
    return math.fsum(
        1 / (d + 1)
        for each in smoothness
        for d in range(window + 1)
        if ends[d + 1] < each * each < ends[d]
    )


def selection_bound_violations(first_end: str, refresh: str, runs: int, seed: int) -> int:
    """Count runs that select more than the mean of the bound, `selection_bound`."""
    count = 0
    for run in _runs(refresh, runs, seed):
        bound = selection_bound(run.smoothness.tolist(), _C, _WINDOW, first_end)
        count += int(run.selected.sum()) > bound * _ITERATIONS
    return count


def least_schedule_time(selections: int, groups: int, d: int, mean: float) -> float:
    """Least mean time of all ways to spread selections over iterations."""
    return _schedules(selections, _waits(groups, d, mean), least=True)


def most_schedule_time(selections: int, groups: int, d: int, mean: float) -> float:
    """Largest mean time of all ways to spread selections over iterations."""
    return _schedules(selections, _waits(groups, d, mean), least=False)


def time_not_allowed(selections: int, groups: int, d: int, mean: float, seconds: float) -> float:
    """By how many seconds a time is off what selections can take on average."""
    least = least_schedule_time(selections, groups, d, mean)
    most = most_schedule_time(selections, groups, d, mean)
    return max(least - seconds, seconds - most, 0.0)


def reported_batch(communication: int, computation: int) -> float:
    """Gradients that each selected worker has computed, which had a download and an upload each."""
    return computation / (communication / 2)


def binomial_wait(n: int, p: float, d: int) -> float:
    """Add up P(x of n groups are selected) times the mean time of the slowest of x."""
    waits = [0.0, *_waits(n, d, 1.0)]
    terms = (math.comb(n, x) * p**x * (1 - p) ** (n - x) * wait for x, wait in enumerate(waits))
    return math.fsum(terms)


def _waits(groups: int, d: int, mean: float) -> list[float]:
    """Mean time until the fastest of d workers has answered in 1, 2, … of the groups."""
    return [mean / d * math.fsum(1 / i for i in range(1, x + 1)) for x in range(1, groups + 1)]


def _schedules(selections: int, waits: Sequence[float], *, least: bool) -> float:
    best = [0.0]
    pick = min if least else max
    for total in range(1, selections + 1):
        best.append(pick(best[total - x] + wait for x, wait in enumerate(waits, 1) if x <= total))
    return best[selections]


@dataclass(frozen=True)
class _Run:
    """Smoothness of every unit, and which were selected in which iteration."""

    smoothness: Values
    selected: NDArray[np.bool_]


@cache
def _all_runs(refresh: str, runs: int, seed: int) -> tuple[_Run, ...]:
    draw = np.random.default_rng(seed)
    return tuple(_run(draw, refresh, _UNITS) for _ in range(runs))


def _runs(refresh: str, runs: int, seed: int) -> Iterator[_Run]:
    yield from _all_runs(refresh, runs, seed)


def _run(draw: np.random.Generator, refresh: str, units: int) -> _Run:
    """Train for some iterations; each unit's gradient is that of the mean of its samples."""
    scale = np.sqrt(draw.uniform(0.1, 1.5, size=(units, 1, 1)))
    X = scale * draw.standard_normal((units, _SAMPLES, _FEATURES))
    y = X @ draw.standard_normal(_FEATURES) + draw.standard_normal((units, _SAMPLES))
    hessians = np.einsum("usf,usg->ufg", X, X) / _SAMPLES
    slopes = np.einsum("usf,us->uf", X, y) / _SAMPLES
    smoothness = np.array([np.linalg.eigvalsh(hessian)[-1] for hessian in hessians])
    path = [np.zeros(_FEATURES)]
    h = v = np.zeros(_FEATURES)
    ages = np.ones(units, dtype=int)
    stale = np.zeros((units, _FEATURES))
    selected = np.zeros((_ITERATIONS, units), dtype=bool)
    for k in range(_ITERATIONS):
        now = path[k]
        steps = [path[k + 1 - d] - path[k - d] for d in range(1, min(k, _WINDOW) + 1)]
        allowed = _C * sum(float(step @ step) for step in steps)
        for unit in range(units):
            age = ages[unit]
            moved = now - path[max(k - age, 0)]
            due = age >= _WINDOW if refresh == "at" else age > _WINDOW
            far = smoothness[unit] ** 2 * float(moved @ moved) > allowed
            if k == 0 or due or far:
                selected[k, unit] = True
                stale[unit] = hessians[unit] @ now - slopes[unit]
                ages[unit] = 1
            else:
                ages[unit] += 1
        gradient = stale.sum(axis=0)
        h = 0.9 * h + 0.1 * gradient
        v = np.maximum(v, 0.999 * v + 0.001 * gradient**2)
        path.append(now - 0.01 * h / np.sqrt(1e-8 + v))
    return _Run(smoothness, selected)
