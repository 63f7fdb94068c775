"""The tail of a completion time, P(C > t), by the sharpest road there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.statistics.estimates import Estimate
from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.evaluation import GateEvaluation, LayersEvaluation
from fastgc.systems.timing.laws.structure_law import distribution, evaluation_of
from fastgc.systems.timing.laws.union_sampling import RELATIVE, Union, fits
from fastgc.systems.timing.structure import Structure

#: Additions that what arrives at the master may take at one t, at most: about a second.
_MOST_WORK = 1e9
#: A time that is t but for rounding is not above it.
_ROUNDED = 1.0 + 2e-15


@dataclass(frozen=True)
class ExactTail:
    """The tail of a law."""

    law: CompletionLaw

    def above(self, t: float) -> Estimate:
        """Return P(C > t)."""
        return Estimate(float(self.law.survival(t)), 0.0)


@dataclass(frozen=True)
class SampledTail:
    """The tail by union sampling over the requirements that make the master wait."""

    evaluation: GateEvaluation | LayersEvaluation

    def union(self, t: float) -> Union:
        """Return the requirements that fail where C > t, by more than rounding."""
        return Union(*self.evaluation.arrivals(np.array([t * _ROUNDED])))

    def above(self, t: float, key: np.uint64, relative: float = RELATIVE) -> Estimate:
        """Return P(C > t), given that C is finite, from what is drawn under a generator's key.

        Half its 95 % interval is ``relative`` to it, if that takes no more than 2¹⁸ samples.
        """
        union = self.union(t)
        return union.chance(partial(union.islands, key), relative)


def tail(
    structure: Structure,
    times: Sequence[Time],
    receive: float = 0.0,
    opens: str = "start",
    answers: Sequence[float] | float = 1.0,
) -> ExactTail | SampledTail:
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
    >>> round(found.above(30.0).value * 1e13, 6)
    3.743049
    """
    try:
        return ExactTail(distribution(structure, times, receive, opens, answers, moments=False))
    except FastgcError as problem:
        try:
            evaluation = evaluation_of(structure, times, receive, opens, answers)
        except FastgcError:
            raise problem from None
        if evaluation.work(master=False) > _MOST_WORK or not fits(*evaluation.master):
            raise
        return SampledTail(evaluation)
