"""Completion of a small system, by all sets of workers that may be done at a time.

P(T > t) is the probability of the sets that are not enough; means are integrals of it, by the
double exponential rule (Takahasi, Mori, 1974). Of experiments that say more than a system of
workers who are alike, with exponential times, nothing is said.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

MOST_WORKERS = 12
#: Most of those of whom some number is enough, whoever they are.
MOST_ALIKE = 200
_KNOWN = {"kind", "name", "measure", "thresholds", "quantiles", "system", "latency", "work"}
_WAITED = {"n", "load", "family"}
_STEP, _REACH = 1 / 24, 4.5


class Sets(NamedTuple):
    """A system: workers, the share of each, how many are enough or which.

    A time is the least of ``copies`` that begin ``after`` one another.
    """

    n: int
    share: float
    need: int
    enough: Callable[[tuple[int, ...]], bool] | None = None
    copies: int = 1
    after: float = 0.0


def statistic_of_sets(experiment: Mapping[str, Any], quantity: str, statistic: str) -> float | None:
    """Return a statistic of one completion of a system; None if it is not known here."""
    sets = _system(experiment["system"])
    if sets is None or not experiment.keys() <= _KNOWN or sets.n > MOST_ALIKE:
        return None
    law, short = experiment["latency"], _short(sets)
    is_known = isinstance(law, Mapping) and law["distribution"] == "exponential"
    if not is_known or short is None:
        return None
    load = experiment["system"].get("load", sets.share) * experiment.get("work", 1.0)
    low, scale = load * law.get("shift", 0.0), load * law["mean"]
    begin = [sets.after * copy for copy in range(sets.copies)]

    def later(t: float) -> float:
        return math.prod(math.exp(-max(t - low - start, 0.0) / scale) for start in begin)

    def late(t: float, counts: Mapping[int, float] = short) -> float:
        """Probability of the sets that are not enough, so many of each size."""
        q, n = later(t), sets.n
        return math.fsum(count * (1 - q) ** r * q ** (n - r) for r, count in counts.items())

    ends = sorted({0.0, *(low + start for start in begin), math.inf})
    middle = _where(late, 0.5)
    if quantity != "time":
        if sets.copies > 1 or statistic != "mean":
            return None
        if quantity == "messages":
            return sum(count / math.comb(sets.n, r) for r, count in short.items())
        busy = {r: float(count * (sets.n - r)) for r, count in short.items()}
        seconds = _integral(lambda t: late(t, busy), ends, middle)
        return seconds if quantity == "worker_seconds" else None
    if statistic.startswith("P(>"):
        return late(float(statistic[3:-1]))
    if statistic.startswith("quantile("):
        return _where(late, 1 - float(statistic[9:-1]))
    mean = _integral(late, ends, middle)
    if statistic == "variance":
        return _integral(lambda t: 2 * t * late(t), ends, middle) - mean**2
    return mean if statistic == "mean" else None


def _short(sets: Sets) -> Mapping[int, int] | None:
    """How many sets of each size are not enough."""
    if sets.enough is None:
        return {r: math.comb(sets.n, r) for r in range(sets.need)}
    if sets.n > MOST_WORKERS:
        return None
    return {
        r: sum(not sets.enough(each) for each in itertools.combinations(range(sets.n), r))
        for r in range(sets.n + 1)
    }


def _system(table: Mapping[str, Any]) -> Sets | None:
    family, n = table["family"], table.get("n", 0)
    keys = table.keys() - _WAITED
    if family == "uncoded" and not keys:
        return Sets(n, 1 / n, n)
    if family == "gradient-code" and {"s"} <= keys <= {"s", "m"}:
        return Sets(n, (table["s"] + table.get("m", 1)) / n, n - table["s"])
    if family in ("k-of-n", "bounded-wait") and keys == {"k"}:
        return Sets(n, 1 / table["k"] if family == "k-of-n" else 1 / n, table["k"])
    if family == "clones" and keys <= {"r", "after"}:
        return Sets(n, 1 / n, n, copies=table["r"], after=table.get("after", 0.0))
    d = table.get("d", 0)
    if family == "replication" and keys == {"d"}:
        held = [{j // d} for j in range(n)]
    elif family == "batches" and keys <= {"d", "placement"}:
        placement = table.get("placement", "cyclic")
        if placement not in ("cyclic", "disjoint"):
            return None
        first = [j if placement == "cyclic" else j - j % d for j in range(n)]
        held = [{(j + i) % n for i in range(d)} for j in first]
    else:
        return None
    whole = set().union(*held)
    return Sets(n, d / n, n, lambda each: set().union(*(held[j] for j in each)) == whole)


@cache
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
