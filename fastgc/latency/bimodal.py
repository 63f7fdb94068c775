"""Two-humped times: mostly fast, sometimes slow, anew in every task."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fastgc.latency.empirical import Empirical
from fastgc.latency.law import Law, Scaling
from fastgc.latency.laws import (
    Deterministic,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from fastgc.latency.time import Certain, Mixture, Time
from fastgc.registry import register

Part = Annotated[
    Deterministic | Empirical | Exponential | Gamma | Lognormal | Pareto | Uniform | Weibull,
    Field(discriminator="distribution"),
]


@register("latency")
class Bimodal(Law):
    """With probability ``p_slow`` a time of law ``slow``, else one of law ``fast``.

    Each keeps its own shift, so that a load costs either law what it costs it alone.

    * ``p_slow`` (float): Probability that a time is a slow one, from 0 to 1, anew in every task.
    * ``fast`` (Law): The law of a fast time; any law of fastgc but a bimodal one.
    * ``slow`` (Law): The law of a slow time, chosen alike.

    >>> law = Bimodal(
    ...     p_slow=0.1,
    ...     fast=Deterministic(value=1.0),
    ...     slow=Exponential(mean=3.0, shift=2.0),
    ... )
    >>> round(law.time().mean(), 12)
    1.4
    """

    distribution: Literal["bimodal"] = "bimodal"
    p_slow: Annotated[float, Field(ge=0, le=1)]
    fast: Part
    slow: Part

    def rest(self) -> Time:
        return self._mixture(1.0, "server-dependent")

    def of_worker(self, j: int) -> Law:
        fast, slow = self.fast.of_worker(j), self.slow.of_worker(j)
        if fast is self.fast and slow is self.slow:
            return self
        return self.model_copy(update={"fast": fast, "slow": slow})

    def time(self, load: float = 1.0, scaling: Scaling = "server-dependent") -> Time:
        if load == 0:
            return Certain(0.0)
        if scaling == "additive":
            return super().time(load, scaling)
        return self._mixture(load, scaling)

    def _mixture(self, load: float, scaling: Scaling) -> Time:
        parts = self.fast.time(load, scaling), self.slow.time(load, scaling)
        return Mixture((1.0 - self.p_slow, self.p_slow), parts)

    def identity(self) -> dict[str, Any]:
        parts = {"fast": self.fast.identity(), "slow": self.slow.identity()}
        return super().identity() | parts

    def files(self) -> dict[str, Any]:
        return self.fast.files() | self.slow.files()

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return [
            (name, f"{field}: {sentence}")
            for name, law in (("fast", self.fast), ("slow", self.slow))
            for field, sentence in law.complaints(n)
        ]
