"""The course of a search: candidates, descents, weights, and what is certain of the best."""

import functools
import itertools
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError, MistakesError, StoppedError
from fastgc.registry import toml
from fastgc.registry.activity import Step
from fastgc.registry.complaints import Complaint, check, lines
from fastgc.registry.given import plain
from fastgc.registry.shown import finite
from fastgc.searching import candidates, certificate, descent, table, weights
from fastgc.searching.candidates import Candidate
from fastgc.searching.descent import Walk
from fastgc.searching.exchange import Exchange
from fastgc.searching.found import Found, FoundSystem, checked
from fastgc.searching.judge import Cost, Judge
from fastgc.searching.ledger import Ledger
from fastgc.searching.problem import Problem
from fastgc.searching.problem import table as table_of_keys
from fastgc.searching.system_problem import SystemProblem
from fastgc.searching.system_problem import table as table_of_systems

Matrix = NDArray[np.float64]
Valued = tuple[Cost, Candidate]

#: Candidates that are judged in full, and structures that descents begin with.
_JUDGED, _STARTS = 16, 6
#: Of each third of the steps: how many descents go on, and how warm they are.
_RUNGS = ((24, 1.0), (6, 0.3), (2, 0.05))
#: Weights take this share of the steps; a start takes so many, and so many starts are a part.
_SHARE, _EACH, _TOGETHER = 0.7, 150, 16
#: Of starts with weights: how many go on, in two rounds.
_KEPT = (4, 2)


def search(
    source: Mapping[str, Any] | str | Path | None = None,
    *,
    out: str | Path | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
    **keys: Any,
) -> Found | FoundSystem:
    """Look for an encoding matrix that is better than every family that fastgc knows.

    Families that fit, codes of groups and uneven repetition are judged first; the best of them and
    random structures are then changed entry by entry; with ``entries = "real"`` the best get
    weights. The same seed and steps give the same matrix on any machine. With ``system``, parts of
    a system are looked for instead: needs of layers, a tree, orders or holders of chunks.

    Parameters
    ----------
    source : dict, str or Path, optional
        The table ``[search]`` or a study that holds it: ``n``, ``k``, ``d`` or ``total``, ``p`` or
        ``s``, ``goal``, ``decoder``, ``rho``, ``entries``, ``seed``, ``steps``, ``seconds``; or
        those of a system, see `fastgc.searching.system_problem.SystemProblem`.
    out : str or Path, optional
        Where the matrix goes: csv, npy, mtx or toml. A certificate (json) and a study that repeats
        the search (search.toml) are put beside it, and a checkpoint while the search lasts, from
        which the same search goes on.
    progress : callable, optional
        Called with a `Step` now and then, which names the best so far.
    interrupted : callable, optional
        Asked often; a text that it returns stops the search.
    **keys
        Keys of the table, in place of those of ``source``.

    Returns
    -------
    Found or FoundSystem
        ``matrix``, float64 array (k, n), or ``system``, a table of a study; ``value``;
        ``certificate``, plain data.

    Raises
    ------
    FastgcError
        If a key is wrong or no matrix fits.
    StoppedError
        If the search was asked to stop.

    Examples
    --------
    >>> found = search(n=6, d=2, p=0.1, steps=100)
    >>> found.certificate["by"], found.certificate["exact"], round(found.value, 9)
    ('frc n=6 d=2', '3/50', 0.06)
    >>> law = {"distribution": "exponential", "mean": 1.0, "shift": 1.0}
    >>> search(system="hierarchical", n=4, layers=2, tasks=5, latency=law, quantile=0.9).system["k"]
    [4, 1]
    """
    problem = problem_of(source, keys)
    if isinstance(problem, SystemProblem):
        if out is not None:
            checked(out, (".toml",))
        best_system = Exchange(problem, progress, interrupted).run()
        if out is not None:
            best_system.save(out)
        return best_system
    ledger = Ledger(problem, None if out is None else checked(out))
    found = Search(problem, ledger, progress, interrupted).run()
    if out is not None:
        found.save(out)
        if found.certificate["ended"] == "steps":
            ledger.remove()
    return found


def problem_of(
    source: Mapping[str, Any] | str | Path | None, keys: Mapping[str, Any]
) -> Problem | SystemProblem:
    """Return the problem that a table or a study's file and keys describe."""
    own: Any = source or {}
    if isinstance(source, str | Path):
        try:
            own = tomllib.loads(Path(source).read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise FastgcError(f"{source}: cannot be read as TOML ({problem})") from None
    if isinstance(own, Mapping) and isinstance(own.get("search"), Mapping):
        own = own["search"]
    data, complaints = plain({**own, **keys})
    member: Problem | SystemProblem | None = None
    wrong: list[Complaint] = []
    if not complaints:
        model = table_of_systems() if "system" in data else table_of_keys()
        member, wrong = check(model, data)
    if member is None:
        raise MistakesError([f"search: {line}" for line in lines(complaints + wrong)])
    return member


def keys_of(words: Sequence[str]) -> dict[str, Any]:
    """Read words ``key=value``; entries are names although they look like numbers.

    Examples
    --------
    >>> keys_of(["n=8", "entries=0/1"])
    {'n': 8, 'entries': '0/1'}
    """
    quoted = [
        f"entries={toml.written(word[8:])}" if word.startswith("entries=") else word
        for word in words
    ]
    return toml.values_of("search", quoted)


class Search:
    """A search under way."""

    def __init__(
        self,
        problem: Problem,
        ledger: Ledger,
        progress: Callable[[Step], None] | None,
        interrupted: Callable[[], str | None],
    ) -> None:
        self.problem, self.judge = problem, Judge(problem)
        self._ledger = ledger
        self._progress, self._interrupted = progress, interrupted
        self._began = time.monotonic()
        self._ended = "steps"
        self._course: list[tuple[int, float | None, str]] = []
        self._best: Valued | None = None
        self._done = 0

    def run(self) -> Found:
        """Search, and return what was found with its certificate."""
        families = self._judged(candidates.families(self.problem), self.judge.certain)
        pool = [each for each in families if self._is_allowed(each[1])]
        others = itertools.chain(self._known(), candidates.others(self.problem))
        more = self._judged(c for _, c in best(self._while_time(others), _JUDGED))
        pool += more
        known = {each[1].B.tobytes() for each in families}
        families += [v for v in more if v[1].is_family and v[1].B.tobytes() not in known]
        steps = self.problem.steps
        weighed = int(steps * _SHARE) if self.problem.entries == "real" else 0
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

    def _unit(self, name: str, make: Callable[[], tuple[int, Any]]) -> Any:
        """Return what a part makes, after so many steps: plain data, kept where it is finished."""
        found = self._ledger.kept(name)
        if found is None:
            found = list(make())
            if not self._stop():
                self._ledger.keep(name, found)
        self._done += found[0]
        return found[1]

    def _walked(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Descend from the best structures and from random ones; return what was found."""
        walks = list(self._starts(pool))
        for rung, (most, warmth) in enumerate(_RUNGS):
            walks = sorted(walks, key=lambda walk: walk.cost)[:most]
            share = steps // len(_RUNGS) // max(1, len(walks))
            walks = [self._descended(walk, share, warmth, rung) for walk in walks]
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

    def _descended(self, walk: Walk, steps: int, warmth: float, rung: int) -> Walk:
        def make() -> tuple[int, Any]:
            found = descent.descend(walk, self.judge, steps, warmth, self._stop)
            return found.steps - walk.steps, found.as_data()

        data = self._unit(f"{rung} {walk.name}", make)
        found = walk.at(data, walk.steps + steps)
        self._note([(found.cost, Candidate(f"exchange, {walk.name}", found.matrix))])
        self._tell("exchange")
        return found

    def _weighted(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Give weights to many structures, then more steps to the best; return what was found."""
        share = steps // (1 + len(_KEPT))
        known = [c for _, c in best(pool, _STARTS)]
        found: list[Valued] = []
        for first in range(0, share // _EACH, _TOGETHER):
            numbers = range(first, min(first + _TOGETHER, share // _EACH))
            begun = self._unit(f"weights {numbers}", functools.partial(self._begun, known, numbers))
            found = best([*found, *self._of_rows(begun)], _KEPT[0])
        for kept in _KEPT:
            found = best(found, kept)
            found = [self._refined(each, share // len(found), kept) for each in found]
        return found

    def _begun(self, known: list[Candidate], numbers: range) -> tuple[int, Any]:
        """Descend from known structures and then from random ones; return the best."""
        found: list[Valued] = []
        for number in numbers:
            start = Candidate(f"random structure {number}", np.zeros(0))
            if number < len(known):
                start = known[number]
            B = start.B if start.B.size else self._random(start.name)
            own = weights.Weights(B, self.judge, _EACH, start.name, self._stop)
            own.shaken()
            found.append((own.cost, Candidate(f"weights, {start.name}", own.best)))
        rows = [[c.name, c.B.tolist()] for _, c in best(found, _KEPT[0])]
        return _EACH * len(numbers), rows

    def _random(self, name: str) -> Matrix:
        return descent.expand(descent.random_base(self.problem, 1, name), 1)

    def _refined(self, valued: Valued, steps: int, kept: int) -> Valued:
        """Go on with the weights of a matrix, at last on the grid."""
        name = valued[1].name

        def make() -> tuple[int, Any]:
            own = weights.Weights(valued[1].B, self.judge, steps, f"{kept} {name}", self._stop)
            own.hop()
            if kept == _KEPT[-1]:
                own.on_grid()
            return own.used, [[name, own.best.tolist()]]

        return self._of_rows(self._unit(f"{kept} {name}", make))[0]

    def _of_rows(self, rows: list[Any]) -> list[Valued]:
        """Judge matrices that a part has made."""
        found = [Candidate(name, np.array(B)) for name, B in rows]
        return self._judged(found)

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
            said = what
            if self._best is not None:
                value = self.judge.value(self._best[0])
                said = f"{what}: {value:.6g} by {self._best[1].name}"
            seconds = time.monotonic() - self._began
            self._progress(Step(self._done, max(1, self.problem.steps), said, 0, seconds))

    def _stop(self) -> bool:
        """Whether time is up; raise if the search was asked to stop."""
        reason = self._interrupted()
        if reason is not None:
            self._ledger.save()
            kept = "the same command goes on" if self._ledger.path else "nothing is kept without -o"
            raise StoppedError(f"stopped early by {reason}: {kept}")
        seconds = self.problem.seconds
        if seconds is not None and time.monotonic() - self._began >= seconds:
            self._ended = "seconds"
        return self._ended == "seconds"


def best(found: Iterable[Valued], most: int | None = None) -> list[Valued]:
    """Return the best, each matrix once; what differs by rounding alone stays in its order."""

    def order(one: Valued, other: Valued) -> int:
        return other[0].beats(one[0]) - one[0].beats(other[0])

    kept: dict[bytes, Valued] = {}
    for each in found:
        kept.setdefault((each[1].B + 0.0).tobytes(), each)
    return sorted(kept.values(), key=functools.cmp_to_key(order))[:most]
