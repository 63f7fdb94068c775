"""The road to rare events: what is asked of it, and what it gives.

A kind of experiment that has one says so by `Experiment.rare_road`. It is a function of the point,
the seed and what is asked alone, like the exact road; parts of it may run side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.statistics.estimates import Estimate

#: Half-width of 95 % intervals that is aimed at where a study names none: a standard error of 1 %.
RELATIVE = 0.02

#: Method, and quantity, statistic, index, estimate.
RareFound = tuple[str, tuple[str, str, int | str | None, Estimate]]
#: Gives what islands ``first`` … ``first + count − 1`` of an event amount to, an island a row.
Sampling = Callable[[int, int, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Asked:
    """What is asked of a rare road.

    Attributes
    ----------
    seed : int
        The study's.
    trials : int
        Draws at most, but for the first look.
    relative : float
        95 % half-width that ends it, relative to the value.
    always : bool
        Whether events are wanted that plain sampling would see often enough, too.
    known : frozenset
        Quantity, statistic and index of what theory knows, which needs no road.
    sampled : bool
        Whether trials are drawn beside it, to which events are left that they see often enough.
    """

    seed: int
    trials: int
    relative: float = RELATIVE
    always: bool = False
    known: frozenset[Any] = frozenset()
    sampled: bool = True


class RareRoad(Protocol):
    """What every rare road offers."""

    def rows(self, asked: Asked, sampling: Sampling) -> Iterator[RareFound]:
        """Rows of all events that are rare enough, with the method of each."""

    def part(self, place: int, seed: int, first: int, islands: int) -> NDArray[np.float64]:
        """What islands of one event give: what `Sampling` is made of."""
