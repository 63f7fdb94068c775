"""Remedies in their order and what each is worth: what `fastgc.design` and `fastgc.advise` find."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from fastgc.arrays import Brief
from fastgc.registry.display import NotebookTable, attributes, finite

if TYPE_CHECKING:
    from fastgc.latency.slowdown import IntervalValue, Slowdown

#: Keys of systems that say how many workers in turn hold one part.
COPIES = {"replication": "d", "clones": "r"}
_GAINS = ("gain", "gain_low", "gain_high")


@dataclass(frozen=True, repr=False)
class Remedy(Brief):
    """One system and what it is worth.

    * ``system``: a ``system`` table of a study.
    * ``value``: mean or quantile of the completion time; infinite where the mean is. Of an advice,
      the mean in the rows that the system was not chosen on.
    * ``low``, ``high``: interval at the confidence asked for; the value itself where it is exact.
    * ``gradient`` ({"exact", "fresh", "lost", "stale"}): what the master has when it is done: the
      whole gradient, that of fresh mini-batches that came first, one of which a share is lost, or
      one of parameters that workers have moved on their own.
    * ``load``: largest share of the work that a worker is given.
    * ``method`` ({"exact", "monte-carlo"}).
    * ``messages``: messages that all ports receive until the system is done, on average.
    * ``worked``: seconds that all workers together work until then, on average.
    * ``gain``: how many times as long uncoded work takes, None where neither has a finite value,
      with the interval ``gain_low``, ``gain_high``; None where there is none to be had.
    * ``trials``: trials that the value was estimated from; None where it is exact.
    * ``rate``: what all of the work costs where these numbers hold; None where a law says it.
    * ``lost``: the share of the gradient that is lost on average, ``mean``; over rows also ``most``
      and the ``worker`` that loses so much. None where nothing is, or it is not known.
    * ``places``: names of the workers in the system's places, where copies of a part or places in a
      tree are dealt out by mean times; empty where workers keep their order.
    * ``also``: other names of the same thing: systems of the same load that take the same time.
    * ``note``: what else there is to say; often empty.
    """

    system: dict[str, Any]
    value: float
    low: float
    high: float
    gradient: str
    load: float
    method: str
    messages: float
    worked: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    trials: int | None = None
    rate: float | None = None
    lost: dict[str, Any] | None = None
    places: tuple[str, ...] = ()
    also: tuple[dict[str, Any], ...] = ()
    note: str = ""

    @property
    def name(self) -> str:
        """The system in a few words."""
        return written(self.system)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "system": self.system,
            **attributes(self, ("value", "low", "high", "gradient", "load", "method", "messages")),
            "worker_seconds": finite(self.worked),
            **attributes(self, (*_GAINS, "trials", "rate", "lost", "note")),
            "workers": list(self.places),
            "also": list(self.also),
        }


@dataclass(frozen=True)
class CostRange:
    """Costs of all of the work for which one system is near the best.

    ``low``, ``high``: the ends, in the recording's unit, with their 95 % intervals; ``judged``,
    (Remedy, Remedy): the system at both ends, in the rows that it was not chosen on; ``behind``:
    how much longer it takes there than the best, at most, in parts; ``where``: the range in words.
    """

    low: "IntervalValue"
    high: "IntervalValue"
    judged: tuple[Remedy, Remedy]
    behind: float
    where: str = ""

    @property
    def system(self) -> dict[str, Any]:
        """The system's table."""
        return self.judged[0].system

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        gains = [attributes(each, _GAINS) for each in self.judged]
        ends = {"low": self.low.as_dict(), "high": self.high.as_dict()}
        return {"system": self.system, "where": self.where, **ends, "gains": gains}


@dataclass(frozen=True)
class BreakEven:
    """The cost of all of the work a round up to which the best code is the fastest, in its unit.

    ``value``: 0 where no code is the fastest even if load costs nothing; ``low``, ``high``: ends of
    the 95 % interval; ``highest``: the largest cost that was looked at, that of work which is all
    of the time.
    """

    value: float
    low: float
    high: float
    highest: float


@dataclass(frozen=True, repr=False)
class Ranking(Sequence[Remedy], NotebookTable):
    """A sequence of remedies, the best first: those with the exact gradient before the others.

    * ``choices``: of a design the best system of every scheme, and the neighbours of the best of
      all; of an advice the best of each scheme at each cost of load.
    * ``kind``: "ranking" of a design. Of an advice a "remedy", or "nothing" to do; "load", where
      that depends on what load costs; "slow", where it is certain who is nearly always slow, and
      all else is not; "unsure", where the rows do not tell; "refused", where they are no recording
      of workers' times.
    * ``verdict``: a sentence on what to do, or how sure the first place is, and of what.
    * ``unit``: what times are in; None where that is not known.
    * ``goal``: what is to be small: ``"mean"`` or ``"quantile(q)"`` of the completion time.
    * ``confidence``: of every interval, and of ``separated``: whether it is certain that no system
      is better than the first, under the law, or on the cluster where that was recorded.
    * ``scope`` ({"law", "cluster", "recording"}): what that is about: a law that is taken as it is;
      a cluster of which a recording is a sample; or the recording alone.
    * ``trials``: most trials that a system was sampled for; 0 where all values are exact.
    * ``looked_at``: how many systems of each scheme were looked at.
    * ``warnings``, ``notes``: sentences to be read before all else, and on what cannot be said.

    Of an advice alone:

    * ``trace``, ``workers``, ``rounds``: the recording, its workers' names, and the rounds that
      were looked at: after the last change of any worker.
    * ``why``, ``next``: sentences on what was found; the command or measurement that would decide.
    * ``system``: the system that is named, whatever load costs; None where none is.
    * ``load``: what each worker had of the work in the recording.
    * ``rates``, ``rate_known``: costs of all of the work that remedies were judged at.
    * ``ranges``: where it depends on what load costs: which system at which cost.
    * ``break_even``: up to which cost a code is the fastest.
    * ``slowdown``: what waiting for the slowest costs, and who causes it.
    """

    choices: tuple[Remedy, ...]
    kind: str
    verdict: str
    unit: str | None
    goal: str = "mean"
    confidence: float = 0.95
    separated: bool = False
    scope: str = "cluster"
    trials: int = 0
    looked_at: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trace: str = ""
    workers: tuple[str, ...] = ()
    rounds: int = 0
    why: tuple[str, ...] = ()
    next: str = ""
    system: dict[str, Any] | None = None
    load: float = 0.0
    rates: tuple[float, ...] = ()
    rate_known: bool = False
    ranges: tuple[CostRange, ...] = ()
    break_even: BreakEven | None = None
    slowdown: "Slowdown | None" = None

    def __repr__(self) -> str:
        """Return how many systems there are, and what is said of them."""
        return f"<Ranking of {len(self)} systems by {self.goal}. {self.verdict}>"

    def __len__(self) -> int:
        return len(self.choices)

    @overload
    def __getitem__(self, place: int) -> Remedy: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Remedy, ...]: ...
    def __getitem__(self, place: int | slice) -> Remedy | tuple[Remedy, ...]:
        return self.choices[place]

    @property
    def decided(self) -> bool:
        """Whether it says what to do."""
        return self.kind not in ("unsure", "refused")

    @property
    def best(self) -> Remedy | None:
        """The remedy that an advice names, where it gains least; None where it names none."""
        named = [each for each in self if each.system == self.system]
        if self.ranges:
            named = [self.ranges[-1].judged[1]]
        return min(named, key=lambda each: each.gain_low or 0.0, default=None)

    @property
    def certainty(self) -> str:
        """What a number without an interval is: exact under a law, of a recording as recorded."""
        return "as recorded" if self.scope == "recording" else "exact"

    def rows(self) -> list[dict[str, Any]]:
        """Return all remedies as JSON data, in their order."""
        return [each.as_dict() for each in self]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON data: what was asked, how sure it is, and ``systems``."""
        keys = ("kind", "verdict", "goal", "unit", "confidence", "scope", "separated", "trials")
        found = {
            **attributes(self, keys),
            "looked_at": self.looked_at,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "systems": self.rows(),
        }
        if self.kind == "ranking":
            return found
        return {
            **attributes(self, ("trace", "rounds", "next", "system", "load", "rate_known")),
            **found,
            "workers": len(self.workers),
            "why": list(self.why),
            "rates": list(self.rates),
            "ranges": [each.as_dict() for each in self.ranges],
            "break_even": self.break_even and vars(self.break_even),
            **({} if self.slowdown is None else self.slowdown.as_dict(self.workers)),
        }


def written(system: dict[str, Any]) -> str:
    """Write a system's table in a few words, without the rows that speeds are read from."""
    last = [key for key in ("patience", "load") if key in system]
    keys = [key for key in system if key not in ("family", "basis", "who", *last)] + last
    said = str(system["family"])
    for key in keys:
        value = system[key]
        if isinstance(value, list):
            value = "[" + ",".join(map(str, value)) + "]"
        said += f" {key}={f'{value:.6g}' if isinstance(value, float) else value}"
    return said + " for good" * ("who" in system)


def at_cost(rate: float | None, unit: str | None, *, known: bool) -> str:
    """Return a condition: what load costs, in words for both extremes where it is not known."""
    costs = f"{rate:.4g}{'' if unit is None else f' {unit}'} a round"
    if known:
        return f"if all of the work costs {costs}"
    if rate == 0:
        return "if more work takes no more time"
    of_mean = "if the mean time grows in proportion to work"
    return f"{of_mean} (all of it costs {costs}; tails do not grow with the load)"
