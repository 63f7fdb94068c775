"""What all laws of latency share: a shift, a load, and the three ways in which load costs time."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Affine, Certain, Time
from fastgc.registry import Member, plugins

Scaling = Annotated[
    Literal["server-dependent", "data-dependent", "additive", "recorded"],
    Field(
        description=(
            "How the time of a load ℓ follows from X = shift + rest, the time of a load of 1: ℓ·X "
            "(server-dependent, the default); ℓ·shift + rest (data-dependent); the sum of ℓ "
            "independent X, for an integer ℓ (additive); or, of recorded times, the time as it was "
            "recorded + rate·(ℓ − recorded_load) (recorded)."
        )
    ),
]

#: Said of laws whose times were not recorded; of which one.
NOT_RECORDED = (
    'scaling "recorded" needs times that were recorded at a known load: distribution = "empirical" '
    "with recorded_load, and rate or fit (got {})"
)

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _time(law: Any, found: Any, *given: Any) -> str | None:
    if not isinstance(found, Time):
        return "a fastgc.latency.Time"
    plugins.guard(type(found))
    return None


def _seconds(law: Any, found: Any, uniforms: Values) -> str | None:
    fits = isinstance(found, np.ndarray) and found.shape == uniforms.shape
    if not (fits and found.dtype == np.float64):
        return f"seconds, a float64 array of the shape {uniforms.shape} of the uniform numbers"
    if np.isnan(found).any() or (found < 0).any():
        return "seconds of at least 0, infinite for a task that is never done, and no NaN"
    return None


class AnyLaw(Member):
    """What `Law` and `DrawnLaw` share.

    * ``shift`` (float): Seconds that every load of 1 takes at least, 0 or more; 0 by default.
    """

    distribution: str

    def own_shift(self) -> float:
        """Return the key ``shift``, 0 for a law without it.

        It is the part of X that scaling "data-dependent" multiplies by the load.
        """
        return float(dict(self).get("shift", 0.0))


class DrawnLaw(AnyLaw):
    """The law of X where nothing is known but how X is drawn, from uniform numbers.

    Everything that asks for more than samples refuses it.

    >>> from typing import Literal
    >>> class Frechet(DrawnLaw):
    ...     distribution: Literal["frechet"] = "frechet"
    ...     shape: float
    ...     def times(self, uniforms):
    ...         return (-np.log(uniforms)) ** (-1 / self.shape)
    >>> Frechet(shape=2.0).times(np.array([np.exp(-1.0)])).tolist()
    [1.0]
    """

    GROUP: ClassVar[str | None] = "latency"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"times": _seconds}

    @abstractmethod
    def times(self, uniforms: Values) -> Values:
        """Return the seconds that a load of 1 takes, one for each uniform number in (0, 1).

        A float64 array of the same shape: at least 0, infinite for a task that is never done; each
        of its own uniform number alone.
        """


class Law(AnyLaw):
    """The law of X, the time that a load of 1 takes: ``shift`` plus the rest.

    A law says what the rest is; one whose sums are known also says what ``total`` is. `time` puts
    shift, load and scaling together.
    """

    GROUP: ClassVar[str | None] = "latency"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"rest": _time, "time": _time}

    @abstractmethod
    def rest(self) -> Time:
        """Return the distribution of X − shift."""

    def total(self, count: int) -> Time | None:
        """Return the distribution of the sum of ``count`` ≥ 2 independent rests, where known."""
        try:
            return self.rest().total(count)
        except FastgcError:
            return None

    def of_worker(self, j: int) -> "Law":
        """Return the law of one worker alone, for laws that hold one for each."""
        return self

    def time(self, load: float = 1.0, scaling: Scaling = "server-dependent") -> Time:
        """Return the distribution of the time that a load takes.

        ``load``: ℓ ≥ 0; nothing to do takes no time; ``scaling``: ℓ·X ("server-dependent"); ℓ·shift
        + rest ("data-dependent"); a sum of ℓ independent X, for which ℓ must be an integer
        ("additive"); or, of recorded times alone, what was recorded + rate·(ℓ − recorded_load).
        Raises FastgcError where a sum is not known exactly, or a law is none of recorded times.

        >>> from fastgc.latency import Exponential
        >>> law = Exponential(mean=2.0, shift=1.0)
        >>> law.time(3).mean(), law.time(3, "data-dependent").mean(), law.time(3, "additive").mean()
        (9.0, 5.0, 9.0)
        """
        if load == 0:
            return Certain(0.0)
        shift = self.own_shift()
        if scaling == "recorded":
            raise FastgcError(NOT_RECORDED.format(self.distribution))
        if scaling == "server-dependent":
            return Affine(self.rest(), load, load * shift)
        if scaling == "data-dependent":
            return Affine(self.rest(), 1.0, load * shift)
        if load != int(load):
            raise FastgcError(
                f'scaling "additive" adds up whole times and needs an integer load (got {load!r})'
            )
        total = self.rest() if load == 1 else self.total(int(load))
        if total is None:
            raise FastgcError(
                f"the sum of {int(load)} independent {self.distribution} times has no exact "
                'law here; scaling "additive" takes exponential, gamma and deterministic, or a '
                "load of 1"
            )
        return Affine(total, 1.0, load * shift)
