"""The systems that a search for the best one ranked, and what each is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from fastgc.registry.shown import Shown, attributes, finite


@dataclass(frozen=True)
class Choice:
    """One system and what it is worth.

    * ``system``: a ``system`` table of a study.
    * ``value``: the goal: mean or quantile of the completion time; infinite where the mean is.
    * ``low``, ``high``: interval at the confidence asked for; the value itself where it is exact.
    * ``gradient`` ({"exact", "fresh", "lost", "stale"}): what the master has when it is done: the
      whole gradient, that of fresh mini-batches that came first, one of which a share is lost, or
      one of parameters that workers have moved on their own.
    * ``load``: largest share of the work that a worker is given.
    * ``method`` ({"exact", "monte-carlo"}).
    * ``messages``: number of messages that all ports receive until the system is done; a mean where
      that differs from trial to trial.
    * ``worked``: seconds that all workers together work until it is done, on average; the interval
      of this mean is from ``worked_low`` to ``worked_high``, the mean itself over rows.
    * ``gain``: how many times as long uncoded work takes; None where neither has a finite value.
    * ``gain_low``, ``gain_high``: its interval; None where there is none to be had, infinite where
      it is open.
    * ``also``: other names of the same thing: systems of the same load that take the same time.
    * ``trials``: trials that the value was estimated from; None where it is exact.
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
    worked_low: float
    worked_high: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    trials: int | None
    note: str = ""
    also: tuple[dict[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The system in a few words."""
        return written(self.system)

    def row(self, *, front: bool) -> dict[str, Any]:
        """Return it as JSON data; ``front``: no system with a smaller load is as fast."""
        return {
            **attributes(self, ("system", "value", "low", "high", "gradient", "load", "method")),
            "messages": self.messages,
            "worker_seconds": finite(self.worked),
            "worker_seconds_low": finite(self.worked_low),
            "worker_seconds_high": finite(self.worked_high),
            **attributes(self, ("gain", "gain_low", "gain_high")),
            "also": list(self.also),
            "trials": self.trials,
            "front": front,
            "note": self.note,
        }


@dataclass(frozen=True, repr=False)
class Ranking(Sequence[Choice], Shown):
    """A sequence of choices, the best first.

    * ``choices``: the best system of every scheme, and the neighbours of the best of all, by their
      values: first those with the exact gradient, then of fresh mini-batches, then those that lose
      a share of it, then stale ones.
    * ``goal``: what is to be small: ``"mean"`` or ``"quantile(q)"`` of the completion time.
    * ``confidence``: confidence of every interval, and of ``separated``.
    * ``front``: "Load against time": the fastest system for each load, by rising load, where a
      larger load is faster. Where there are many, some of them, the first and the last included.
    * ``separated``: whether it is certain, at that confidence, that no system is better than the
      first: under the law, or on the cluster where that was recorded.
    * ``scope`` ({"law", "cluster", "recording"}): what intervals and ``separated`` are about: a law
      that is taken as it is; a cluster of which a recording is a sample; or the recording alone,
      which does not say more.
    * ``statement``: a sentence on how sure the first place is, and of what.
    * ``unit``: what times are in.
    * ``looked_at``: how many systems of each scheme were looked at.
    * ``left_out``: schemes that were not, and why.
    * ``assumed``: sentences on what was assumed of a recording, to be read before all else.
    * ``trials``: most trials that a system was sampled for; 0 where all values are exact.
    * ``notes``: sentences on what the ranking leaves out or cannot say.
    """

    choices: tuple[Choice, ...]
    goal: str
    confidence: float
    front: tuple[Choice, ...]
    separated: bool
    trials: int
    scope: str
    statement: str
    unit: str
    looked_at: dict[str, int]
    left_out: dict[str, str]
    assumed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return how many systems there are, and the first."""
        first = f"; the first is {self[0].name}: {self[0].value:.6g}" if self.choices else ""
        return f"<Ranking of {len(self)} systems by {self.goal}{first}>"

    def __len__(self) -> int:
        return len(self.choices)

    @overload
    def __getitem__(self, place: int) -> Choice: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, place: int | slice) -> Choice | tuple[Choice, ...]:
        return self.choices[place]

    @property
    def certainty(self) -> str:
        """What a number without an interval is: exact under a law, of a recording as recorded."""
        return "as recorded" if self.scope == "recording" else "exact"

    def data(self) -> dict[str, Any]:
        """Return everything as JSON data: what was asked, how sure it is, and `rows`."""
        return {
            **attributes(self, ("goal", "unit", "confidence", "scope", "separated", "statement")),
            **attributes(self, ("looked_at", "left_out")),
            "assumed": list(self.assumed),
            "notes": list(self.notes),
            "trials": self.trials,
            "systems": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return all choices, those of ``front`` too, as JSON data in the order of their values."""
        on_front = [choice.system for choice in self.front]
        every = [*self, *(choice for choice in self.front if choice not in self)]
        classes = list(dict.fromkeys(choice.gradient for choice in self))
        every.sort(key=lambda c: (classes.index(c.gradient), c.value, c.load))
        return [choice.row(front=choice.system in on_front) for choice in every]


def written(system: dict[str, Any]) -> str:
    """Write a system's table in a few words.

    >>> written({"family": "k-of-n", "load": 0.5, "n": 5, "k": 4})
    'k-of-n n=5 k=4 load=0.5'
    """
    last = [key for key in ("patience", "load") if key in system]
    keys = [key for key in system if key not in ("family", *last)] + last
    return " ".join([system["family"], *(f"{key}={_brief(system[key])}" for key in keys)])


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(map(str, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
