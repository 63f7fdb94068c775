"""The systems that a search for the best one ranked, and what each is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from fastgc.registry.shown import Drawn


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
        Number of messages that all ports receive until the system is done; a mean where that
        differs from trial to trial.
    trials : int or None
        Trials that the value was estimated from; None where it is exact.
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


@dataclass(frozen=True, repr=False)
class Ranking(Sequence[Choice], Drawn):
    """A sequence of choices, the best first.

    Attributes
    ----------
    choices : tuple of Choice
        The best system of every scheme, and the neighbours of the best of all, by their values.
    goal : str
        What is to be small: ``"mean"`` or ``"quantile(q)"`` of the completion time.
    confidence : float
        Confidence of every interval, and of ``separated``.
    front : tuple of Choice
        "Load against time": the fastest system for each load, by rising load, where a larger load
        is faster. Where there are many, some of them, the first and the last included.
    separated : bool
        Whether it is certain, at that confidence, that no system is better than the first.
    trials : int
        Most trials that a system was sampled for; 0 where all values are exact.
    notes : tuple of str
        Sentences on what the ranking leaves out or cannot say.
    """

    choices: tuple[Choice, ...]
    goal: str
    confidence: float
    front: tuple[Choice, ...]
    separated: bool
    trials: int
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

    def rows(self) -> list[dict[str, Any]]:
        """Return all choices, those of ``front`` too, as JSON data in the order of their values."""
        on_front = [choice.system for choice in self.front]
        every = [*self, *(choice for choice in self.front if choice not in self)]
        every.sort(key=lambda choice: (choice.value, choice.load))
        return [choice.row(front=choice.system in on_front) for choice in every]


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
