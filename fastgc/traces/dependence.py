"""What recorded times say of independence: over rounds, and between workers.

Times enter by their ranks, so that one very long time is one of many. What chance alone gives is
found by shuffling: each worker's rounds where it is asked what a worker remembers. Where workers
are compared each keeps what it remembers: its series is turned around by an own number of rounds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Brief, Mask, Values
from fastgc.draws.streams import uniforms
from fastgc.errors import StoppedError
from fastgc.latency.recording import Recording
from fastgc.statistics import changes
from fastgc.statistics.estimates import holm_rejections

SHUFFLES = 499
FAMILY = 0.05  # probability that any of independent workers, or of their pairs, is called dependent
STRONGEST = 5  # pairs that are named
ALPHA = 0.01  # probability that any sort of independence is said to fail that does not
_SAME = 0.99  # a correlation of workers that wait for each other
MATTERS = 0.1  # a correlation or a difference of rates


@dataclass(frozen=True)
class Memory:
    """Correlations of a series with itself some rounds later.

    ``lags``, float array (most,): means over workers, from lag 1 on; ``per_worker``: each worker's
    at lag 1; None where its series never changes; ``bound``: what none of independent workers
    exceeds, with probability 95 % for all together; ``beyond``: workers that do; ``p_value``: of
    the mean at lag 1, two-sided.
    """

    lags: Values
    per_worker: tuple[float | None, ...]
    bound: float
    beyond: tuple[int, ...]
    p_value: float

    def as_dict(self, workers: tuple[str, ...]) -> dict[str, Any]:
        """Return plain data in which workers have their names."""
        return {
            "lags": self.lags.tolist(),
            "bound": self.bound,
            "beyond": [workers[j] for j in self.beyond],
            "p_value": self.p_value,
        }


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

    def shuffled(i: int) -> Values:
        keys = uniforms(seed, f"memory {i}", len(own) if whole else own.size)
        places = np.argsort(keys.reshape(len(own), -1), axis=0)
        return _at_lag(np.take_along_axis(own, places, axis=0), 1)

    bound, means = _by_chance(shuffled, interrupted)
    values = dict(zip(varying.tolist(), first.tolist(), strict=True))
    beyond = tuple(varying[np.abs(first) > bound].tolist())
    p_value = mean_p_value(means, float(lags[0]))
    return Memory(lags, tuple(map(values.get, range(series.shape[1]))), bound, beyond, p_value)


def pairs(series: Values, seed: int, interrupted: Callable[[], str | None] = lambda: None) -> Pairs:
    """Measure what workers do together in a series (rounds, n)."""
    scaled = _scaled(series)
    varies = scaled.any(axis=0)
    first, second = np.nonzero(np.triu(np.outer(varies, varies), 1))
    if not len(first):
        return Pairs(0, 0.0, (), 0.0, 0, 1.0)
    found = _between(scaled)[first, second]

    def shuffled(i: int) -> Values:
        by_chance = _between(turned(scaled, f"pairs {i}", seed))[first, second]
        # two that are the same and were turned alike are not there by chance
        return np.where((by_chance == found) & (np.abs(found) > _SAME), 0.0, by_chance)

    bound, means = _by_chance(shuffled, interrupted)
    sizes = np.abs(found)
    order = np.argsort(-sizes, kind="stable")[:STRONGEST]
    strongest = tuple((int(first[i]), int(second[i]), float(found[i])) for i in order)
    mean, beyond = float(found.mean()), int(np.count_nonzero(sizes > bound))
    return Pairs(len(found), mean, strongest, bound, beyond, mean_p_value(means, mean))


def _by_chance(
    shuffled: Callable[[int], Values], interrupted: Callable[[], str | None]
) -> tuple[float, Values]:
    """Return what no correlation of a shuffle exceeds with probability 95 %, and their means."""
    largest, means = np.empty(SHUFFLES), np.empty(SHUFFLES)
    for i in range(SHUFFLES):
        ask(interrupted)
        found = shuffled(i)
        largest[i], means[i] = np.abs(found).max(), found.mean()
    return float(np.quantile(largest, 1 - FAMILY, method="higher")), means


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


def mean_p_value(means: Values, observed: float) -> float:
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


@dataclass(frozen=True, repr=False)
class Independence(Brief):
    """One sort of independence, and what speaks against it.

    ``of``: of what, in words; ``value``: the correlation, or difference of rates, that is 0 where
    it holds; ``p_value``: probability of so much by chance; ``fails``: with Holm's rule over all
    sorts; ``remark``: what else there is to say.
    """

    of: str
    value: float | None
    p_value: float
    fails: bool
    remark: str


def independence_of(
    source: Recording, straggled: Mask, seed: int, interrupted: Callable[[], str | None]
) -> tuple[Independence, ...]:
    """Test what laws and models take for granted; ``straggled`` is bool (rounds, n).

    ``seed`` is that of the shuffles; a text that ``interrupted`` returns stops the work.
    """
    from scipy import special

    names = source.workers
    series = ranks(source.rows)
    over = memory(series, 1, seed, interrupted)
    found: list[tuple[str, float | None, float, str]] = []
    first = float(over.lags[0]) if len(over.lags) else None
    factor = math.sqrt((1 + first) / (1 - first)) if first and 0 < first < 1 else 1.0
    remark = "correlation of a worker's time with its next"
    if factor > 1.05:
        remark += f"; intervals of the latency laws would have to be {factor:.2g} × as wide"
    found.append(("times independent over rounds", first, over.p_value, remark))
    if source.n > 1:
        between = pairs(series, seed, interrupted)
        remark = "mean correlation between workers"
        if between.strongest:
            i, j, value = between.strongest[0]
            remark += f"; strongest: {names[i]} and {names[j]}, {value:.2f}"
        found.append(("times independent between workers", between.mean, between.p_value, remark))
        # Kruskal and Wallis's test
        ranked = ranks(source.rows.reshape(-1, 1)).reshape(source.rows.shape)
        total = float(((ranked - ranked.mean()) ** 2).sum())
        apart = len(ranked) * float(((ranked.mean(axis=0) - ranked.mean()) ** 2).sum())
        share = apart / total if total else 0.0
        p = float(special.chdtrc(source.n - 1, (ranked.size - 1) * share))
        remark = "share of the variance of the times' ranks that lies between workers"
        found.append(("times alike for all workers", share, p, remark))
    if straggled.any() and not straggled.all():
        late = straggled.astype(float)
        over = memory(late, 1, seed, interrupted, whole=True)
        if len(over.lags):
            remark = "correlation of a worker's lateness with its next"
            value = float(over.lags[0])
            found.append(("straggling independent over rounds", value, over.p_value, remark))
        if np.count_nonzero(np.ptp(late, axis=0)) > 1:
            own = across_workers(late, names, seed, interrupted)
            found.append(("straggling independent between workers", *own))
    fallen = holm_rejections([p for _, _, p, _ in found], ALPHA)
    return tuple(
        Independence(name, value, p, fails, remark)
        for (name, value, p, remark), fails in zip(found, fallen, strict=True)
    )


def across_workers(
    late: Values,
    names: Sequence[str],
    seed: int = 1,
    interrupted: Callable[[], str | None] = lambda: None,
) -> tuple[float, float, str]:
    """Measure the mean correlation between workers, who are late (1.0) or not (rounds, n).

    The variance of the number of stragglers exceeds the sum of the workers' own variances by
    Σ_{i≠j} cov_ij; this over Σ_{i≠j} σ_i σ_j is the mean correlation. Its p-value comes from
    turning each worker's series around by an own number of rounds, which keeps its rate and runs.
    """

    # Σ_t N_t² decides: the mean number of stragglers is the same in every shuffle
    def squares(late: Values) -> Values:
        return np.asarray(np.square(late.sum(axis=1)).sum(keepdims=True))

    _, shuffled = _by_chance(lambda i: squares(turned(late, f"trace turns {i}", seed)), interrupted)
    p = mean_p_value(shuffled, float(squares(late)[0]))
    covariances = np.cov(late, rowvar=False)
    deviations = np.sqrt(np.diag(covariances))
    own, variance = float(np.trace(covariances)), float(covariances.sum())
    each = np.outer(deviations, deviations)
    scale = float(each.sum() - np.trace(each))
    correlations = np.triu(covariances / np.where(each > 0, each, 1.0), 1)
    i, j = divmod(int(np.argmax(np.abs(correlations))), len(correlations))
    remark = (
        f"the number of stragglers has variance {variance:.3g}, of independent workers {own:.3g}; "
        f"strongest pair: {names[i]} and {names[j]}, correlation {correlations[i, j]:.2f}"
    )
    return (variance - own) / scale, p, remark
