"""The course of a search: candidates, descents, weights, and what is certain of the best."""

import itertools
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.inspection import values_of
from fastgc.errors import FastgcError, MistakesError, StoppedError
from fastgc.registry import toml
from fastgc.registry.activity import Step
from fastgc.registry.complaints import check, lines
from fastgc.registry.given import plain
from fastgc.searching import candidates, certificate, descent, table, weights
from fastgc.searching.candidates import Candidate
from fastgc.searching.descent import Walk
from fastgc.searching.found import Found, checked
from fastgc.searching.judge import Cost, Judge
from fastgc.searching.ledger import Ledger
from fastgc.searching.problem import Problem

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
) -> Found:
    """Look for an encoding matrix that is better than every family that fastgc knows.

    Families that fit, codes of groups and uneven repetition are judged first; the best of them and
    random structures are then changed entry by entry; with ``entries = "real"`` the best get
    weights. The same seed and steps give the same matrix on any machine.

    Parameters
    ----------
    source : dict, str or Path, optional
        The table ``[search]`` or a study that holds it: ``n``, ``k``, ``d`` or ``total``, ``p`` or
        ``s``, ``goal``, ``decoder``, ``rho``, ``entries``, ``seed``, ``steps``, ``seconds``.
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
    Found
        ``matrix``, float64 array (k, n); ``value``; ``certificate``, plain data.

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
    """
    problem = problem_of(source, keys)
    ledger = Ledger(problem, None if out is None else checked(out))
    found = Search(problem, ledger, progress, interrupted).run()
    if out is not None:
        found.save(out)
        if found.certificate["ended"] == "steps":
            ledger.remove()
    return found


def problem_of(source: Mapping[str, Any] | str | Path | None, keys: Mapping[str, Any]) -> Problem:
    """Return the problem that a table or a study's file and keys describe."""
    table: Any = source or {}
    if isinstance(source, str | Path):
        try:
            table = tomllib.loads(Path(source).read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise FastgcError(f"{source}: cannot be read as TOML ({problem})") from None
    if isinstance(table, Mapping) and isinstance(table.get("search"), Mapping):
        table = table["search"]
    data, complaints = plain({**table, **keys})
    member, wrong = (None, []) if complaints else check(Problem, data)
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
    return values_of("search", quoted)


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
        self._course: list[tuple[int, float, str]] = []
        self._best: Valued | None = None
        self._done = 0

    def run(self) -> Found:
        """Search, and return what was found with its certificate."""
        families = [(self.judge.full(c.B), c) for c in self._each(self._families())]
        allowed = [(cost, c) for cost, c in families if self._is_allowed(c)]
        self._note(allowed)
        others = itertools.chain(self._kept(), candidates.others(self.problem))
        quick = [(self.judge.quick(c.B), c) for c in self._each(others)]
        judged = [(self.judge.full(c.B), c) for _, c in _best(quick, _JUDGED)]
        self._note(judged)
        pool = _best([*allowed, *judged], len(allowed) + len(judged))
        steps = self.problem.steps
        if self.problem.entries == "real":
            weighed = int(steps * _SHARE)
            pool += self._walked(pool, steps - weighed)
            pool += self._weighted(pool, weighed)
        else:
            pool += self._walked(pool, steps)
        if not pool:
            raise FastgcError("search: no matrix with these entries and loads was found")
        best = _best(pool, len(pool))
        made = certificate.certify(self.judge, best, families)
        made |= {"steps": self._done, "ended": self._ended}
        made["course"] = [list(each) for each in self._course]
        return Found(self.problem, best[0][1].B, made)

    def _families(self) -> list[Candidate]:
        return candidates.families(self.problem)

    def _kept(self) -> list[Candidate]:
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

    def _is_allowed(self, candidate: Candidate) -> bool:
        return candidates.allowed(candidate.B, self.problem.entries)

    def _each(self, found: Any) -> Iterator[Candidate]:
        """Yield candidates while there is time."""
        for candidate in found:
            if self._stop():
                return
            self._tell("candidates")
            yield candidate

    def _walked(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Descend from the best structures and from random ones; return what was found."""
        walks = list(self._starts(pool))
        for rung, (most, warmth) in enumerate(_RUNGS):
            walks = sorted(walks, key=lambda walk: walk.cost)[:most]
            share = steps // len(_RUNGS) // max(1, len(walks))
            walks = [self._descended(walk, share, warmth, f"{rung} {walk.name}") for walk in walks]
        found = [
            (self.judge.full(w.matrix), Candidate(f"exchange, {w.name}", w.matrix)) for w in walks
        ]
        self._note(found)
        return found

    def _starts(self, pool: list[Valued]) -> Iterator[Walk]:
        """Yield descents at structures that are known, and at random ones of every symmetry."""
        problem = self.problem
        whole = [c for _, c in _best(pool, len(pool)) if candidates.allowed(c.B, "±1")]
        for candidate in whole[:_STARTS]:
            base = descent.folded(candidate.B, 1)
            if base is not None:
                yield self._walk(f"from {candidate.name}", 1, base)
        k, n = problem.partitions, problem.n
        for symmetry in range(1, n):
            if n % symmetry == 0 and k % symmetry == 0:
                for number in range(4 if symmetry == 1 else 2):
                    name = f"symmetry {symmetry}, start {number}"
                    yield self._walk(name, symmetry, descent.random_base(problem, symmetry, name))

    def _walk(self, name: str, symmetry: int, base: descent.Base) -> Walk:
        cost = self.judge.quick(descent.expand(base, symmetry))
        return Walk(name, symmetry, base, base, cost)

    def _descended(self, walk: Walk, steps: int, warmth: float, unit: str) -> Walk:
        kept = self._ledger.kept(unit)
        if kept is not None:
            self._done += steps
            return walk.at(kept, walk.steps + steps)
        if self._stop() or steps == 0:
            return walk
        found = descent.descend(walk, self.judge, steps, warmth, self._stop)
        if found.steps - walk.steps == steps:
            self._ledger.keep(unit, found.as_data())
        self._done += found.steps - walk.steps
        self._note([(found.cost, Candidate(f"exchange, {walk.name}", found.matrix))])
        self._tell("exchange")
        return found

    def _weighted(self, pool: list[Valued], steps: int) -> list[Valued]:
        """Give weights to many structures, then more steps to the best; return what was found."""
        share = steps // 3
        found: list[Valued] = []
        known = [c for _, c in _best(pool, _STARTS)]
        for first in range(0, share // _EACH, _TOGETHER):
            last = min(first + _TOGETHER, share // _EACH)
            found = _best([*found, *self._started(known, range(first, last))], _KEPT[0])
        for kept in _KEPT:
            found = _best(found, kept)
            each = share // max(1, len(found))
            found = [self._refined(valued, each, kept) for valued in found]
        return found

    def _started(self, known: list[Candidate], numbers: range) -> list[Valued]:
        """Descend from known structures and then from random ones; return the best."""
        unit = f"weights of starts {numbers}"
        kept = self._ledger.kept(unit)
        found: list[Valued] = []
        for name, rows in kept or ():
            B = np.array(rows)
            found.append((self.judge.quick(B), Candidate(name, B)))
        for number in () if kept is not None else numbers:
            if self._stop():
                break
            name = f"random structure {number}"
            is_known = number < len(known)
            base = descent.random_base(self.problem, 1, name)
            B = known[number].B if is_known else descent.expand(base, 1)
            own = weights.Weights(B, self.judge, _EACH, name, self._stop)
            own.shaken()
            name = f"weights, {known[number].name if is_known else name}"
            found.append((own.cost, Candidate(name, own.best)))
        found = _best(found, _KEPT[0])
        if kept is None and not self._stop():
            self._ledger.keep(unit, [(c.name, c.B.tolist()) for _, c in found])
        self._done += _EACH * len(numbers)
        self._note([(self.judge.full(c.B), c) for _, c in found[:1]])
        self._tell("weights")
        return found

    def _refined(self, valued: Valued, steps: int, kept: int) -> Valued:
        """Go on with the weights of a matrix, at last on the grid."""
        candidate = valued[1]
        unit = f"{kept} {candidate.name}"
        known = self._ledger.kept(unit)
        B = candidate.B
        if known is not None:
            B = np.array(known)
        elif not self._stop():
            own = weights.Weights(B, self.judge, steps, unit, self._stop)
            own.hop()
            if kept == _KEPT[-1]:
                own.on_grid()
            B = own.best
            if not self._stop():
                self._ledger.keep(unit, B.tolist())
        self._done += steps
        found = self.judge.full(B), Candidate(candidate.name, B)
        self._note([found])
        self._tell("weights")
        return found

    def _note(self, found: list[Valued]) -> None:
        """Keep the best so far, and when it came."""
        for cost, candidate in found:
            if self._best is None or cost.beats(self._best[0]):
                self._best = cost, candidate
                self._course.append((self._done, self.judge.value(cost), candidate.name))

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


def _best(found: list[Valued], most: int) -> list[Valued]:
    """Return the best, each matrix once; of equals the first."""
    kept: list[Valued] = []
    seen: set[bytes] = set()
    for each in sorted(found, key=lambda one: one[0]):
        content = (each[1].B + 0.0).tobytes()
        if content not in seen:
            seen.add(content)
            kept.append(each)
    place = {id(each): i for i, each in enumerate(found)}
    # what differs by rounding alone stays in its order
    for i in range(1, len(kept)):
        j = i
        while (
            j
            and not kept[j - 1][0].beats(kept[j][0])
            and place[id(kept[j])] < place[id(kept[j - 1])]
        ):
            kept[j - 1], kept[j] = kept[j], kept[j - 1]
            j -= 1
    return kept[:most]
