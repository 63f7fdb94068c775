"""The law of what several tasks take one after the other, each with a time of its own."""

from __future__ import annotations

from fastgc.errors import FastgcError
from fastgc.latency.exponential import ExponentialTime
from fastgc.latency.gamma import GammaTime
from fastgc.latency.time import Affine, Certain, Time


def sum_of(time: Time, count: int) -> Time:
    """Return the law of the sum of ``count`` independent times.

    Raises
    ------
    FastgcError
        If it is not known exactly.
    """
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
