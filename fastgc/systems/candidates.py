"""The systems that a family offers to `fastgc.design`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastgc.systems.system import System


@dataclass(frozen=True)
class Cluster:
    """The workers that a system is wanted for, and what a study says of them.

    Attributes
    ----------
    workers : int
        Number of workers.
    stragglers : int or None
        Workers that need not be waited for; None where the study does not say.
    layers, tasks : int or None
        How work is cut into layers of tasks.
    """

    workers: int
    stragglers: int | None = None
    layers: int | None = None
    tasks: int | None = None


@dataclass(frozen=True)
class Candidates:
    """Systems of a family that differ in one parameter, in its order.

    Attributes
    ----------
    systems : tuple of System
        One or more; their times rise and fall smoothly enough with the parameter that of very many
        not all are looked at.
    group : str
        Of the candidates of one group the best system is listed.
    """

    systems: tuple[System, ...]
    group: str = ""
