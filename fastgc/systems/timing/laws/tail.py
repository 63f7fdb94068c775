"""The tail of a completion time, P(C > t), by the sharpest road there is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.statistics.bounded import Bounded
from fastgc.statistics.estimates import Estimate
from fastgc.systems.timing.laws import union_sampling
from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.evaluation import GateEvaluation, LayersEvaluation
from fastgc.systems.timing.laws.structure_law import distribution, evaluation_of
from fastgc.systems.timing.structure import Structure

#: Additions that what arrives at the master may take at one t, at most: about a second.
_MOST_WORK = 1e9


class Tail(ABC):
    """P(C > t), given that C is finite.

    Attributes
    ----------
    METHOD : str
        The road, as rows of a result name it.
    """

    METHOD: ClassVar[str]

    @abstractmethod
    def above(self, t: float, key: np.uint64) -> Estimate:
        """Return P(C > t); what is drawn for it is drawn under a generator's key."""


@dataclass(frozen=True)
class ExactTail(Tail):
    """The tail of a law."""

    METHOD = "exact"

    law: CompletionLaw

    def above(self, t: float, key: np.uint64) -> Estimate:
        """Return P(C > t)."""
        return Estimate(float(self.law.survival(t)), 0.0)


@dataclass(frozen=True)
class SampledTail(Tail):
    """The tail by union sampling over the requirements that make the master wait."""

    METHOD = "union-sampling"

    evaluation: GateEvaluation | LayersEvaluation

    def above(self, t: float, key: np.uint64) -> Estimate:
        """Return P(C > t)."""
        union = union_sampling.Union(*self.evaluation.arrivals(np.array([t])))
        found, whole = union.chance(key), union.complete
        assert found.value is not None and found.standard_error is not None
        value, error = min(1.0, found.value / whole), found.standard_error / whole
        given = replace(found, value=value, standard_error=error)
        if not isinstance(given, Bounded):
            return given
        return replace(given, floor=given.floor / whole, ceiling=min(1.0, given.ceiling / whole))


def tail(
    structure: Structure,
    times: Sequence[Time],
    receive: float = 0.0,
    opens: str = "start",
    answers: Sequence[float] | float = 1.0,
) -> Tail:
    """Return the tail of the completion time of independent workers.

    It is exact where one P(C > t) takes no more than about a second; else it is sampled, from what
    arrives at the master, which is known exactly.

    Parameters
    ----------
    structure, times, receive, opens, answers
        As for `distribution`.

    Raises
    ------
    FastgcError
        If neither road is known, or an argument makes no sense.

    Examples
    --------
    >>> from fastgc.latency import Exponential
    >>> from fastgc.systems.timing.structure import Flat
    >>> found = tail(Flat(n=4, need=4), [Exponential(mean=1.0).time()])
    >>> found.METHOD, round(found.above(30.0, np.uint64(1)).value * 1e13, 6)
    ('exact', 3.743049)
    """
    try:
        return ExactTail(distribution(structure, times, receive, opens, answers, moments=False))
    except FastgcError as problem:
        try:
            evaluation = evaluation_of(structure, times, receive, opens, answers)
        except FastgcError:
            raise problem from None
        if evaluation.work(master=False) > _MOST_WORK or not _fits(evaluation):
            raise
        return SampledTail(evaluation)


def _fits(evaluation: GateEvaluation | LayersEvaluation) -> bool:
    """Return whether the master's arrivals are few enough for union sampling."""
    sizes, totals, need = evaluation.master
    return math.fsum(sizes) > 0 and union_sampling.fits(sum(sizes), need, totals)
