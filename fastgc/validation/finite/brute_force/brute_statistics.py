"""Small experiments by brute force: what a theory is held against once more.

One iteration of a code goes pattern after pattern: every set of survivors is decoded alone and
weighed with its probability. Completion of a system goes by all sets of workers that may be done at
a time: P(T > t) is the probability of the sets that are not enough; means are integrals of it, by
the double exponential rule (Takahasi, Mori, 1974). Of experiments that say more than a code, a
decoder and which workers straggle, or a system of workers who are alike, with exponential times,
nothing is said.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from fastgc.arrays import Values

#: Workers at most, where patterns are decoded, and where only who holds what is looked at.
MOST_DECODED, MOST_WORKERS = 12, 15
_KNOWN = {"kind", "name", "measure", "thresholds"}
_KNOWN_OF_CODES = _KNOWN | {"code", "stragglers", "decoder", "rho"}
_ALONE = {"iterations": 1, "shuffle": "none"}
#: An error below this share of the number of partitions is rounding of the least squares.
_ROUNDING = 1e-10
Rows = Sequence[Sequence[float]]


def statistic_of_patterns(
    experiment: Mapping[str, Any], rows: Rows, quantity: str, statistic: str
) -> float | None:
    """Return a statistic of one iteration of the code with these rows; None if it is not known."""
    B = np.array(rows)
    n = B.shape[1]
    known = _KNOWN_OF_CODES | {key for key, value in _ALONE.items() if experiment.get(key) == value}
    most = MOST_WORKERS if quantity == "lost" else MOST_DECODED
    if n > most or not experiment.keys() <= known or np.iscomplexobj(B):
        return None
    alive = _patterns(n)
    weights = _weights(alive, experiment["stragglers"])
    decoder = experiment.get("decoder", "optimal")
    if weights is None or decoder not in ("optimal", "one-step", "fixed"):
        return None
    if quantity in ("error", "exact", "amplification") and decoder == "optimal":
        values = _optimal(B.tobytes(), n)[quantity]
    elif quantity == "error":
        rho = experiment.get("rho")
        if rho is None and decoder == "fixed":
            rho = len(B) / np.sum(B != 0) / (1 - np.mean(experiment["stragglers"]["p"]))
        elif rho is None:
            rho = len(B) * n / (np.maximum(alive.sum(axis=1), 1) * B.sum())
        values = np.sum((np.reshape(rho, (-1, 1)) * (alive @ B.T) - 1) ** 2, axis=1)
    elif quantity == "lost":
        values = np.mean(alive @ (B.T != 0) == 0, axis=1)
    else:
        return None
    values, weights = values[weights > 0], weights[weights > 0]
    mean = float(values @ weights)
    if statistic == "variance":
        return float((values - mean) ** 2 @ weights)
    if statistic in ("maximum", "minimum"):
        return float(getattr(values, statistic[:3])())
    if statistic.startswith("P(>"):
        return float(weights[values > float(statistic[3:-1]) + _ROUNDING].sum())
    return mean if statistic == "mean" else None


def _patterns(n: int) -> Values:
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.float64)


def _weights(alive: Values, stragglers: Mapping[str, Any]) -> Values | None:
    """Probability of each pattern; of the worst case only which sets there are."""
    model, number = stragglers.get("model"), stragglers.get("stragglers")
    if model in ("uniform", "adversarial") and isinstance(number, int):
        chosen = np.sum(alive == 0, axis=1) == number
        return np.where(chosen, 1 / np.sum(chosen), 0.0)
    if model == "iid":
        q = stragglers["p"]
    elif model == "two-class" and "p_slow" in stragglers:
        slow = stragglers["p_slow"]
        q = slow * stragglers["p_straggle_slow"] + (1 - slow) * stragglers["p_straggle_active"]
    else:
        return None
    return np.asarray(np.prod(np.where(alive == 1, 1 - np.array(q), q), axis=1))


@lru_cache(maxsize=64)
def _optimal(data: bytes, n: int) -> dict[str, Values]:
    B = np.frombuffer(data).reshape(-1, n)
    wanted = np.ones((len(B), 1))
    held = B * _patterns(n)[:, np.newaxis, :]
    x = np.linalg.pinv(held, rcond=1e-10) @ wanted
    error = np.sum((held @ x - wanted) ** 2, axis=(1, 2))
    exact = error <= _ROUNDING * len(B)
    return {
        "error": np.where(exact, 0.0, error),
        "exact": exact.astype(np.float64),
        "amplification": np.sum(x**2, axis=(1, 2)),
    }


# ---- completion of systems

#: Workers at most, and of those of whom some number is enough, whoever they are.
_MOST_UNLIKE, _MOST_ALIKE = 12, 200
_KNOWN_OF_SYSTEMS = _KNOWN | {"quantiles", "system", "latency", "work"}
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
    if sets is None or not experiment.keys() <= _KNOWN_OF_SYSTEMS or sets.n > _MOST_ALIKE:
        return None
    law, short = experiment["latency"], None  # how many sets of each size are not enough
    if sets.enough is None:
        short = {r: math.comb(sets.n, r) for r in range(sets.need)}
    elif sets.n <= _MOST_UNLIKE:
        short = {
            r: sum(not sets.enough(each) for each in itertools.combinations(range(sets.n), r))
            for r in range(sets.n + 1)
        }
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


def _integral(f: Callable[[float], float], ends: Sequence[float], scale: float) -> float:
    parts = []
    for low, high in itertools.pairwise(ends):
        width = high - low if math.isfinite(high) else scale
        for i in range(-round(_REACH / _STEP), round(_REACH / _STEP) + 1):
            inner, speed = math.sinh(i * _STEP), 0.5 * math.pi * math.cosh(i * _STEP) * _STEP
            inner *= 0.5 * math.pi
            if math.isfinite(high):
                place, weight = 1 / (1 + math.exp(-2 * inner)), speed / (2 * math.cosh(inner) ** 2)
            else:
                place, weight = math.exp(inner), speed * math.exp(inner)
            parts.append(width * weight * f(low + width * place))
    return math.fsum(parts)


def _where(late: Callable[[float], float], level: float) -> float:
    low, high = 0.0, 1.0
    while late(high) > level:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if late(middle) > level else (low, middle)
    return high
