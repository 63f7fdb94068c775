"""Properties of a law of times that quadrature needs: its range, its breaks, its tail."""

import math

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.empirical import SampleTime
from fastgc.latency.laws import ExponentialTime, GammaTime, ParetoTime, UniformTime
from fastgc.latency.time import Affine, Certain, Mixture, Time


def ends(time: Time) -> tuple[float, float]:
    """Return the largest t that no time falls below, and the smallest that none exceeds, or inf."""
    if isinstance(time, Mixture):
        low, high = zip(*map(ends, possible(time)), strict=True)
        return min(low), max(high)
    return float(time.quantile(0.0)), float(time.upper_quantile(0.0))


def breaks(time: Time) -> Values:
    """Return, in order, the t at which the distribution function jumps or bends."""
    if isinstance(time, Certain):
        return np.array([time.value])
    if isinstance(time, SampleTime):
        return np.unique(time.values)
    if isinstance(time, Affine):
        return np.asarray(time.offset + time.factor * breaks(time.part))
    if isinstance(time, Mixture):
        return np.unique(np.concatenate([breaks(part) for part in possible(time)]))
    if isinstance(time, UniformTime):
        return np.array([time.low, time.high])
    found = np.array(ends(time))
    return np.asarray(found[np.isfinite(found)])


def is_discrete(time: Time) -> bool:
    """Return whether all probability lies on the breaks."""
    if isinstance(time, Affine):
        return is_discrete(time.part)
    if isinstance(time, Mixture):
        return all(is_discrete(part) for part in possible(time))
    return isinstance(time, Certain | SampleTime)


def tail_index(time: Time) -> float:
    """Return α where P(T > t) falls like t^(−α); infinite for lighter tails."""
    if isinstance(time, ParetoTime):
        return time.shape
    if isinstance(time, Affine):
        return tail_index(time.part)
    if isinstance(time, Mixture):
        return min(tail_index(part) for part in possible(time))
    if type(time).__module__.startswith("fastgc."):
        return math.inf
    near, far = (float(time.upper_quantile(v)) for v in (1e-250, 1e-300))
    if not near < far < math.inf:
        return math.inf
    index = 50.0 * math.log(10.0) / math.log(far / near) if near > 0 else math.inf
    return index if index < 50 else math.inf


def possible(mixture: Mixture) -> list[Time]:
    """Return the parts of a mixture that have a probability above 0."""
    return [part for p, part in zip(mixture.probabilities, mixture.parts, strict=True) if p > 0]


def moved(time: Time, factor: float = 1.0, delay: float = 0.0) -> Time:
    """Return the law of ``factor`` times as long, and ``delay`` more."""
    if (factor, delay) == (1, 0):
        return time
    if isinstance(time, Certain):
        return Certain(factor * time.value + delay)
    if isinstance(time, Affine):
        return Affine(time.part, factor * time.factor, factor * time.offset + delay)
    return Affine(time, factor, delay)


def law_key(time: Time) -> object:
    """Return a key that equal laws share: the law itself if it is hashable, else its id."""
    try:
        hash(time)
    except TypeError:
        return id(time)
    return time


def sum_of(time: Time, count: int) -> Time:
    """Return the law of the sum of independent times, if it is known exactly."""
    if count == 1:
        return time
    if isinstance(time, Affine):
        return Affine(sum_of(time.part, count), time.factor, count * time.offset)
    if isinstance(time, Certain):
        return Certain(count * time.value)
    if isinstance(time, ExponentialTime):
        return GammaTime(float(count), time.scale)
    if isinstance(time, GammaTime):
        return GammaTime(count * time.shape, time.scale)
    name = type(time).__name__.removesuffix("Time").lower()
    raise FastgcError(
        f"the sum of {count} independent {name} times, which a worker's tasks take together, has "
        "no exact law here; those of exponential, gamma and deterministic times have"
    )
