"""The search for a system's best form: known members, all forms if few, else changes of the best.

Changes are judged on draws that all forms share, by threshold accepting (Dueck and Scheuer, Journal
of Computational Physics 90, 1990); the best are then judged by their exact laws.
"""

import math
import time
from collections.abc import Callable, Iterable
from statistics import NormalDist
from typing import Any

import numpy as np

from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Step
from fastgc.registry.shown import finite
from fastgc.results.ranking import written
from fastgc.searching.certificate import named
from fastgc.searching.forms import DRAWS, KINDS, Form, Kind, counted, known
from fastgc.searching.found import FoundSystem
from fastgc.searching.system_problem import SystemProblem
from fastgc.searching.timed import Timed
from fastgc.version import __version__

#: Forms that are all judged exactly.
MOST_SOLVED = 512
#: Known members and best changes that are judged exactly, and walks.
_BEST, _WALKS = 24, 6
#: Changes around the best form that are tried, of which a few are judged exactly; and how often.
_AROUND, _TRIED, _ROUNDS = 200, 6, 10
#: The first threshold, as a share of the time.
_WARM = 0.03
#: Exact times closer than this share are equal.
_MARGIN = 1e-9
#: Fresh draws where there is no exact law, and the probability that any comparison errs.
_DRAWS, _ERRS = 1 << 17, 0.01
#: Draws that must differ before an interval is believed.
_EVENTS = 100


class Exchange:
    """A search under way; ``progress`` and ``interrupted`` are those of `fastgc.search`."""

    def __init__(
        self,
        problem: SystemProblem,
        progress: Callable[[Step], None] | None,
        interrupted: Callable[[], str | None],
    ) -> None:
        self.problem = problem
        self.kind: Kind = KINDS[problem.system](problem)
        self.timed = Timed(self.kind)
        self._progress, self._interrupted = progress, interrupted
        self._began, self._ended, self._done = time.monotonic(), "steps", 0
        self._course: list[tuple[int, float | None, str]] = []
        self._all: int | None = None
        self._by: dict[Form, str] = {}

    def run(self) -> FoundSystem:
        """Search, and return what was found with its certificate."""
        families: dict[Form, dict[str, Any]] = {}
        for table, form in known(self.kind):
            families.setdefault(form, table)
        for form, table in families.items():
            self._by[form] = written(table)
            self._note(form)  # says if there are no times for its load
        few = counted(self.kind, min(MOST_SOLVED, self.problem.steps))
        every = self.kind.everything()
        if every is not None and few <= min(MOST_SOLVED, self.problem.steps):
            pool = self._solved(every, "all forms")
            complete = self._ended == "steps" and None not in map(self.timed.exact, pool)
            self._all = few if complete else None
        else:
            pool = self._changed(list(families))
        pool = sorted({**dict.fromkeys(families), **dict.fromkeys(pool)}, key=self._value)
        if not pool:
            raise FastgcError(f"search: no {self.problem.system} fits n={self.problem.n}")
        return FoundSystem(self.problem, self._certificate(pool, families))

    def _value(self, form: Form) -> float:
        exact = self.timed.exact(form)
        return self.timed.quick(form) if exact is None else exact

    def _solved(self, forms: Iterable[Form], by: str) -> list[Form]:
        found = []
        for form in forms:
            if self._stop():
                break
            self._done += 1
            found.append(form)
            self._by.setdefault(form, by)
            self._note(form)
        return found

    def _changed(self, families: list[Form]) -> list[Form]:
        """Change the best known forms, and look around the best that come of it."""
        starts = sorted(families, key=self._value)[:_WALKS]
        seen: dict[Form, float] = {}
        budget = max(0, self.problem.steps - _AROUND)
        for number, start in enumerate(starts):
            self._walk(start, budget // len(starts), f"walk {number}", seen)
        best = sorted(seen, key=seen.__getitem__)[:_BEST]
        pool = [form for form in best if self._note(form)] or best
        for number in range(_ROUNDS if pool and self.problem.steps else 0):
            first = min([*pool, *families], key=self._value)
            near: dict[Form, float] = {}
            for u in self._numbers(f"around {number}", _AROUND // _ROUNDS):
                form = self._step(first, u)
                if form is not None and form not in pool:
                    near[form] = self.timed.quick(form)
            tried = sorted(near, key=near.__getitem__)[:_TRIED]
            pool += [form for form in tried if self._note(form)]
        return pool

    def _numbers(self, name: str, count: int) -> list[list[float]]:
        found = uniforms(self.problem.seed, f"search/{name}", count * DRAWS)
        return [list(map(float, row)) for row in found.reshape(count, DRAWS)]

    def _step(self, form: Form, u: list[float]) -> Form | None:
        """Return a changed form that was not stopped; None where the change does not fit."""
        if self._stop():
            return None
        self._done += 1
        new = self.kind.changed(form, u)
        if new is not None:
            self._by.setdefault(new, "exchange")
        return new

    def _walk(self, form: Form, steps: int, name: str, seen: dict[Form, float]) -> None:
        """Try changes, the threshold falling to 0; note what is seen."""
        now = seen[form] = self.timed.quick(form)
        warm = _WARM * now
        for i, u in enumerate(self._numbers(name, steps)):
            if self._ended == "seconds":
                return
            new = self._step(form, u)
            if new is None:
                continue
            cost = seen[new] = self.timed.quick(new)
            if cost <= now + warm * (1.0 - i / steps) ** 2:
                form, now = new, cost

    def _note(self, form: Form) -> bool:
        """Judge a form as well as can be, and keep when it was the best; say so."""
        value, by = self._value(form), self._by[form]
        best = min((each[1] for each in self._course if each[1] is not None), default=math.inf)
        if value < best * (1 - _MARGIN):
            self._course.append((self._done, finite(value), by))
        if self._progress is not None:
            said = f"{by}: {min(value, best):.6g}"
            seconds = time.monotonic() - self._began
            self._progress(Step(self._done, max(1, self.problem.steps), said, 0, seconds))
        return not self._stop()

    def _stop(self) -> bool:
        """Whether time is up; raise if the search was asked to stop."""
        reason = self._interrupted()
        if reason is not None:
            raise StoppedError(f"stopped early by {reason}: a search for a system keeps nothing")
        seconds = self.problem.seconds
        if seconds is not None and time.monotonic() - self._began >= seconds:
            self._ended = "seconds"
        return self._ended == "seconds"

    # ---- what is certain

    def _certificate(
        self, pool: list[Form], families: dict[Form, dict[str, Any]]
    ) -> dict[str, Any]:
        """Return what is certain of the first of the pool, as plain data."""
        winner = pool[0]
        others = [form for form in pool[1:] if form in families]
        runner_up = [form for form in pool[1:] if form not in families][:1]
        rivals = [*others, *runner_up]
        own, rows = self._compared(winner, rivals)
        for form, row in zip(rivals, rows, strict=True):
            table = families.get(form)
            by = self._by[form] if table else written(self.kind.system(form).settings())
            row |= {"name": by, "family": table, "allowed": True}
        standings = {row["standing"] for row in rows if row["family"]}
        verdict = "better than every family" if standings <= {"worse"} else "undecided"
        if winner in families or standings & {"equal", "better"}:
            verdict = "no better than a family"
        elif not standings:
            verdict = "no family fits"
        system = self.kind.system(winner).settings()
        made: dict[str, Any] = {
            "fastgc": __version__,
            "problem": self.problem.settings(),
            "by": self._by[winner] if winner in families else written(system),
            "system": system,
            "exact": None,
            **own,
            "all": self._all,
            "optimal": self._all is not None,
            "verdict": verdict,
            "statement": "",
            "compared": rows,
            "steps": self._done,
            "ended": self._ended,
            "course": [list(each) for each in self._course],
        }
        made["statement"] = self._statement(made)
        return made

    def _compared(
        self, winner: Form, rivals: list[Form]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Compare exact values where both have one, else fresh draws that all share."""
        quantile = NormalDist().inv_cdf(1 - _ERRS / (2 * max(1, len(rivals))))
        mine = self.timed.exact(winner)
        exact = [self.timed.exact(form) for form in rivals]
        drawn = None
        if mine is None or None in exact:
            at = self.timed.of(self.timed.sample(winner, "settled", _DRAWS))
            drawn = self.timed.sample(winner, "fresh", _DRAWS)
        own = {"value": finite(self._value(winner) if mine is not None else math.nan)}
        own["method"] = "exact laws"
        if mine is None and drawn is not None:
            own = self._drawn_value(drawn)
        rows = []
        for form, theirs in zip(rivals, exact, strict=True):
            row: dict[str, Any] = {"value": None, "exact": None, "standing": "undecided"}
            if mine is not None and theirs is not None:
                row["value"] = finite(theirs)
                close = math.isclose(mine, theirs, rel_tol=_MARGIN)
                row["standing"] = "equal" if close else "worse" if theirs > mine else "better"
            else:
                assert drawn is not None
                other = self.timed.sample(form, "fresh", _DRAWS)
                row["value"] = finite(self.timed.of(other) if theirs is None else theirs)
                apart = other - drawn
                if self.problem.quantile is not None:  # who is late when it is the winner's time
                    apart = (other > at).astype(float) - (drawn > at)
                more = math.fsum(apart.tolist()) / apart.size
                margin = quantile * float(np.std(apart)) / math.sqrt(apart.size)
                row |= {"more": more, "low": more - margin, "high": more + margin}
                heavy = self.timed.heavy(form) or self.timed.heavy(winner)
                if abs(more) > margin and np.count_nonzero(apart) >= _EVENTS and not heavy:
                    row["standing"] = "worse" if more > 0 else "better"
                elif not apart.any() and bool((other == drawn).all()):
                    row["standing"] = "equal"
            rows.append(row)
        return own, rows

    def _drawn_value(self, drawn: Any) -> dict[str, Any]:
        """Return the value and 95 % interval of fresh draws."""
        half, level, size = NormalDist().inv_cdf(0.975), self.problem.quantile, drawn.size
        if level is None:
            value, margin = self.timed.of(drawn), half * float(np.std(drawn)) / math.sqrt(size)
            low, high = value - margin, value + margin
        else:  # so many draws below a quantile are binomial
            ordered, spread = np.sort(drawn), half * math.sqrt(level * (1 - level) * size)
            places = (math.floor(level * size - spread) - 1, math.ceil(level * size + spread))
            low, high = (float(ordered[min(max(each, 0), size - 1)]) for each in places)
            value = self.timed.of(drawn)
        said = f"{_DRAWS} fresh draws; comparisons err with probability {_ERRS} at most"
        return {"value": value, "low": low, "high": high, "method": said}

    def _statement(self, made: dict[str, Any]) -> str:
        what = named(self.problem)
        if made["value"] is None:
            return f"the {what} of every {self.problem.system} is infinite; ask for a quantile"
        said = f"{what} {made['value']:.6g} by {made['by']}"
        rows = [row for row in made["compared"] if row["family"] and row["value"] is not None]
        if made["verdict"].startswith("no "):
            said += f": {made['verdict']}"
        elif rows:
            first = min(rows, key=lambda row: row["value"])
            rival = f"{first['name']}, the best family"
            share = 100 * (1 - made["value"] / first["value"])
            better = f"{share:.3g} % less than {rival} ({first['value']:.6g})"
            open_ = f"{rival}, has {first['value']:.6g}, and which is better is undecided"
            said += f": {better}" if made["verdict"].startswith("better") else f"; {open_}"
        if made["optimal"]:
            said += f"; all {made['all']} forms were judged, and none is better"
        return said
