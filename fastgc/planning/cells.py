"""What `fastgc.atlas` finds: for each recording or law, and each cost of load, what wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.latency.slowdown import Figure
from fastgc.results.advised import BreakEven

#: Kinds of remedies with the exact gradient of one batch, by the families that are of them.
KINDS = {
    "nothing": ("uncoded",),
    "sharing": ("leave-out", "balanced"),
    "code": ("gradient-code", "replication", "coded-reduce", "clones"),
}
KIND = {family: kind for kind, families in KINDS.items() for family in families}
#: What a remedy must save of the time of uncoded work, or doing nothing wins.
LEAST_SAVED = 0.01


@dataclass(frozen=True)
class Worth:
    """A system, and its time as a share of that of uncoded work.

    * ``system``: A ``system`` table of a study.
    * ``gradient``: what the master has when it is done, as for `fastgc.advise`.
    * ``load``: largest share of the work that a worker is given.
    * ``time``: mean time of a round ÷ that of uncoded work, with its 95 % interval; of a law,
      exact.
    """

    system: dict[str, Any]
    gradient: str
    load: float
    time: Figure

    @property
    def family(self) -> str:
        """Name of the system's family."""
        return str(self.system["family"])

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        keys = ("system", "gradient", "load")
        return {**{key: getattr(self, key) for key in keys}, "time": self.time.as_dict()}


@dataclass(frozen=True)
class Cell:
    """One recording or law at one cost of load.

    * ``cost``: as it is called: a share of the mean time, "fitted", or "in proportion".
    * ``share``: the part of uncoded work's mean time that grows with the load; None where all of it
      does, slow moments, too.
    * ``worths``: the best system of each family.
    * ``winner``: the family that wins of those with the exact gradient of one batch.
    * ``decided``: whether that is certain, at 95 %, of rows that the systems were not chosen on; of
      a law, always.
    """

    cost: str
    share: float | None
    worths: tuple[Worth, ...]
    winner: str
    decided: bool

    def of(self, family: str) -> Worth | None:
        """Return the best system of a family; None where it has none that can be timed."""
        return next((each for each in self.worths if each.family == family), None)

    @property
    def kind(self) -> str:
        """The winner's kind: see `KINDS`."""
        return KIND[self.winner]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        keys = ("cost", "share", "winner", "kind", "decided")
        return {
            **{key: getattr(self, key) for key in keys},
            "systems": [each.as_dict() for each in self.worths],
        }


@dataclass(frozen=True)
class Subject:
    """A recording or a law: one row of the map.

    * ``name`` (str).
    * ``group``: what the laws of one picture have in common; empty for recordings.
    * ``workers``, ``rounds``: ``rounds`` is 0 for a law.
    * ``cells`` (tuple of Cell).
    * ``break_even``: the cost up to which a code is the fastest, as a share of the mean time, of
      all rows; None where there is no code.
    * ``note`` (str).
    """

    name: str
    group: str
    workers: int
    rounds: int
    cells: tuple[Cell, ...]
    break_even: BreakEven | None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        keys = ("name", "group", "workers", "rounds", "note")
        return {
            **{key: getattr(self, key) for key in keys},
            "cells": [each.as_dict() for each in self.cells],
            "break_even": self.break_even and self.break_even.as_dict(),
        }


@dataclass(frozen=True)
class Atlas:
    """Who wins where: recordings or laws against the cost of load.

    * ``title`` (str).
    * ``subjects`` (tuple of Subject).
    * ``refused``: recordings that cannot tell, and why.
    * ``seed`` (int).
    """

    title: str
    subjects: tuple[Subject, ...]
    refused: tuple[tuple[str, str], ...]
    seed: int

    @property
    def of_laws(self) -> bool:
        """Whether it is of laws, and all of it exact."""
        return all(not each.rounds for each in self.subjects)

    @property
    def costs(self) -> tuple[str, ...]:
        """Costs of load, in their order."""
        return tuple(dict.fromkeys(cell.cost for each in self.subjects for cell in each.cells))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "title": self.title,
            "seed": self.seed,
            "of_laws": self.of_laws,
            "costs": list(self.costs),
            "subjects": [each.as_dict() for each in self.subjects],
            "refused": [{"name": name, "reason": reason} for name, reason in self.refused],
        }


def winner(times: Mapping[str, float]) -> str:
    """Return the family that wins, from the time of each; see `handicapped`."""
    known = [family for family in times if family in KIND]
    return min(known, key=lambda family: handicapped(family, times[family]))


def handicapped(family: str, time: Any) -> Any:
    """Return a time as it is compared: what saves less than `LEAST_SAVED` does not win.

    >>> winner({"uncoded": 1.0, "leave-out": 0.995}), winner({"uncoded": 1.0, "balanced": 0.9})
    ('uncoded', 'balanced')
    """
    return time * (1 - LEAST_SAVED) if family == "uncoded" else time
