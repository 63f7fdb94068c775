"""What recorded times say of independence: over rounds, and between workers.

Times enter by their ranks, so that one very long time is one of many. What chance alone gives is
found by shuffling: each worker's rounds where it is asked what a worker remembers. Where workers
are compared each keeps what it remembers: its series is turned around by an own number of rounds,
or of bits, its runs are shuffled.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import StoppedError

SHUFFLES = 499
FAMILY = 0.05  # probability that any of independent workers, or of their pairs, is called dependent
STRONGEST = 5  # pairs that are named
COINCIDENCES = 5.0  # rounds in which two workers are expected to straggle both, for a normal law
FEWEST = 3  # rounds in which a worker straggles, for its pairs to be named


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


@dataclass(frozen=True)
class Pairs:
    """Correlations between workers.

    * ``compared``, ``named``: pairs of workers that both vary, and those of them that say something
      alone.
    * ``mean``, ``p_value``: over all that are compared; two-sided.
    * ``strongest`` (tuple of (int, int, float)): pairs and their correlations, the strongest first.
    * ``bound``: what no pair of independent workers exceeds, with probability 95 % for all
      together.
    * ``seldom_bound``: the same of pairs that are expected to straggle together in fewer than 5
      rounds, whose correlations scatter more; 0 where there are none.
    * ``beyond``: pairs that do.
    """

    compared: int
    named: int
    mean: float
    strongest: tuple[tuple[int, int, float], ...]
    bound: float
    seldom_bound: float
    beyond: int
    p_value: float


def ranks(rows: Values) -> Values:
    """Return each worker's times as ranks from 1 on, equal ones with the mean of theirs.

    >>> ranks(np.array([[3.0], [1.0], [3.0]])).ravel().tolist()
    [2.5, 1.0, 2.5]
    """
    found = np.empty(rows.shape)
    for j, own in enumerate(rows.T):
        _, places, counts = np.unique(own, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        found[:, j] = (last - (counts - 1) / 2)[places]
    return found


def memory(
    series: Values, most: int, seed: int, interrupted: Callable[[], str | None] = lambda: None
) -> Memory:
    """Measure what workers remember in a series (rounds, n), up to lag ``most``."""
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
        keys = uniforms(seed, f"memory {i}", own.size).reshape(own.shape)
        found = _at_lag(np.take_along_axis(own, np.argsort(keys, axis=0), axis=0), 1)
        largest[i], means[i] = np.abs(found).max(), found.mean()
    bound = float(np.quantile(largest, 1 - FAMILY, method="higher"))
    values: list[float | None] = [None] * series.shape[1]
    for place, j in enumerate(varying):
        values[j] = float(first[place])
    beyond = tuple(varying[np.abs(first) > bound].tolist())
    return Memory(lags, tuple(values), bound, beyond, _of_mean(means, float(lags[0])))


def pairs(
    series: Values,
    rarer: Values | None,
    seed: int,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Pairs:
    """Measure what workers do together in a series (rounds, n).

    ``rarer`` (n,) says of bits how often each worker's rarer one comes. All pairs count for the
    mean; a pair is named if each comes in at least 3 rounds, and held against a bound of its own if
    both are expected to come together in fewer than 5.
    """
    rounds, n = series.shape
    scaled = _scaled(series)
    varies = scaled.any(axis=0)
    first, second = np.nonzero(np.triu(np.outer(varies, varies), 1))
    if not len(first):
        return Pairs(0, 0, 0.0, (), 0.0, 0.0, 0, 1.0)
    often, seldom = np.ones(len(first), bool), np.zeros(len(first), bool)
    if rarer is not None:
        often = rarer[first] * rarer[second] >= COINCIDENCES * rounds
        seldom = ~often & (np.minimum(rarer[first], rarer[second]) >= FEWEST)
    runs = None if rarer is None else _Runs(series)
    found = _between(scaled)[first, second]
    largest, means = np.zeros((2, SHUFFLES)), np.empty(SHUFFLES)
    for i in range(SHUFFLES):
        ask(interrupted)
        if runs is None:
            turns = (uniforms(seed, f"pairs {i}", n) * rounds).astype(np.int64)
            places = (np.arange(rounds)[:, None] + turns) % rounds
            alone = np.take_along_axis(scaled, places, axis=0)
        else:
            alone = _scaled(runs.shuffled(uniforms(seed, f"pairs {i}", runs.count)))
        drawn = np.abs(own := _between(alone)[first, second])
        largest[:, i] = drawn[often].max(initial=0.0), drawn[seldom].max(initial=0.0)
        means[i] = own.mean()
    risk = FAMILY / 2 if often.any() and seldom.any() else FAMILY
    bounds = np.quantile(largest, 1 - risk, axis=1, method="higher")
    sizes = np.abs(found)
    beyond = (often & (sizes > bounds[0])) | (seldom & (sizes > bounds[1]))
    named = np.flatnonzero(often | seldom)
    order = named[np.argsort(-sizes[named], kind="stable")[:STRONGEST]]
    strongest = tuple((int(first[i]), int(second[i]), float(found[i])) for i in order)
    mean = float(found.mean())
    many = int(np.count_nonzero(beyond))
    p = _of_mean(means, mean)
    ends = float(bounds[0]), float(bounds[1])
    return Pairs(len(found), len(named), mean, strongest, *ends, many, p)


def correlations(series: Values) -> tuple[float, float]:
    """Return the mean correlation of workers with their next round, and that of pairs of them.

    0 where there are none; ``series``: float64 array (rounds, n).

    >>> correlations(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    (-0.6666666666666666, -1.0)
    """
    scaled = _scaled(series)
    own = scaled[:, scaled.any(axis=0)]
    n = own.shape[1]
    between = (float((own.sum(axis=1) ** 2).sum()) - n) / max(1, n * (n - 1))
    return float(_at_lag(own, 1).sum()) / max(1, n), between if n > 1 else 0.0


def as_dict(found: Memory | Pairs, workers: tuple[str, ...]) -> dict[str, Any]:
    """Return plain data in which workers have their names."""
    if isinstance(found, Memory):
        return {
            "lags": found.lags.tolist(),
            "bound": found.bound,
            "beyond": [workers[j] for j in found.beyond],
            "p_value": found.p_value,
        }
    strongest = [
        {"workers": [workers[i], workers[j]], "correlation": value}
        for i, j, value in found.strongest
    ]
    return vars(found) | {"strongest": strongest}


class _Runs:
    """Runs of equal bits of every worker, and shuffles of them.

    Turning a series as a whole would too often put rare rounds that two workers share on each other
    again.
    """

    def __init__(self, series: Values) -> None:
        self._shape = series.shape
        flat = series.T.ravel() > 0
        starts = np.ones(flat.size, bool)
        starts[1:] = flat[1:] != flat[:-1]
        starts[:: len(series)] = True
        first = np.flatnonzero(starts)
        self._bits = flat[first]
        self._lengths = np.diff(np.append(first, flat.size))
        self._kind = 2 * (first // len(series)) + self._bits
        self._places = np.argsort(self._kind, kind="stable")

    @property
    def count(self) -> int:
        """How many runs there are."""
        return self._lengths.size

    def shuffled(self, keys: Values) -> Values:
        """Return series whose runs of either bit are put in the order of ``keys``, (rounds, n)."""
        lengths = np.empty_like(self._lengths)
        lengths[self._places] = self._lengths[np.lexsort((keys, self._kind))]
        rounds, n = self._shape
        return np.repeat(self._bits, lengths).reshape(n, rounds).T.astype(float)


def _scaled(series: Values) -> Values:
    """Return columns of mean 0 and sum of squares 1; zeros where a column never changes."""
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


def two_sided(shuffled: Values, observed: float) -> float:
    """Return the two-sided p-value of an observation, which counts as one of the shuffles."""
    tail = min(np.count_nonzero(shuffled >= observed), np.count_nonzero(shuffled <= observed))
    return float(min(1.0, 2 * (1 + tail) / (1 + len(shuffled))))


def _of_mean(means: Values, observed: float) -> float:
    """Return the same of a mean over many; beyond all shuffles, that of their normal law."""
    p, spread = two_sided(means, observed), float(means.std())
    if not spread or means.min() <= observed <= means.max():
        return p
    beyond = abs(observed - float(means.mean())) / spread
    return min(p, math.erfc(beyond / math.sqrt(2)))


def ask(interrupted: Callable[[], str | None]) -> None:
    """Raise the error that ends the work where something asks to stop."""
    reason = interrupted()
    if reason is not None:
        raise StoppedError(f"stopped early by {reason}: nothing was kept")
