"""Which laws of a worker's time the closed forms know, read from a table of a study."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.theory.common import order_statistics as common


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
