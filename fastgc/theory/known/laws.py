"""Laws of the number of survivors and of a worker's time, read from the tables of a study."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.common.stragglers import (
    markov_stationary,
    straggle_probability,
    survivors_given_slow,
)
from fastgc.theory.papers.claim import ClosedForm

#: Above it, two classes of given sizes take seconds.
_LARGEST_CONVOLVED = 16_384

_Formula = Callable[..., float]

#: A table of a study.
Table = Mapping[str, Any]
#: A template, and what makes closed forms of the experiment that fits and of what its holes hold.
Entry = tuple[Table, Callable[..., Iterable[ClosedForm]]]


@dataclass(frozen=True)
class Law:
    """P_0 … P_n, all patterns of r survivors being alike in one iteration.

    * ``name``: the model, or "slow" of two classes of given sizes.
    * ``p``: probability to straggle, where workers are independent in one iteration.
    * ``states``: where they last for a trial, what a variance takes: p_slow or the number slow, and
      the probabilities to straggle of both classes; of Markov chains those to begin and to stop.
    """

    name: str
    survivors: Values
    p: float | None = None
    states: tuple[Any, ...] = ()

    @cached_property
    def possible(self) -> list[int]:
        """Numbers of survivors that can be."""
        return np.flatnonzero(self.survivors > 0.0).tolist()

    @property
    def simple(self) -> bool:
        """Whether formulas given p or a number of survivors hold as they are."""
        return self.p is not None or len(self.possible) == 1

    def mixed(self, given: Callable[[int], float]) -> float:
        """Mean of what is given r survivors."""
        return math.fsum(self.survivors[r] * given(r) for r in self.possible)

    def mean(self, formula: _Formula, by_number: bool = False) -> float:
        """Mean of what a formula gives for ``p=q``, or else for ``survivors=r`` of every r."""
        if by_number:
            every = [formula(survivors=r) for r in range(len(self.survivors))]
            return float(self.survivors @ every)
        if self.p is not None:
            return formula(p=self.p)
        return self.mixed(lambda r: formula(survivors=r))

    def lost(self, n: int, d: int) -> float:
        """Probability that d of n workers all straggle."""
        if self.p is not None:
            return self.p**d
        return self.mixed(lambda r: math.comb(n - d, r) / math.comb(n, r))


def law_of(n: int, table: Any, share: float = 0.0) -> Law | None:
    """Law of stragglers; at a deadline, of workers that hold each this share of the data.

    >>> law_of(2, {"model": "iid", "p": 0.5}).survivors
    array([0.25, 0.5 , 0.25])
    >>> latency = {"distribution": "exponential", "mean": 1.0}
    >>> table = {"model": "deadline", "deadline": 1.0, "work": 2.0, "latency": latency}
    >>> law_of(1, table, 0.5).survivors.round(4)
    array([0.3679, 0.6321])
    """

    def independent(p: float, *states: Any) -> Law:
        return Law(table["model"], binomial_probabilities(n, 1.0 - p), p, states)

    match table:
        case {"model": "iid", "p": p} if is_probability(p):
            return independent(p)
        case {"model": "uniform", "stragglers": int(lost)} if 0 <= lost <= n:
            return Law("uniform", np.eye(1, n + 1, n - lost)[0])
        case {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": stay} if (
            is_probability(a) and is_probability(stay) and (a, stay) != (0, 1)
        ):
            chain = float(a), 1.0 - float(stay)
            return independent(markov_stationary(*chain), *chain)
        case {"model": "two-class", "p_straggle_slow": p, "p_straggle_active": active} if (
            is_probability(p) and is_probability(active)
        ):
            slow, p_slow = table.get("slow"), table.get("p_slow")
            if is_probability(p_slow):
                states = p_slow, p, active
                return independent(float(straggle_probability(*states)), *states)
            if type(slow) is int and 0 <= slow <= n <= _LARGEST_CONVOLVED:
                states = slow, p, active
                return Law("slow", survivors_given_slow(n, *states), None, states)
        case {"model": "deadline", "deadline": deadline} if share:
            time = time_law(table, share)
            return None if time is None else independent(time.tail(deadline))
    return None


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
    exponential: tuple[float, float] | None


def time_law(table: Mapping[str, Any], load: float) -> TimeLaw | None:
    """Law of the time of a load, for one law common to all workers that has closed forms.

    ``table`` has the keys ``latency``, ``work`` and ``scaling`` of a study.

    >>> law = time_law({"latency": {"distribution": "exponential", "mean": 2.0}}, 3.0)
    >>> law.exponential, law.order(1, 1)
    ((6.0, 0.0), (6.0, 36.0))
    """
    latency, scaling = table.get("latency"), table.get("scaling") or "server-dependent"
    load *= table.get("work") or 1.0
    if isinstance(latency, list | tuple) and len(latency) == 1:
        latency = latency[0]
    if not isinstance(latency, Mapping) or (scaling == "additive" and load != 1):
        return None
    name = str(latency.get("distribution"))
    if name not in _TIMES:
        return None
    # additive times are those of one unit, and a shape is a number
    stretch = {"shape": 1.0, "shift": load}
    factor = load if scaling == "server-dependent" else 1.0
    keys, tail, mean, variance = _TIMES[name]
    own = [stretch.get(key, factor) * (latency.get(key) or 0.0) for key in keys]
    return TimeLaw(
        lambda t: tail(t, *own),
        lambda n, k: (mean(n, k, *own), variance(n, k, *own)),
        (own[0], own[1]) if name == "exponential" else None,
    )


def _weibull_mean(n: int, k: int, shape: float, scale: float, shift: float) -> float:
    return shift + scale * times.weibull_order_moment(n, k, shape, 1)


def _weibull_variance(n: int, k: int, shape: float, scale: float, shift: float) -> float:
    first, second = (times.weibull_order_moment(n, k, shape, power) for power in (1, 2))
    return scale * scale * (second - first * first)


#: By distribution: keys, P(X > t), mean and variance of the k-th smallest of n.
_TIMES: dict[str, tuple[tuple[str, ...], _Formula, _Formula, _Formula]] = {
    "deterministic": (("value", "shift"), lambda t, value, shift: float(t < value + shift),
                      lambda n, k, value, shift: value + shift, lambda n, k, value, shift: 0.0),
    "exponential": (("mean", "shift"),
                    lambda t, mean, shift: math.exp(-max(t - shift, 0.0) / mean),
                    times.exponential_order_mean,
                    lambda n, k, mean, shift: times.exponential_order_variance(n, k, mean)),
    "pareto": (("shape", "scale"), lambda t, shape, scale: (scale / max(t, scale)) ** shape,
               times.pareto_order_mean, times.pareto_order_variance),
    "uniform": (("low", "high"), lambda t, low, high: min(max((high - t) / (high - low), 0.0), 1.0),
                times.uniform_order_mean, times.uniform_order_variance),
    "weibull": (("shape", "scale", "shift"),
                lambda t, shape, scale, shift: math.exp(-((max(t - shift, 0.0) / scale) ** shape)),
                _weibull_mean, _weibull_variance),
}  # fmt: skip
