"""Completion of a small system, by all sets of workers that may be done at a time.

P(T > t) is the probability of the sets that are not enough; means are integrals of it, by the
double exponential rule (Takahasi, Mori, 1974). Of experiments that say more than a system and the
law of a time, nothing is said.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

MOST_WORKERS = 12
MOST_UNLIKE = 8
#: Most of those that are alike and of which some number is enough, whoever they are.
MOST_ALIKE = 200
_KNOWN = {"kind", "name", "measure", "thresholds", "quantiles", "system", "latency", "work"}
_WAITED = {"n", "load", "family"}
_STEP, _REACH = 1 / 24, 4.5
Enough = Callable[[frozenset[int]], bool]


class Law(NamedTuple):
    """A worker's time: P(X > t), and where that bends, from the least time to the longest."""

    later: Callable[[float], float]
    bends: tuple[float, ...]


class Sets(NamedTuple):
    """A system: workers, the share of each, how many are enough or which; and what their time is.

    A time is the mean of ``steps`` or the least of ``copies`` that begin ``after`` one another.
    """

    n: int
    share: float
    need: int
    enough: Enough | None = None
    steps: int = 1
    copies: int = 1
    after: float = 0.0


def statistic_of_sets(experiment: Mapping[str, Any], quantity: str, statistic: str) -> float | None:
    """Return a statistic of one completion of a system; None if it is not known here."""
    extra = {"stragglers"} if quantity == "decodable" else set()
    sets = _system(experiment["system"])
    if sets is None or not experiment.keys() <= _KNOWN | extra or sets.n > MOST_ALIKE:
        return None
    if quantity == "decodable":
        stragglers = experiment.get("stragglers", {})
        if stragglers.get("model") != "iid":
            return None
        p = stragglers["p"]
        short = _unlike(sets) if isinstance(p, list | tuple) else _short(sets)
        each = p if isinstance(p, list | tuple) else [p] * sets.n
        return None if short is None else 1 - _late(short, each)
    latency = experiment["latency"]
    is_one = isinstance(latency, Mapping)
    load = experiment["system"].get("load", sets.share) * experiment.get("work", 1.0)
    tables = [latency] if is_one else latency
    loads = [load] * len(tables)
    if experiment["system"]["family"] == "balanced":  # in proportion to the speeds of exponentials
        if is_one or {each["distribution"] for each in tables} != {"exponential"}:
            return None
        speeds = [1 / (each.get("shift", 0.0) + each["mean"]) for each in tables]
        loads = [experiment.get("work", 1.0) * speed / math.fsum(speeds) for speed in speeds]
    laws = [_law(each, own, sets) for each, own in zip(tables, loads, strict=True)]
    short = _short(sets) if is_one else _unlike(sets)
    if short is None or None in laws:
        return None
    known = [each for each in laws if each is not None]
    return _of_laws(sets, short, known * sets.n if is_one else known, quantity, statistic)


Short = Mapping[int, int] | Sequence[frozenset[int]]


def _of_laws(
    sets: Sets, short: Short, laws: Sequence[Law], quantity: str, statistic: str
) -> float | None:
    ends = sorted({0.0}.union(*(law.bends for law in laws)))

    def late(t: float) -> float:
        return _late(short, [law.later(t) for law in laws])

    scale = _where(late, 0.5)
    if quantity != "time":
        if not isinstance(short, Mapping) or (sets.copies, sets.steps, statistic) != (1, 1, "mean"):
            return None
        if quantity == "messages":
            return sum(count / math.comb(sets.n, r) for r, count in short.items())
        busy = {r: count * (sets.n - r) for r, count in short.items()}
        seconds = _integral(lambda t: _late(busy, [law.later(t) for law in laws]), ends, scale)
        return seconds if quantity == "worker_seconds" else None
    if statistic.startswith("P(>"):
        return late(float(statistic[3:-1]))
    if statistic.startswith("quantile("):
        return _where(late, 1 - float(statistic[9:-1]))
    mean = _integral(late, ends, scale)
    if statistic == "variance":
        return _integral(lambda t: 2 * t * late(t), ends, scale) - mean**2
    return mean if statistic == "mean" else None


def _late(short: Short, later: Sequence[float]) -> float:
    """Probability of the sets that are not enough, if each worker is late with its own."""
    if isinstance(short, Mapping):
        n, q = len(later), later[0]
        return math.fsum(count * (1 - q) ** r * q ** (n - r) for r, count in short.items())
    return math.fsum(
        math.prod(1 - q if j in each else q for j, q in enumerate(later)) for each in short
    )


def _all_sets(n: int) -> Iterator[frozenset[int]]:
    for r in range(n + 1):
        yield from map(frozenset, itertools.combinations(range(n), r))


def _short(sets: Sets) -> Mapping[int, int] | None:
    """How many sets of each size are not enough."""
    if sets.enough is None:
        return {r: math.comb(sets.n, r) for r in range(sets.need)}
    if sets.n > MOST_WORKERS:
        return None
    counts = dict.fromkeys(range(sets.n + 1), 0)
    for each in _all_sets(sets.n):
        counts[len(each)] += not sets.enough(each)
    return counts


def _unlike(sets: Sets) -> Sequence[frozenset[int]] | None:
    if sets.n > MOST_UNLIKE:
        return None
    enough = sets.enough or (lambda each: len(each) >= sets.need)
    return [each for each in _all_sets(sets.n) if not enough(each)]


def _system(table: Mapping[str, Any]) -> Sets | None:
    family, n = table["family"], table.get("n", 0)
    keys = table.keys() - _WAITED
    if family in ("uncoded", "balanced") and not keys:
        return Sets(n, 1 / n, n)
    if family == "gradient-code" and {"s"} <= keys <= {"s", "m"}:
        return Sets(n, (table["s"] + table.get("m", 1)) / n, n - table["s"])
    if family in ("k-of-n", "bounded-wait") and keys == {"k"}:
        return Sets(n, 1 / table["k"] if family == "k-of-n" else 1 / n, table["k"])
    if family == "spare" and keys == {"b"}:
        return Sets(n + table["b"], 1 / n, n)
    if family == "local-sgd" and keys == {"period"}:
        return Sets(n, 1 / n, n, steps=table["period"])
    if family == "clones" and keys <= {"r", "after"}:
        return Sets(n, 1 / n, n, copies=table["r"], after=table.get("after", 0.0))
    if family == "replication" and keys == {"d"}:
        held = [{j // table["d"]} for j in range(n)]
        return Sets(n, table["d"] / n, n, lambda each: _holds(held, each))
    if family == "batches" and keys <= {"d", "placement"}:
        placement = table.get("placement", "cyclic")
        if placement in ("cyclic", "disjoint"):
            first = [j if placement == "cyclic" else j - j % table["d"] for j in range(n)]
            placement = [[(j + i) % n for i in range(table["d"])] for j in first]
        if isinstance(placement, str):
            return None
        held = [set(each) for each in placement]
        return Sets(n, table["d"] / n, n, lambda each: _holds(held, each))
    return None


def _holds(held: Sequence[set[int]], each: frozenset[int]) -> bool:
    """Whether these workers hold together what all hold."""
    return set().union(*(held[j] for j in each)) == set().union(*held)


def _law(table: Mapping[str, Any], load: float, sets: Sets) -> Law | None:
    """Return the law of ``load`` times a worker's time."""
    one = law(table, sets.steps)
    if one is None:
        return None
    begin = [sets.after * copy for copy in range(sets.copies)]
    return Law(
        lambda t: math.prod(one.later((t - start) / load) for start in begin),
        tuple(bend * load + start for bend in one.bends for start in begin),
    )


def law(table: Mapping[str, Any], steps: int = 1) -> Law | None:
    """Return the law of the mean of so many times; None if it is not known here."""
    name, shape, scale = table["distribution"], table.get("shape", 1.0), table.get("scale", 1.0)
    if name in ("exponential", "gamma") and shape == int(shape):
        scale = table["mean"] if name == "exponential" else scale
        return _erlang(table.get("shift", 0.0), scale / steps, int(shape) * steps)
    if steps > 1 or "shift" in table:
        return None
    if name == "deterministic":
        return Law(lambda t: float(t < table["value"]), (table["value"],))
    if name == "bimodal":
        slow, fast, p = law(table["slow"]), law(table["fast"]), table["p_slow"]
        if slow is None or fast is None:
            return None
        return Law(lambda t: p * slow.later(t) + (1 - p) * fast.later(t), slow.bends + fast.bends)
    if name == "weibull":
        return Law(lambda t: math.exp(-((max(t, 0.0) / scale) ** shape)), (0.0, math.inf))
    if name == "pareto":
        return Law(lambda t: (scale / max(t, scale)) ** shape, (scale, math.inf))
    if name == "uniform":
        low, high = table["low"], table["high"]
        return Law(lambda t: min(1.0, max(0.0, (high - t) / (high - low))), (low, high))
    if name == "lognormal" and {"mu", "sigma"} <= table.keys():
        mu, wide = table["mu"], table["sigma"] * math.sqrt(2)
        return Law(
            lambda t: 1.0 if t <= 0 else 0.5 * math.erfc((math.log(t) - mu) / wide), (0.0, math.inf)
        )
    return None


def _erlang(low: float, scale: float, phases: int) -> Law:
    """Return the law of ``low`` and so many exponential times."""

    def later(t: float) -> float:
        x = max(t - low, 0.0) / scale
        if x == 0.0:
            return 1.0
        return math.fsum(math.exp(i * math.log(x) - x - math.lgamma(i + 1)) for i in range(phases))

    return Law(later, (low, math.inf))


@lru_cache(maxsize=2)
def _nodes(is_finite: bool) -> Sequence[tuple[float, float]]:
    """Places from 0 to 1, or from 0 on, and their weights."""
    found = []
    for i in range(-round(_REACH / _STEP), round(_REACH / _STEP) + 1):
        u = i * _STEP
        inner, speed = 0.5 * math.pi * math.sinh(u), 0.5 * math.pi * math.cosh(u) * _STEP
        if is_finite:
            found.append((1 / (1 + math.exp(-2 * inner)), speed / (2 * math.cosh(inner) ** 2)))
        else:
            found.append((math.exp(inner), speed * math.exp(inner)))
    return found


def _integral(f: Callable[[float], float], ends: Sequence[float], scale: float) -> float:
    parts = []
    for low, high in itertools.pairwise(ends):
        width = high - low if math.isfinite(high) else scale
        nodes = _nodes(math.isfinite(high))
        parts += [width * weight * f(low + width * place) for place, weight in nodes]
    return math.fsum(parts)


def _where(late: Callable[[float], float], level: float) -> float:
    """Return the time at which so many are late still."""
    low, high = 0.0, 1.0
    while late(high) > level:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if late(middle) > level else (low, middle)
    return high
