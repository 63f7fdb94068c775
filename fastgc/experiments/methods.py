"""Methods beside plain sampling: the exact one of a point, and the one for its rare events.

Each is a `Method` of its point, with a cost and rows, which depend on the point, the seed and what
is asked alone; `by_cost` says which ones are asked, and in what order. Below are the rows of values
that were enumerated, each with its probability.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.experiments.accumulators import Row
from fastgc.statistics.estimates import Estimate

#: Half-width of 95 % intervals that is aimed at where a study names none: a standard error of 1 %.
RELATIVE = 0.02

#: Quantity, statistic, index, estimate.
Statistic = tuple[str, str, int | str | None, Estimate]
#: Method, and what it gives.
MethodRow = tuple[str, Statistic]
#: Gives what islands ``first`` … ``first + count − 1`` of an event amount to, an island a row.
Sampling = Callable[[int, int, int], Values]


@dataclass(frozen=True)
class RareRequest:
    """What is asked of a method for rare events."""

    seed: int  #: The study's.
    trials: int  #: Draws at most, but for the first look.
    relative: float = RELATIVE  #: 95 % half-width that ends it, relative to the value.
    #: Whether events are wanted that plain sampling would see often enough, too.
    always: bool = False
    #: Quantity, statistic and index of what theory knows, which needs no method.
    known: frozenset[Any] = frozenset()
    #: Whether trials are drawn beside it, to which events are left that they see often enough.
    sampled: bool = True


class Method(ABC):
    """A way to a point's numbers beside plain sampling."""

    #: Whether it searches for the worst stragglers: then no trials are drawn.
    is_worst_case: ClassVar[bool] = False
    #: Whether parts of it run side by side; else it is one task.
    in_parts: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """What its numbers are: exact, or a bound where a search gave up, or of rare events."""
        return "exact"

    @property
    def cost(self) -> float:
        """About how many seconds it takes; infinite where it does not apply."""
        return math.inf

    @property
    def patterns(self) -> int:
        """How many patterns it enumerates: 1 for a law, 0 for a search or for rare events."""
        return 0

    def gives_all(self, known: Container[Any]) -> bool:
        """Whether it gives exactly all that is requested and theory does not know.

        ``known`` has quantity, statistic and index of what theory knows.
        """
        return False

    @abstractmethod
    def rows(self, asked: RareRequest, sampling: Sampling) -> Iterable[MethodRow]:
        """Everything that it gives, each with what it is; only rare events are ``asked`` for."""


class ExactMethod(Method):
    """The exact method of a point; as it stands here, that of one which has none, and why."""

    def __init__(self, why_not: str = "") -> None:
        self._why_not = why_not

    @property
    def why_not(self) -> str | None:
        """Why it does not apply, None where it does; empty where nothing else is expected."""
        return self._why_not

    def refusal(self) -> FastgcError:
        """Return what to say where it is required and does not apply."""
        why = (self.why_not or "there is none").removeprefix("no exact method: ")
        return FastgcError(f'method: "exact" is not known here: {why}; use "monte-carlo"')

    def statistics(self) -> Iterator[Statistic]:
        """Return everything that it gives; a FastgcError says why it does not apply."""
        if self.why_not is not None:
            raise self.refusal()
        return self._statistics()

    def _statistics(self) -> Iterator[Statistic]:
        return iter(())

    def rows(self, asked: Any = None, sampling: Any = None) -> list[MethodRow]:
        found = list(self.statistics())
        # asked for its name afterwards: a search for the worst may have known better
        return [(self.name, each) for each in found]

    def left_out(self) -> Iterator[Statistic]:
        """Return what is requested and not in `statistics`: no value, and the reason."""
        return iter(())


class RareMethod(Method):
    """The method for a point's rare events."""

    in_parts = True
    name = "rare"
    cost = 0.0  # not known before the first look, which is cheap

    def part(self, place: int, seed: int, first: int, islands: int) -> Values:
        """What islands of one event give: what `Sampling` is made of, where anything is sampled."""
        raise NotImplementedError


# ---- Rows of values that were enumerated

#: What rounding takes of sums of positive products, as a share: 2²⁴ terms of 24 factors each.
ROUNDING = 1e-12
#: Share of a threshold's margin by which rounding moves values.
ROUNDED = 1e-3


def probability(of: float, otherwise: float) -> Estimate:
    """A probability between 0 and 1, to all digits of the smaller of it and its complement."""
    if of <= otherwise:
        return Estimate(float(of), 0.0, rounding=ROUNDING * float(of))
    fails, lost = (float(otherwise), float(otherwise)), ROUNDING * float(otherwise)
    return Estimate(1.0 - fails[0], 0.0, failure=fails, rounding=lost)


def known(value: float) -> Estimate:
    """Return a number that has no error but rounding."""
    return Estimate(float(value), 0.0)


def sum_law(each: Values) -> Values:
    """Probabilities of 0 … n of n independent events: sums of positive terms only."""
    probabilities = np.zeros(each.size + 1)
    probabilities[0] = 1.0
    for q in each:
        probabilities[1:] = probabilities[1:] * (1.0 - q) + probabilities[:-1] * q
        probabilities[0] *= 1.0 - q
    return probabilities


def reaching(probabilities: Values, level: float) -> int:
    """Return the first place up to which probabilities sum to a level, but for rounding.

    Above one half what is left is compared with what the level leaves, which may be small.
    """
    if level < 0.5:
        return int(np.searchsorted(np.cumsum(probabilities), level * (1 - ROUNDING)))
    left = np.cumsum(probabilities[:0:-1])[::-1]
    most = (1.0 - level) * (1 + ROUNDING) + np.finfo(float).epsneg
    return int(np.count_nonzero(left > most))


def distribution(
    values: Values,
    pooled: Values,
    quantiles: Sequence[float],
    thresholds: Sequence[float],
    margin: float,
) -> Iterator[Row]:
    """Extremes, quantiles and exceedance probabilities of values, each with a probability.

    ``pooled`` has the probabilities; ``margin`` is added to thresholds. A value within it, and
    above the threshold by more than rounding, may be above or not: that is rounding, too.
    """
    possible = values[pooled > 0]
    yield "minimum", None, known(possible.min())
    yield "maximum", None, known(possible.max())
    order = np.argsort(values, kind="stable")
    for level in quantiles:
        value = values[order[reaching(pooled[order], level)]]
        yield f"quantile({level!r})", None, known(value)
    for threshold in thresholds:
        above = values > threshold + margin
        own = probability(pooled[above].sum(), pooled[~above].sum())
        near = ~above & (values > max(margin, threshold + ROUNDED * margin))
        lost = float(pooled[near].sum()) + (own.rounding or 0.0)
        yield f"P(>{threshold!r})", None, replace(own, rounding=lost)
