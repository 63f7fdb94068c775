"""What a search found: systems in the order of their times, and the least time for each load."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fastgc.planning.contender import Contender
from fastgc.results.rows import EXACT, MONTE_CARLO

#: Entries of "load against time", at most.
MOST_LOADS = 12


@dataclass(frozen=True)
class Choice:
    """One system and what it is worth.

    Attributes
    ----------
    system : dict
        A ``system`` table of a study.
    value : float
        The goal: mean or quantile of the completion time; infinite where the mean is.
    low, high : float
        Interval at the confidence asked for; the value itself where it is exact.
    load : float
        Largest share of the work that a worker is given.
    method : {"exact", "monte-carlo"}
    messages : float
        Received by all ports until done; a mean where the number differs from time to time.
    trials : int or None
        Behind the value; None where it is exact.
    note : str
        What else there is to say; often empty.
    """

    system: dict[str, Any]
    value: float
    low: float
    high: float
    load: float
    method: str
    messages: float
    trials: int | None
    note: str = ""

    @property
    def name(self) -> str:
        """The system in a few words."""
        return written(self.system)

    def row(self, *, front: bool) -> dict[str, Any]:
        """Return it as JSON data; ``front``: no system with a smaller load is as fast."""
        return {
            "system": self.system,
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "load": self.load,
            "method": self.method,
            "messages": self.messages,
            "trials": self.trials,
            "front": front,
            "note": self.note,
        }


class Ranking(list[Choice]):
    """Systems in the order of their values: the best of every scheme, and its neighbours.

    Attributes
    ----------
    goal : str
    front : list of Choice
        "Load against time": the fastest for each load, from small to large, where a larger load is
        faster; a selection where there are many.
    separated : bool
        Whether it is certain, at the ``confidence`` asked for, that none is better than the first.
    confidence : float
    trials : int
        Most trials that a system was sampled for; 0 where all is exact.
    notes : list of str
        Sentences on what the list leaves out or cannot say.
    """

    goal: str
    front: list[Choice]
    separated: bool
    confidence: float
    trials: int
    notes: list[str]

    def rows(self) -> list[dict[str, Any]]:
        """Return all choices, those of ``front`` too, as JSON data in the order of their values."""
        on_front = [choice.system for choice in self.front]
        every = [*self, *(choice for choice in self.front if choice not in self)]
        every.sort(key=lambda choice: (choice.value, choice.load))
        return [choice.row(front=choice.system in on_front) for choice in every]


def choice(contender: Contender, z: float) -> Choice:
    """Return a contender that has a value as a choice."""
    low, high = contender.interval(z)
    exact = contender.known is not None
    notes = []
    if contender.value == math.inf:
        notes.append("infinite")
    elif not exact and contender.heavy:
        notes.append("infinite variance: the interval may be too short")
    if contender.rule is not None:
        notes.append(f"rule {contender.rule}")
    if contender.idle:
        notes.append(f"{contender.idle} {'worker' if contender.idle == 1 else 'workers'} idle")
    return Choice(
        system=contender.system.settings(),
        value=contender.value,
        low=low,
        high=high,
        load=contender.load,
        method=EXACT if exact else MONTE_CARLO,
        messages=contender.messages,
        trials=None if exact else contender.trials,
        note=", ".join(notes),
    )


def front(contenders: Iterable[Contender]) -> list[Contender]:
    """Return those than which none is faster at the same or a smaller load, by rising load."""
    found: list[Contender] = []
    for contender in sorted(contenders, key=lambda c: (c.load, c.value)):
        if contender.value < (found[-1].value if found else math.inf):
            found.append(contender)
    return found


def thinned(contenders: Sequence[Contender], kept: Sequence[Contender]) -> list[Contender]:
    """Return at most `MOST_LOADS`, their loads at about equal ratios; first, last and kept stay."""
    if len(contenders) <= MOST_LOADS:
        return list(contenders)
    first, last = contenders[0], contenders[-1]
    wanted = [first, last, *(c for c in kept if c in contenders)]
    room = max(0, MOST_LOADS - len({id(c) for c in wanted}))
    for step in range(1, room + 1):
        load = first.load * (last.load / first.load) ** (step / (room + 1))
        wanted.append(min(contenders, key=lambda c: abs(math.log(c.load / load))))
    return [c for c in contenders if any(c is each for each in wanted)]


def written(system: dict[str, Any]) -> str:
    """Write a system's table in a few words.

    >>> written({"family": "k-of-n", "load": 0.5, "n": 5, "k": 4})
    'k-of-n n=5 k=4 load=0.5'
    """
    keys = [key for key in system if key not in ("family", "load")]
    keys += ["load"] if "load" in system else []
    return " ".join([system["family"], *(f"{key}={_brief(system[key])}" for key in keys)])


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(map(str, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
