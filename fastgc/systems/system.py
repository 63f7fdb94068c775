"""What all systems share: how many workers, how loaded, and when they are done."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

from fastgc.latency.law import Positive
from fastgc.latency.time import Time
from fastgc.registry import Member
from fastgc.systems.structure import Structure


class System(Member):
    """Base of every system of workers: what completion means, and what it costs each worker.

    Parameters
    ----------
    load : float, optional
        Replaces the share of the work that each worker is given.
    """

    ROOM: ClassVar[str | None] = "system"

    load: Positive | None = None

    @abstractmethod
    def workers(self) -> int:
        """Return the number of workers."""

    @abstractmethod
    def structure(self) -> Structure:
        """Return whose answers are waited for."""

    @abstractmethod
    def default_share(self) -> float:
        """Return the share of the work that one time of the latency law stands for."""

    def share(self) -> float:
        """Return that share, or the one given as ``load``: a time is that of ℓ = share · work."""
        return self.default_share() if self.load is None else self.load

    def burden(self) -> float:
        """Return the largest share of the work that a worker is given: the measure ``load``."""
        return self.share()

    def for_time(self, time: Time | None) -> Self:
        """Return the system with whatever depends on the law of one time settled.

        ``time`` is the law that all workers have, None where they differ.
        """
        return self
