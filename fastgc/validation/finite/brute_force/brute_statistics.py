"""Small experiments by brute force: what a theory is held against once more.

One iteration of a code goes pattern after pattern: every set of survivors is decoded alone and
weighed with its probability. Completion of a system goes by all sets of workers that may be done at
a time: P(T > t) is the probability of the sets that are not enough; means are integrals of it. Of
experiments that say more than a code, a decoder and which workers straggle, or a system of workers
who are alike, with exponential times, nothing is said.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.brute_codes import patterns

#: Workers at most, where patterns are decoded, and where only who holds what is looked at.
MOST_DECODED, MOST_WORKERS = 12, 15
_KNOWN = {"kind", "name", "measure", "thresholds"}
_KNOWN_OF_CODES = _KNOWN | {"code", "stragglers", "decoder", "rho"}
_ALONE = {"iterations": 1, "shuffle": "none"}
#: An error below this share of the number of partitions is rounding of the least squares.
ROUNDING = 1e-10
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
    alive = patterns(n)
    weights = _weights(alive, experiment["stragglers"])
    decoder = experiment.get("decoder", "optimal")
    if weights is None or decoder not in ("optimal", "one-step", "fixed"):
        return None
    if quantity in ("error", "exact") and decoder == "optimal":
        errors = _least_errors(B.tobytes(), n)
        values = errors if quantity == "error" else (errors == 0).astype(np.float64)
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
        return float(weights[values > float(statistic[3:-1]) + ROUNDING].sum())
    return mean if statistic == "mean" else None


def _weights(alive: Values, stragglers: Mapping[str, Any]) -> Values | None:
    # the probability of each pattern; of the worst case only which sets there are
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
def _least_errors(data: bytes, n: int) -> Values:
    B = np.frombuffer(data).reshape(-1, n)
    wanted = np.ones((len(B), 1))
    held = B * patterns(n)[:, np.newaxis, :]
    error = np.sum((held @ (np.linalg.pinv(held, rcond=1e-10) @ wanted) - wanted) ** 2, axis=(1, 2))
    return np.where(error <= ROUNDING * len(B), 0.0, error)


# ---- completion of systems

#: Workers at most, and of those of whom some number is enough, whoever they are.
_MOST_UNLIKE, _MOST_ALIKE = 12, 200
_KNOWN_OF_SYSTEMS = _KNOWN | {"quantiles", "system", "latency", "work"}
_LAST = 800.0  # after so many mean times nobody is late


def statistic_of_sets(experiment: Mapping[str, Any], quantity: str, statistic: str) -> float | None:
    """Return a statistic of one completion of a system; None if it is not known here."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    law, system = experiment["latency"], experiment["system"]
    is_known = isinstance(law, Mapping) and law["distribution"] == "exponential"
    found = _insufficient_sets(system)
    if found is None or not is_known or not experiment.keys() <= _KNOWN_OF_SYSTEMS:
        return None
    share, sets = found
    n, load = system["n"], system.get("load", share) * experiment.get("work", 1.0)
    low, scale = load * law.get("shift", 0.0), load * law["mean"]

    def late(t: float) -> float:
        """Probability of the sets that are not enough a time t · scale after the least time."""
        q = math.exp(-max(t, 0.0))
        return math.fsum(count * (1 - q) ** r * q ** (n - r) for r, count in sets.items())

    if quantity == "messages" and statistic == "mean":
        return sum(count / math.comb(n, r) for r, count in sets.items())
    if quantity != "time":
        return None
    if statistic.startswith("P(>"):
        return late((float(statistic[3:-1]) - low) / scale)
    if statistic.startswith("quantile("):
        level = float(statistic[9:-1])
        return float(low + scale * brentq(lambda t: late(t) - (1 - level), 0.0, _LAST))
    if statistic not in ("mean", "variance"):
        return None
    mean, square = (
        quad(lambda t, p=p: p * t ** (p - 1) * late(t), 0, math.inf, epsabs=0, epsrel=1e-11)[0]
        for p in (1, 2)
    )
    return float(low + scale * mean if statistic == "mean" else scale**2 * (square - mean**2))


def _insufficient_sets(system: Mapping[str, Any]) -> tuple[float, dict[int, int]] | None:
    # the share of a worker; of each size how many sets of workers are not enough
    family, n, d = system["family"], system.get("n", 0), system.get("d", 0)
    keys, need = system.keys() - {"n", "load", "family"}, None
    if family == "uncoded" and not keys:
        share, need = 1 / n, n
    elif family == "gradient-code" and keys == {"s"}:
        share, need = (system["s"] + 1) / n, n - system["s"]
    elif family == "k-of-n" and keys == {"k"}:
        share, need = 1 / system["k"], system["k"]
    if need is not None:
        return (share, {r: math.comb(n, r) for r in range(need)}) if n <= _MOST_ALIKE else None
    placement = system.get("placement", "cyclic")
    if family == "replication" and keys == {"d"}:
        placement = "disjoint"
    elif family != "batches" or not keys <= {"d", "placement"}:
        return None
    if n > _MOST_UNLIKE or placement not in ("cyclic", "disjoint"):
        return None
    first = [j if placement == "cyclic" else j - j % d for j in range(n)]
    held = [{(j + i) % n for i in range(d)} for j in first]
    return d / n, {
        r: sum(len(set().union(*each)) < n for each in itertools.combinations(held, r))
        for r in range(n + 1)
    }
