"""What `fastgc.advise` finds: a verdict, why, what to do next, and remedies with their gains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgc.registry.shown import Shown
from fastgc.results.ranking import written

if TYPE_CHECKING:
    from fastgc.latency.slowdown import Figure, Slowdown


#: Keys of systems that say how many workers in turn hold one part.
COPIES = {"replication": "d", "clones": "r"}


def briefly(system: dict[str, Any]) -> str:
    """Return a system in a few words, without the rows that speeds are read from.

    >>> briefly({"family": "leave-out", "n": 8, "k": 1, "who": [5], "basis": 5})
    'leave-out n=8 k=1 for good'
    """
    kept = {key: value for key, value in system.items() if key not in ("basis", "who")}
    return written(kept) + " for good" * ("who" in system)


def called(worker: str) -> str:
    """Return what a sentence calls a worker, whose name may be a number alone."""
    return f"worker {worker}" if worker.isdigit() else worker


def in_unit(unit: str | None) -> str:
    """Return a unit as it stands behind a number; nothing where it is not known."""
    return "" if unit is None else f" {unit}"


def at_cost(rate: float, unit: str | None, *, known: bool) -> str:
    """Return a condition: what load costs, in words for both extremes where it is not known."""
    costs = f"{rate:.4g}{in_unit(unit)} a round"
    if known:
        return f"if all of the work costs {costs}"
    if rate == 0:
        return "if more work takes no more time"
    return f"if time grows in proportion to work (all of it costs {costs})"


def placement(names: Sequence[str], system: dict[str, Any]) -> str:
    """Return which workers hold copies of one part, or take the places of a system in turn.

    >>> placement(("d", "a", "b", "c"), {"family": "replication", "n": 4, "d": 2})
    'replication n=4 d=2: copies of one part are on d and a; b and c (dealt by mean times)'
    """
    own = [called(name) for name in names]
    size = system.get(COPIES.get(system["family"], ""), 0)
    said = "workers take its places in the order " + ", ".join(own)
    if size:
        groups = (" and ".join(own[i : i + size]) for i in range(0, len(own), size))
        said = f"copies of one part are on {'; '.join(groups)}"
    return f"{briefly(system)}: {said} (dealt by mean times)"


@dataclass(frozen=True)
class Remedy:
    """A system, and what it was worth in the rows that it was not chosen on.

    * ``system``: a ``system`` table of a study.
    * ``gradient`` ({"exact", "fresh", "lost", "stale"}): what the master has when it is done, as
      for `fastgc.design`; "exact" for fresh mini-batches, too, if these were said to do.
    * ``rate``: what all of the work costs, in the recording's unit, where these numbers hold.
    * ``load``: largest share of the work that a worker is given.
    * ``time``: mean time of a round, with its 95 % interval.
    * ``gain``: how many times as long uncoded work takes.
    * ``worker_time``: for how long all workers together work in a round, in the unit of the
      recording.
    * ``places``: the worker of each place, where copies of a part or places in a tree are dealt out
      by the mean times of the rows that it was chosen on; empty where workers keep their order.
    * ``lost``: in what share of the rounds each worker's part of the gradient is lost; empty if
      none is.
    """

    system: dict[str, Any]
    gradient: str
    rate: float
    load: float
    time: "Figure"
    gain: "Figure"
    worker_time: float
    lost: tuple[float, ...] = ()
    places: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The system in a few words."""
        return briefly(self.system)

    def as_dict(self, workers: tuple[str, ...]) -> dict[str, Any]:
        """Return plain data, for which workers have names."""
        figures = {"time": self.time.as_dict(), "gain": self.gain.as_dict()}
        keys = ("system", "gradient", "rate", "load", "worker_time")
        lost: dict[str, Any] | None = None
        if self.lost:
            most = max(self.lost)
            mean = math.fsum(self.lost) / len(self.lost)
            lost = {"mean": mean, "most": most, "worker": workers[self.lost.index(most)]}
        return {
            **{key: getattr(self, key) for key in keys},
            **figures,
            "lost": lost,
            "workers": [workers[j] for j in self.places],
        }


@dataclass(frozen=True)
class Range:
    """Costs of all of the work for which one system is near the best.

    ``low``, ``high``: the ends, in the recording's unit, with their 95 % intervals; ``judged``,
    (Remedy, Remedy): the system at both ends, in the rows that it was not chosen on; ``behind``:
    how much longer it takes there than the best, at most, in parts of its time.
    """

    low: "Figure"
    high: "Figure"
    judged: tuple[Remedy, Remedy]
    behind: float

    @property
    def system(self) -> dict[str, Any]:
        """The system's table."""
        return self.judged[0].system

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        gains = [each.gain.as_dict() for each in self.judged]
        ends = {"low": self.low.as_dict(), "high": self.high.as_dict()}
        return {"system": self.system, **ends, "gains": gains}


@dataclass(frozen=True)
class BreakEven:
    """The cost of all of the work a round up to which the best code is the fastest, in its unit.

    ``value``: 0 where no code is the fastest even if load costs nothing; ``low``, ``high``: ends of
    the 95 % interval; ``highest``: the largest cost that was looked at, that of work which is all
    of the time; ``curve``, tuple of (float, float, float): costs, with the mean times of the best
    code and of the best exact system without one.
    """

    value: float
    low: float
    high: float
    highest: float
    curve: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class Advice(Shown):
    """What to do about the stragglers of a recording.

    * ``workers``, ``rounds``: ``rounds`` are those that were looked at: after the last change of
      any worker.
    * ``kind`` ({"remedy", "nothing", "load", "slow", "unsure", "refused"}): a remedy, or to do
      nothing; or that it depends on what load costs, and what is best at which cost; or who is slow
      in all rounds, where that is certain and all else is not, or no worker can be left out. Or why
      nothing can be said: the rows do not tell, or they are no recording of workers' times.
    * ``next``: the command or the measurement that would decide.
    * ``system``: the system that is named, whatever load costs.
    * ``ranges``: where it depends on that: which system at which cost.
    * ``remedies``: the best of each scheme at each rate, those with the exact gradient first.
    * ``slowdown``: what waiting for the slowest costs, and who causes it.
    * ``load``: what each worker had of the work in the recording.
    * ``rates``: costs of all of the work that remedies were judged at.
    * ``names``: the workers.
    * ``unit``: what times are in; None where that is not known.
    * ``warnings``: rounds that are left out, or come again; workers that are late together and hold
      one part.
    """

    trace: str
    workers: int
    rounds: int
    kind: str
    verdict: str
    why: tuple[str, ...]
    next: str
    system: dict[str, Any] | None
    ranges: tuple[Range, ...]
    remedies: tuple[Remedy, ...]
    break_even: BreakEven | None
    slowdown: "Slowdown | None"
    load: float
    rates: tuple[float, ...]
    rate_known: bool
    names: tuple[str, ...]
    unit: str | None
    warnings: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the recording tells what to do."""
        return self.kind in ("remedy", "nothing", "load", "slow")

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        keys = ("trace", "workers", "rounds", "kind", "verdict", "next", "system", "load", "unit")
        return {
            **{key: getattr(self, key) for key in keys},
            "why": list(self.why),
            "warnings": list(self.warnings),
            "rates": list(self.rates),
            "rate_known": self.rate_known,
            "ranges": [each.as_dict() for each in self.ranges],
            "remedies": [each.as_dict(self.names) for each in self.remedies],
            "break_even": self.break_even and vars(self.break_even),
            **({} if self.slowdown is None else self.slowdown.as_dict(self.names)),
        }
