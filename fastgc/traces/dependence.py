"""What recorded times say of independence: over rounds, and between workers.

Times enter by their ranks, so that one very long time is one of many. What chance alone gives is
found by shuffling: each worker's rounds where it is asked what a worker remembers. Where workers
are compared each keeps what it remembers: its series is turned around by an own number of rounds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import StoppedError
from fastgc.statistics import changes

SHUFFLES = 499
FAMILY = 0.05  # probability that any of independent workers, or of their pairs, is called dependent
STRONGEST = 5  # pairs that are named


@dataclass(frozen=True)
class Memory:
    """Correlations of a series with itself some rounds later.

    ``lags``, float array (most,): means over workers, from lag 1 on; ``of_workers``: each worker's
    at lag 1; None where its series never changes; ``bound``: what none of independent workers
    exceeds, with probability 95 % for all together; ``beyond``: workers that do; ``p_value``: of
    the mean at lag 1, two-sided.
    """

    lags: Values
    of_workers: tuple[float | None, ...]
    bound: float
    beyond: tuple[int, ...]
    p_value: float

    def as_dict(self, workers: tuple[str, ...]) -> dict[str, Any]:
        """Return plain data in which workers have their names."""
        beyond = [workers[j] for j in self.beyond]
        found = {"lags": self.lags.tolist(), "bound": self.bound, "beyond": beyond}
        return found | {"p_value": self.p_value}


@dataclass(frozen=True)
class Pairs:
    """Correlations between workers.

    ``compared``: pairs of workers that both vary; ``mean``, ``p_value``: over these, two-sided;
    ``strongest``: pairs and their correlations, the strongest first; ``bound``: what no pair of
    independent workers exceeds, with probability 95 % for all together; ``beyond``: pairs that do.
    """

    compared: int
    mean: float
    strongest: tuple[tuple[int, int, float], ...]
    bound: float
    beyond: int
    p_value: float

    def as_dict(self, workers: tuple[str, ...]) -> dict[str, Any]:
        """Return plain data in which workers have their names."""
        strongest = [
            {"workers": [workers[i], workers[j]], "correlation": value}
            for i, j, value in self.strongest
        ]
        return vars(self) | {"strongest": strongest}


def ranks(rows: Values) -> Values:
    """Return each worker's times as ranks from 1 on, equal ones with the mean of theirs."""
    return np.stack([changes.ranks(own) for own in rows.T], axis=1)


def memory(
    series: Values,
    most: int,
    seed: int,
    interrupted: Callable[[], str | None] = lambda: None,
    *,
    whole: bool = False,
) -> Memory:
    """Measure what workers remember in a series (rounds, n), up to lag ``most``.

    With ``whole`` rounds are shuffled as they are, which keeps what workers do together.
    """
    scaled = _scaled(series)
    varying = np.flatnonzero(scaled.any(axis=0))
    own = scaled[:, varying]
    most = min(most, len(series) - 1)
    if not len(varying) or most < 1:
        return Memory(np.zeros(0), (None,) * series.shape[1], 0.0, (), 1.0)
    lags = np.array([np.mean(_at_lag(own, lag)) for lag in range(1, most + 1)])
    first = _at_lag(own, 1)
    largest, means = np.empty(SHUFFLES), np.empty(SHUFFLES)
    for i in range(SHUFFLES):
        ask(interrupted)
        keys = uniforms(seed, f"memory {i}", len(own) if whole else own.size)
        places = np.argsort(keys.reshape(len(own), -1), axis=0)
        found = _at_lag(np.take_along_axis(own, places, axis=0), 1)
        largest[i], means[i] = np.abs(found).max(), found.mean()
    bound = float(np.quantile(largest, 1 - FAMILY, method="higher"))
    values: list[float | None] = [None] * series.shape[1]
    for place, j in enumerate(varying):
        values[j] = float(first[place])
    beyond = tuple(varying[np.abs(first) > bound].tolist())
    return Memory(lags, tuple(values), bound, beyond, of_mean(means, float(lags[0])))


def pairs(series: Values, seed: int, interrupted: Callable[[], str | None] = lambda: None) -> Pairs:
    """Measure what workers do together in a series (rounds, n)."""
    scaled = _scaled(series)
    varies = scaled.any(axis=0)
    first, second = np.nonzero(np.triu(np.outer(varies, varies), 1))
    if not len(first):
        return Pairs(0, 0.0, (), 0.0, 0, 1.0)
    found = _between(scaled)[first, second]
    largest, means = np.zeros(SHUFFLES), np.empty(SHUFFLES)
    for i in range(SHUFFLES):
        ask(interrupted)
        own = _between(turned(scaled, f"pairs {i}", seed))[first, second]
        largest[i], means[i] = np.abs(own).max(), own.mean()
    bound = float(np.quantile(largest, 1 - FAMILY, method="higher"))
    sizes = np.abs(found)
    order = np.argsort(-sizes, kind="stable")[:STRONGEST]
    strongest = tuple((int(first[i]), int(second[i]), float(found[i])) for i in order)
    mean, beyond = float(found.mean()), int(np.count_nonzero(sizes > bound))
    return Pairs(len(found), mean, strongest, bound, beyond, of_mean(means, mean))


def correlations(series: Values) -> tuple[float, float]:
    """Return the mean correlation of workers with their next round, and that of pairs of them.

    0 where there are none; ``series``: float64 array (rounds, n).
    """
    scaled = _scaled(series)
    own = scaled[:, scaled.any(axis=0)]
    n = own.shape[1]
    between = (float((own.sum(axis=1) ** 2).sum()) - n) / max(1, n * (n - 1))
    return float(_at_lag(own, 1).sum()) / max(1, n), between if n > 1 else 0.0


def turned(series: Values, name: str, seed: int) -> Values:
    """Return each worker's series (rounds, n) turned around by an own number of rounds."""
    rounds, n = series.shape
    turns = (uniforms(seed, name, n) * rounds).astype(np.int64)
    places = (np.arange(rounds)[:, None] + turns) % rounds
    return np.take_along_axis(series, places, axis=0)


def _scaled(series: Values) -> Values:
    centred = np.asarray(series, float) - series.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    varies = series.min(axis=0) < series.max(axis=0)
    return np.where(varies, centred / np.where(varies, size, 1.0), 0.0)


def _between(scaled: Values) -> Values:
    """Correlations of all columns; equal ones must not differ by rounding."""
    return np.round(scaled.T @ scaled, 9)


def _at_lag(scaled: Values, lag: int) -> Values:
    found: Values = np.einsum("ij,ij->j", scaled[lag:], scaled[:-lag])
    return found


def of_mean(means: Values, observed: float) -> float:
    """Return the two-sided p-value of a mean over many, which counts as one of the shuffles.

    Beyond all of them it is that of their normal law.
    """
    tail = min(np.count_nonzero(means >= observed), np.count_nonzero(means <= observed))
    p, spread = min(1.0, 2 * (1 + tail) / (1 + len(means))), float(means.std())
    if not spread or means.min() <= observed <= means.max():
        return p
    beyond = abs(observed - float(means.mean())) / spread
    return min(p, math.erfc(beyond / math.sqrt(2)))


def ask(interrupted: Callable[[], str | None]) -> None:
    """Raise the error that ends the work where something asks to stop."""
    reason = interrupted()
    if reason is not None:
        raise StoppedError(f"stopped early by {reason}: nothing was kept")
