"""How far a command is, in one form for all of them: as a line of text, as JSON, as a bar."""

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    """How far a command is.

    It counts ``what``: points, experiments, blocks, parts or shards; ``name`` is in hand.
    ``trials``, ``goal`` and ``before`` are trials so far, about how many there will be, and those
    of earlier runs, ``own`` the same three of what is in hand alone. ``eta`` are about the seconds
    left, None if they are not known. ``quantity`` to ``high`` are measured in hand, with a 95 %
    interval. ``decided`` verdicts of all ``claims`` have fallen; ``kept`` trials are in the last
    checkpoint; ``waiting`` is what keeps it where it gets no further, such as compiling.
    """

    what: str
    done: int
    total: int
    name: str = ""
    trials: int | None = None
    goal: int | None = None
    before: int = 0
    own: tuple[int, int, int] | None = None
    eta: float | None = None
    quantity: str | None = None
    value: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    decided: int | None = None
    claims: int | None = None
    kept: int | None = None
    begun: dict[str, Any] | None = None
    waiting: str = ""

    @classmethod
    def of_run(cls, progress: Any) -> "Snapshot":
        """Return that of a `fastgc.runs.progress.Progress`."""
        begun = {
            "title": progress.title,
            "points": progress.points,
            "exact": progress.points - progress.sampled,
            "cores": progress.cores,
        }
        if not progress.units or (progress.name and not progress.goal):  # before any is sampled
            return cls(
                "exact points", progress.enumerated, progress.exact, progress.name, begun=begun
            )
        made = cls(
            what="points",
            done=progress.done,
            total=progress.units,
            name=progress.name,
            trials=progress.all_trials,
            goal=progress.all_goal,
            before=progress.all_before,
            own=(progress.trials, progress.goal, progress.before) if progress.name else None,
            eta=progress.remaining,
            quantity=progress.quantity or None,
            kept=progress.kept,
            begun=begun,
        )
        estimate = progress.estimate
        if estimate is None or estimate.value is None:
            return made
        low, high = estimate.interval()
        value, error = estimate.value, estimate.standard_error
        return replace(made, value=value, standard_error=error, low=low, high=high)

    @classmethod
    def of_validation(cls, step: Any) -> "Snapshot":
        """Return that of a `fastgc.validation.progress.Step`."""
        return cls(
            what="experiments",
            done=step.done,
            total=step.total,
            name=step.name,
            trials=step.trials,
            before=step.before,
            eta=step.remaining,
            decided=step.decided,
            claims=step.claims,
            kept=step.kept,
            begun={"cores": step.cores},
        )

    @classmethod
    def of_parts(cls, step: Any, what: str, trials: int | None = None) -> "Snapshot":
        """Return that of a step with ``done`` of ``total`` equal parts."""
        left = step.seconds * (step.total / step.done - 1) if step.done else None
        return cls(what, step.done, step.total, step.name, trials, eta=left)

    def aged(self, seconds: float) -> "Snapshot":
        """Return it with so much less time left."""
        return self if self.eta is None else replace(self, eta=max(0.0, self.eta - seconds))

    def standing(self, waiting: str) -> "Snapshot":
        """Return it as it is where nothing was added: how long that lasts is not known."""
        return replace(self, eta=None, waiting=waiting)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        values: dict[str, Any] = {
            "what": self.what,
            "done": self.done,
            "total": self.total,
            "name": self.name,
        }
        if self.claims is not None:
            values |= {"decided": self.decided, "claims": self.claims}
        if self.trials is not None:
            values |= {"trials": self.trials, "goal": self.goal}
        if self.what == "points":
            trials, goal, _ = self.own or (None, None, 0)
            values |= {"point_trials": trials, "point_goal": goal}
            values |= {key: getattr(self, key) for key in ("quantity", "value", "low", "high")}
        if self.kept is not None:
            values["kept"] = self.kept
        if self.waiting:
            values["waiting"] = self.waiting
        return values | {"eta": None if self.eta is None else round(self.eta, 1)}

    def line(self, rate: float | None) -> str:
        """Return it as a line of text; ``rate`` is in trials, or in parts, a second."""
        from fastgc.registry.numbers import spaced

        parts = []
        if self.claims is not None:
            parts.append(f"{self.decided} of {self.claims} claims decided")
        if self.own is None:
            parts.append(f"{spaced(self.done)} of {spaced(self.total)} {self.what}")
        if self.goal is not None and self.trials is not None:
            about = "" if self.goal == self.trials else "about "
            parts.append(f"{spaced(self.trials)} of {about}{spaced(self.goal)} trials")
        elif self.trials:
            parts.append(f"{spaced(self.trials)} trials")
        if rate is not None:
            parts.append(f"{spaced(round(rate))}/s")
        said = self.measured(intervals=True), self.time_left(), self.waiting
        parts += [each for each in said if each]
        label = self.label()
        return f"{label}: {', '.join(parts)}" if label else ", ".join(parts)

    def label(self) -> str:
        """Return what is in hand."""
        if self.own is None:
            return self.name
        place = min(self.done + 1, self.total)
        return f"[{place}/{self.total}] {self.name}" if self.total else self.name

    def measured(self, *, intervals: bool = False) -> str:
        """Return the value so far with its error in the last digits, or with its interval."""
        from fastgc.statistics.numbers import number

        if self.value is None:
            return ""
        if not intervals:
            return number(self.value, self.standard_error)
        low, high = (None if end is None else f"{end:.6g}" for end in (self.low, self.high))
        return f"{self.quantity} {self.value:.6g} [{low or '?'}, {high or '?'}]"

    def time_left(self) -> str:
        """Return about how long it still takes, as people say it; empty where it is not known."""
        return "" if self.eta is None else f"about {duration(self.eta)} left"


def duration(seconds: float) -> str:
    """Return a time in at most two units.

    >>> duration(7.2), duration(125), duration(9000)
    ('7 s', '2 min 5 s', '2 h 30 min')
    """
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    whole = round(seconds)
    for (large, many), (small, few) in itertools.pairwise(units):
        if whole >= many:
            rest = whole % many // few
            return f"{whole // many} {large}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"
