"""Laws of the number of survivors and of a worker's time, read from the tables of a study."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.common import order_statistics as common
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.common.stragglers import (
    markov_stationary,
    straggle_probability,
    survivors_given_slow,
)

#: Above it, two classes of given sizes take seconds.
_LARGEST_CONVOLVED = 16_384


@dataclass(frozen=True)
class Law:
    """P_0 … P_n, all patterns of r survivors being alike in one iteration.

    ``p`` where workers are independent in one iteration; ``persistent`` where the classes last for
    a trial: ``two_class`` holds the arguments of the variance, p_slow or the number slow first.
    ``chain``: the probabilities to begin and to stop straggling of Markov chains.
    """

    survivors: Values
    p: float | None = None
    persistent: bool = False
    two_class: tuple[float, float, float] = (0.0, 0.0, 0.0)
    chain: tuple[float, float] | None = None

    @property
    def possible(self) -> list[int]:
        """Numbers of survivors that can be."""
        return np.flatnonzero(self.survivors > 0.0).tolist()

    @property
    def simple(self) -> bool:
        """Whether formulas given p or a number of survivors hold as they are."""
        return self.p is not None or len(self.possible) == 1

    def mean(self, given: Callable[..., float]) -> float:
        """Mean of what a formula gives for ``p=q``, or else for ``survivors=r`` of every r."""
        if self.p is not None:
            return given(p=self.p)
        return math.fsum(self.survivors[r] * given(survivors=r) for r in self.possible)


def law_of(n: int, table: Mapping[str, Any]) -> Law | None:
    """Law of iid or Markov stragglers, uniform, two-class with one p_slow or so many slow.

    >>> law_of(2, {"model": "iid", "p": 0.5}).survivors
    array([0.25, 0.5 , 0.25])
    """
    model = table.get("model")
    if model == "iid" and is_probability(table.get("p")):
        return Law(binomial_probabilities(n, 1.0 - table["p"]), p=table["p"])
    if model == "uniform" and isinstance(table.get("stragglers"), int):
        if not 0 <= table["stragglers"] <= n:
            return None
        certain = np.zeros(n + 1)
        certain[n - table["stragglers"]] = 1.0
        return Law(certain)
    if model == "markov":
        given = table.get("p_straggle_after_ok"), table.get("p_straggle_after_straggle")
        if not all(map(is_probability, given)) or given == (0, 1):
            return None
        a, b = float(given[0] or 0.0), 1.0 - float(given[1] or 0.0)
        p = markov_stationary(a, b)
        return Law(binomial_probabilities(n, 1.0 - p), p=p, chain=(a, b))
    if model == "two-class":
        straggle = (table.get("p_straggle_slow"), table.get("p_straggle_active"))
        if not all(map(is_probability, straggle)):
            return None
        ss, active = table["p_straggle_slow"], table["p_straggle_active"]
        if is_probability(table.get("p_slow")):
            q = float(straggle_probability(table["p_slow"], ss, active))
            two_class = (table["p_slow"], ss, active)
            return Law(binomial_probabilities(n, 1.0 - q), q, True, two_class)
        slow = table.get("slow")
        if n > _LARGEST_CONVOLVED:
            return None
        if isinstance(slow, int) and not isinstance(slow, bool) and 0 <= slow <= n:
            return Law(survivors_given_slow(n, slow, ss, active), None, True, (slow, ss, active))
    return None


def late_law(n: int, share: float, table: Mapping[str, Any]) -> Law | None:
    """Law of workers that must answer by a deadline, each holding this share of the data.

    >>> latency = {"distribution": "exponential", "mean": 1.0}
    >>> late_law(1, 0.5, {"deadline": 1.0, "work": 2.0, "latency": latency}).survivors.round(4)
    array([0.3679, 0.6321])
    """
    load = share * table.get("work", 1.0)
    time = time_law(table.get("latency"), load, table.get("scaling", "server-dependent"))
    if time is None:
        return None
    p = time.tail(table["deadline"])
    return Law(binomial_probabilities(n, 1.0 - p), p=p)


def is_probability(value: Any) -> bool:
    """Whether a value of a table is one probability."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


# ---- laws of a worker's time


@dataclass(frozen=True)
class TimeLaw:
    """The law of the time that one worker takes.

    ``tail(t)`` is P(X > t); ``order(n, k)`` are mean and variance of the k-th smallest of n;
    ``exponential`` is (mean, shift) where the law is that.
    """

    tail: Callable[[float], float]
    order: Callable[[int, int], tuple[float, float]]
    exponential: tuple[float, float] | None = None


def time_law(latency: Any, load: float, scaling: str) -> TimeLaw | None:
    """Law of the time of a load, for one law common to all workers that has closed forms.

    >>> law = time_law({"distribution": "exponential", "mean": 2.0}, 3.0, "server-dependent")
    >>> law.exponential, law.order(1, 1)
    ((6.0, 0.0), (6.0, 36.0))
    """
    if isinstance(latency, list | tuple) and len(latency) == 1:
        latency = latency[0]
    if not isinstance(latency, Mapping) or (scaling == "additive" and load != 1):
        return None
    shift = load * (latency.get("shift") or 0.0)
    factor = load if scaling == "server-dependent" else 1.0
    make = _LAWS.get(str(latency.get("distribution")))
    return None if make is None else make(latency, factor, shift)


def _exponential(latency: Mapping[str, Any], factor: float, shift: float) -> TimeLaw:
    mean = factor * latency["mean"]
    return TimeLaw(
        lambda t: math.exp(-max(t - shift, 0.0) / mean),
        lambda n, k: (
            common.exponential_order_mean(n, k, mean, shift),
            common.exponential_order_variance(n, k, mean),
        ),
        (mean, shift),
    )


def _pareto(latency: Mapping[str, Any], factor: float, shift: float) -> TimeLaw:
    shape, scale = latency["shape"], factor * latency["scale"]
    return TimeLaw(
        lambda t: (scale / max(t, scale)) ** shape,
        lambda n, k: (
            common.pareto_order_mean(n, k, shape, scale),
            common.pareto_order_variance(n, k, shape, scale),
        ),
    )


def _uniform(latency: Mapping[str, Any], factor: float, shift: float) -> TimeLaw:
    low, high = factor * latency["low"], factor * latency["high"]
    return TimeLaw(
        lambda t: min(max((high - t) / (high - low), 0.0), 1.0),
        lambda n, k: (
            common.uniform_order_mean(n, k, low, high),
            common.uniform_order_variance(n, k, low, high),
        ),
    )


def _weibull(latency: Mapping[str, Any], factor: float, shift: float) -> TimeLaw:
    shape, scale = latency["shape"], factor * latency["scale"]

    def order(n: int, k: int) -> tuple[float, float]:
        first, second = (common.weibull_order_moment(n, k, shape, power) for power in (1, 2))
        return shift + scale * first, scale * scale * (second - first * first)

    return TimeLaw(lambda t: math.exp(-((max(t - shift, 0.0) / scale) ** shape)), order)


def _deterministic(latency: Mapping[str, Any], factor: float, shift: float) -> TimeLaw:
    value = factor * latency["value"] + shift
    return TimeLaw(lambda t: float(t < value), lambda n, k: (value, 0.0))


_LAWS: dict[str, Callable[[Mapping[str, Any], float, float], TimeLaw]] = {
    "deterministic": _deterministic,
    "exponential": _exponential,
    "pareto": _pareto,
    "uniform": _uniform,
    "weibull": _weibull,
}
