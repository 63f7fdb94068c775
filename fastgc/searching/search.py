"""The course of a search: candidates, descents, weights, and what is certain of the best.

Descents and weights are parts that go on side by side in threads, each a pure function of the
problem: in which order they end and where they are interrupted changes nothing.
"""

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Step
from fastgc.registry.shown import finite
from fastgc.searching import candidates, certificate, descent, table
from fastgc.searching.candidates import Candidate, Matrix
from fastgc.searching.descent import Walk
from fastgc.searching.found import Found
from fastgc.searching.judge import Cost, Judge
from fastgc.searching.ledger import Ledger
from fastgc.searching.problem import Problem
from fastgc.searching.weights import Weights

Valued = tuple[Cost, Candidate]
State = dict[str, Any]
#: Makes calls side by side, and returns their results in order; it listens meanwhile.
Run = Callable[[Sequence[tuple[Callable[..., Any], tuple[Any, ...]]], Callable[[], None]], Any]

#: Candidates that are judged in full, and structures that descents begin with.
_JUDGED, _STARTS = 16, 6
#: Of each third of the steps: how many descents go on, and how warm they are.
_RUNGS = ((24, 1.0), (6, 0.3), (2, 0.05))
#: Weights take this share of the steps; a start takes so many, and so many go side by side.
_SHARE, _EACH, _TOGETHER = 0.7, 150, 64
#: Of starts with weights: how many go on, in two rounds.
_KEPT = (4, 2)
#: Seconds after which a part says how far it is.
_SLICE = 0.5
#: In place of a structure that is drawn where its part runs.
_NONE = np.zeros(0)


class _OverError(Exception):
    """The seconds of a search are over."""


@dataclass(frozen=True)
class Part:
    """A part of a search: a function of the judge, these arguments, how far it is, and seconds.

    It returns how far the part is then, as plain data: its ``cost``, ``steps`` taken, of which
    ``before`` were taken by others, and whether it is ``done``.
    """

    name: str
    function: Callable[..., State]
    arguments: tuple[Any, ...]
    before: int = 0


class Search:
    """A search under way."""

    def __init__(
        self,
        problem: Problem,
        ledger: Ledger,
        run: Run,
        progress: Callable[[Step], None] | None,
        interrupted: Callable[[], str | None],
    ) -> None:
        self.problem, self.judge = problem, Judge(problem)
        self._ledger, self._run = ledger, run
        self._progress, self._interrupted = progress, interrupted
        self._began = time.monotonic()
        self._ended = "steps"
        self._course: list[tuple[int, float | None, str]] = []
        self._best: Valued | None = None
        self._seen: tuple[Cost, str] | None = None
        self._done = 0

    def found(self) -> Found:
        """Search, and return what was found with its certificate."""
        families = self._judged(candidates.families(self.problem), self.judge.certain)
        pool = [each for each in families if self._is_allowed(each[1])]
        others = itertools.chain(self._known(), candidates.others(self.problem))
        more = self._judged(c for _, c in best(self._while_time(others), _JUDGED))
        pool += more
        known = {each[1].B.tobytes() for each in families}
        families += [v for v in more if v[1].is_family and v[1].B.tobytes() not in known]
        steps = self.problem.steps
        weighed = int(steps * _SHARE) if self.problem.has_weights else 0
        pool += self._walked(pool, steps - weighed)
        if weighed:
            pool += self._weighted(pool, weighed)
        if not pool:
            raise FastgcError("search: no matrix with these entries and loads was found")
        pool = best(pool)
        made = certificate.certify(self.judge, pool, families)
        made |= {"steps": self._done, "ended": self._ended}
        made["course"] = [list(each) for each in self._course]
        return Found(self.problem, pool[0][1].B, made)

    def _judged(
        self, found: Iterable[Candidate], judge: Callable[[Matrix], Cost] | None = None
    ) -> list[Valued]:
        """Judge all of some matrices, also when time is over."""
        judge = judge or self.judge.full
        valued = []
        for candidate in found:
            self._stop()
            valued.append((judge(candidate.B), candidate))
            self._note(valued[-1:])
            self._tell("judging")
        return valued

    def _while_time(self, found: Iterable[Candidate]) -> list[Valued]:
        """Have a quick look at matrices while there is time."""
        own = itertools.takewhile(lambda _: not self._stop(), found)
        return [(self.judge.quick(c.B), c) for c in own]

    def _is_allowed(self, candidate: Candidate) -> bool:
        return candidates.allowed(candidate.B, self.problem.entries)

    def _known(self) -> list[Candidate]:
        """Return the codes of the table that fit."""
        own = self.problem
        if own.partitions != own.n or own.most_entries < own.n * own.most_load:
            return []
        found = []
        for cell in table.cells(own.n, own.most_load):
            case = f"p={cell['p']:g}" if "p" in cell else f"s={cell['s']}"
            name = f"table, n={own.n} d={own.most_load} {case}"
            found.append(Candidate(name, table.matrix(cell)))
        return [each for each in found if self._is_allowed(each)]

    def _finished(self, parts: list[Part], what: str) -> list[State | None]:
        """Bring parts to their ends, side by side; return how far each is when time is over."""
        before = self._done
        states: list[State | None] = [self._ledger.kept(part.name) for part in parts]
        try:
            while left := [i for i, own in enumerate(states) if own is None or not own["done"]]:
                self._listen()
                calls = [
                    (parts[i].function, (self.judge, *parts[i].arguments, states[i], _SLICE))
                    for i in left
                ]
                for i, state in zip(left, self._run(calls, self._listen), strict=True):
                    states[i] = state
                    self._ledger.keep(parts[i].name, state)
                    cost = Cost(*state["cost"])
                    if self._seen is None or cost.beats(self._seen[0]):
                        self._seen = cost, parts[i].name
                    self._done = before + _steps(parts, states)
                    self._tell(what)
        except _OverError:
            pass
        self._done = before + _steps(parts, states)
        return states

    def _walked(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Descend from the best structures and from random ones; return what was found."""
        walks = list(self._starts(pool))
        for rung, (most, warmth) in enumerate(_RUNGS):
            walks = sorted(walks, key=lambda walk: walk.cost)[:most]
            share = steps // len(_RUNGS) // max(1, len(walks))
            walks = [walk.towards(share, warmth) for walk in walks]
            parts = [Part(f"{rung} {w.name}", descended, (w,), w.begun) for w in walks]
            states = self._finished(parts, "exchange")
            walks = [w if own is None else w.at(own) for w, own in zip(walks, states, strict=True)]
            self._note([(w.cost, Candidate(f"exchange, {w.name}", w.matrix)) for w in walks])
        return self._judged(Candidate(f"exchange, {w.name}", w.matrix) for w in walks)

    def _starts(self, pool: list[Valued]) -> Iterator[Walk]:
        """Yield descents at structures that are known, and at random ones of every symmetry."""
        whole = [c for _, c in best(pool) if candidates.allowed(c.B, "±1")]
        for candidate in whole[:_STARTS]:
            yield self._walk(f"from {candidate.name}", 1, candidate.B.astype(np.int8))
        k, n = self.problem.partitions, self.problem.n
        for symmetry in range(1, n):
            if n % symmetry == 0 and k % symmetry == 0:
                for number in range(4 if symmetry == 1 else 2):
                    name = f"symmetry {symmetry}, start {number}"
                    base = descent.random_base(self.problem, symmetry, name)
                    yield self._walk(name, symmetry, base)

    def _walk(self, name: str, symmetry: int, base: descent.Base) -> Walk:
        cost = self.judge.quick(descent.expand(base, symmetry))
        return Walk(name, symmetry, base, base, cost)

    def _weighted(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Give weights to many structures, then more steps to the best; return what was found."""
        share = steps // (1 + len(_KEPT))
        known = dict(enumerate(c for _, c in best(pool, _STARTS)))
        found: list[Valued] = []
        for first in range(0, share // _EACH, _TOGETHER):
            numbers = range(first, min(first + _TOGETHER, share // _EACH))
            starts = [known.get(i, Candidate(f"random structure {i}", _NONE)) for i in numbers]
            names = [start.name for start in starts]
            parts = [Part(f"weights {each.name}", begun, (each.name, each.B)) for each in starts]
            new = [
                (
                    Cost(*state["cost"]),
                    Candidate(f"weights, {name}", np.array(state["best"])),
                )
                for name, state in zip(names, self._finished(parts, "weights"), strict=True)
                if state is not None
            ]
            self._note(new)
            found = best([*found, *new], _KEPT[0])
            if self._stop():
                break
        for kept in _KEPT:
            found = best(found, kept)
            parts = [
                Part(f"{kept} {c.name}", refined, (c.name, c.B, kept, share // len(found)))
                for _, c in found
            ]
            states = self._finished(parts, "weights")
            found = self._judged(
                c if state is None else Candidate(c.name, np.array(state["best"]))
                for (_, c), state in zip(found, states, strict=True)
            )
        return found

    def _note(self, found: list[Valued]) -> None:
        """Keep the best so far, and when it came."""
        for cost, candidate in found:
            if not self._is_allowed(candidate):
                continue
            if self._best is None or cost.beats(self._best[0]):
                self._best = cost, candidate
                value = finite(self.judge.value(cost))
                self._course.append((self._done, value, candidate.name))

    def _tell(self, what: str) -> None:
        if self._progress is not None:
            seen = [] if self._best is None else [(self._best[0], self._best[1].name)]
            seen += [] if self._seen is None else [self._seen]
            said = what
            if seen:
                cost, name = min(seen, key=lambda one: one[0])
                said = f"{what}: {self.judge.value(cost):.6g} by {name}"
            seconds = time.monotonic() - self._began
            self._progress(Step(self._done, max(1, self.problem.steps), said, 0, seconds))

    def _listen(self) -> None:
        """Raise what ends parts early."""
        if self._stop():
            raise _OverError

    def _stop(self) -> bool:
        """Whether time is up; raise if the search was asked to stop."""
        reason = self._interrupted()
        if reason is not None:
            kept = "the same command goes on" if self._ledger.path else "nothing is kept without -o"
            raise StoppedError(f"stopped early by {reason}: {kept}")
        seconds = self.problem.seconds
        if seconds is not None and time.monotonic() - self._began >= seconds:
            self._ended = "seconds"
        return self._ended == "seconds"


def _steps(parts: list[Part], states: list[State | None]) -> int:
    """Steps that parts have taken."""
    done = zip(parts, states, strict=True)
    return sum(state["steps"] - part.before for part, state in done if state is not None)


def descended(judge: Judge, walk: Walk, state: State | None, seconds: float) -> State:
    """Bring a descent over structures further."""
    walk = walk if state is None else walk.at(state)
    walk = descent.descend(walk, judge, seconds)
    return walk.as_data() | {"done": walk.steps >= walk.end}


def begun(judge: Judge, name: str, B: Matrix, _: State | None, __: float) -> State:
    """Give weights to a structure, or to a random one of that name."""
    if not B.size:
        B = descent.expand(descent.random_base(judge.problem, 1, name), 1)
    own = Weights(B, judge, _EACH, name)
    own.shaken()
    cost = judge.full(own.best)
    return own.state | {"cost": [cost.first, cost.second], "steps": _EACH, "done": True}


def refined(judge: Judge, name: str, B: Matrix, kept: int, steps: int, *at: Any) -> State:
    """Go on with weights, of the last that are kept on the grid; ``at``: state and seconds."""
    own = Weights(B, judge, steps, f"{kept} {name}")
    state, seconds = at
    if state is not None:
        own.state = state
    done = own.refined(kept == _KEPT[-1], seconds)
    return own.state | {"steps": own.used, "done": done}


def best(found: Iterable[Valued], most: int | None = None) -> list[Valued]:
    """Return the best, each matrix once; what differs by rounding alone stays in its order."""

    def order(one: Valued, other: Valued) -> int:
        return other[0].beats(one[0]) - one[0].beats(other[0])

    kept: dict[bytes, Valued] = {}
    for each in found:
        kept.setdefault((each[1].B + 0.0).tobytes(), each)
    return sorted(kept.values(), key=functools.cmp_to_key(order))[:most]
