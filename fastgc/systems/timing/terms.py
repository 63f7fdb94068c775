"""When a system is done, as one term: the k-th smallest of other terms, stretched and moved.

    at_least(2, *answers(3))                                     any two of three answers
    at_least(2, at_least(1, *answers(2)), at_least(1, *answers(2, first=2)))     two groups of two
    at_least(3, *answers(3)).after(delay=0.1)                    all, and a tenth of a second

In a study a term is a text: ``2 of (w0, w1, w2)``.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fastgc.errors import FastgcError, public
from fastgc.registry.cached import cached_property


@dataclass(frozen=True, repr=False)
class Term:
    """``stretch`` · x + ``delay``, where x is the ``k``-th smallest of the terms ``of``.

    Without terms, x is the moment at which ``worker`` has done its tasks up to ``place``, counted
    from 0; or 0 where there is no worker: a constant. Made by `answers`, `at_least` and `constant`.

    >>> print(at_least(2, *answers(2), constant(5.0)))
    2 of (w0, w1, 5)
    """

    k: int = 1
    of: tuple["Term", ...] = ()
    worker: int | None = None
    place: int = 0
    stretch: float = 1.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        if self.of and not 1 <= self.k <= len(self.of):
            raise FastgcError(
                f"{self.k} of {len(self.of)}: a term waits for 1 or more of its inputs, and for no "
                "more than there are"
            )
        if min(self.worker or 0, self.place) < 0:
            raise FastgcError("workers and tasks are counted from 0")
        if not 0 < self.stretch < math.inf:
            raise FastgcError(f"stretch: must be a number above 0 (got {self.stretch!r})")
        if not 0 <= self.delay < math.inf:
            raise FastgcError(f"delay: must be a number of seconds ≥ 0 (got {self.delay!r})")

    def after(self, delay: float = 0.0, stretch: float = 1.0) -> "Term":
        """Return the term ``stretch`` times as late, and ``delay`` seconds after that."""
        return Term(1, (self,), stretch=stretch, delay=delay)

    def __repr__(self) -> str:
        if len(self.of) == 1:
            bare = str(self.of[0])
            bare = bare if re.fullmatch(r"w\d+(\[\d+\])?|\d+ of \(.*\)", bare) else f"({bare})"
        elif self.of:
            bare = f"{self.k} of ({', '.join(map(str, self.of))})"
        elif self.worker is None:
            return f"{self.delay:.17g}"
        else:
            bare = f"w{self.worker}" + (f"[{self.place}]" if self.place else "")
        if self.stretch != 1:
            bare = f"{self.stretch:.17g} * " + (f"({bare})" if " " in bare else bare)
        return bare + (f" + {self.delay:.17g}" if self.delay else "")

    @property
    def is_constant(self) -> bool:
        """Whether it is a moment that comes in any case."""
        return not self.of and self.worker is None

    @cached_property
    def inner(self) -> tuple["Term", ...]:
        """All distinct terms below this one and itself, inputs before those that need them."""
        found: dict[Term, None] = {}

        def visit(term: Term) -> None:
            if term not in found:
                for each in term.of:
                    visit(each)
                found[term] = None

        visit(self)
        return tuple(found)

    @cached_property
    def leaves(self) -> tuple["Term", ...]:
        """The answers that are waited for, each once, in the order of workers and their tasks."""
        found = [term for term in self.inner if term.worker is not None]
        return tuple(sorted(found, key=lambda leaf: (leaf.worker, leaf.place, leaf.stretch)))

    @property
    def workers(self) -> int:
        """Workers 0, 1, … up to the last that is named."""
        return 1 + max((leaf.worker or 0 for leaf in self.leaves), default=-1)

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return 1 + max((leaf.place for leaf in self.leaves), default=0)

    @property
    def leaves_out(self) -> bool:
        """Whether the term can be reached before all of its answers have come."""
        return any(term.k < len(term.of) for term in self.inner)

    @cached_property
    def repeats(self) -> bool:
        """Whether a worker, or a part of the term, is waited for at several places."""
        below = [each for term in self.inner for each in term.of if each.leaves]
        workers = [leaf.worker for leaf in self.leaves]
        return len(set(below)) < len(below) or len(set(workers)) < len(workers)


def moved(term: Term, stretch: float = 1.0, delay: float = 0.0) -> Term:
    """Return the same moment, later, its answers and constants alone stretched and moved."""
    stretch, delay = stretch * term.stretch, stretch * term.delay + delay
    if not term.of:
        return replace(term, stretch=1.0 if term.worker is None else stretch, delay=delay)
    below = tuple(moved(each, stretch, delay) for each in term.of)
    return below[0] if len(below) == 1 else Term(term.k, below)


@public
def answers(
    n: int,
    first: int = 0,
    place: int = 0,
    stretch: float = 1.0,
    delays: Sequence[float] | None = None,
) -> tuple[Term, ...]:
    """Return the answers of n workers, from worker ``first`` on.

    * ``n`` (int): Workers.
    * ``first`` (int): The first of them, counted from 0.
    * ``place`` (int): The task, counted from 0, with which each answers, where a worker does
      several in a round.
    * ``stretch`` (float): How many of its times a worker needs for it.
    * ``delays`` (sequence of float (n,), optional): Seconds after which each worker begins.

    Returns
    -------
    tuple of Term (n,)
        The moments at which the answers are there.

    Raises
    ------
    FastgcError
        If there are not n delays, or a number is out of its range.

    Examples
    --------
    >>> print(*answers(2, first=4, stretch=2.0))
    2 * w4 2 * w5
    """
    late = [0.0] * n if delays is None else list(delays)
    if len(late) != n:
        raise FastgcError(f"delays: must be one for each of {n} workers (got {len(late)})")
    return tuple(
        Term(worker=first + j, place=place, stretch=stretch, delay=late[j]) for j in range(n)
    )


@public
def at_least(k: int, *of: Term) -> Term:
    """Return when k of these are reached.

    * ``k`` (int): How many, at least 1.
    * ``of`` (any number of Term): Answers, constants, or such terms.

    Returns
    -------
    Term
        The k-th smallest of their moments.

    Raises
    ------
    FastgcError
        If there are fewer than k, or none.

    Examples
    --------
    >>> print(at_least(1, *answers(2)))
    1 of (w0, w1)
    """
    if not of:
        raise FastgcError("a term waits for at least one answer or constant")
    return Term(k, of)


@public
def constant(seconds: float) -> Term:
    """Return a moment that comes in any case: a deadline is one that stands beside answers.

    * ``seconds`` (float): When it comes, at least 0.

    Returns
    -------
    Term
        The moment.

    Raises
    ------
    FastgcError
        If it is no number of seconds.

    Examples
    --------
    >>> print(at_least(1, at_least(2, *answers(2)), constant(3.5)))
    1 of (2 of (w0, w1), 3.5)
    """
    return Term(delay=seconds)


_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = rf"w\d+\s*\.\.\s*w\d+|w\d+(?:\[\d+\])?|of\b|{_NUMBER}|[(),*+]"

#: Brackets within brackets, at most.
_DEEPEST = 50


def parse(text: str) -> Term:
    """Return the term that a text says.

    ``2 of (w0, w1, w2)``: two of three workers; ``w0 .. w5``: six answers one after the other;
    ``w0[1]``: what worker 0 does second; ``2 * w0 + 1.5``: after twice its time and 1.5 seconds;
    a number alone: a constant.
    """
    reader = _TermReader(text)
    [term, *more] = reader.terms()
    if more or reader.at < len(reader.text):
        raise reader.problem("one term")
    return term


class _TermReader:
    """Reads a text from left to right, up to ``at``."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text.rstrip(), 0
        self._take(rf"(?:{_TOKEN}|\s)*")
        if self.at < len(self.text):
            rest = self.text[self.at :]
            raise FastgcError(f"must be answers, numbers and k of (…) (got {rest!r:.40})")
        self.at = 0

    def terms(self, deep: int = 0) -> list[Term]:
        """Return [number *] one [+ number], where a range and brackets are several terms."""
        if deep > _DEEPEST:
            raise FastgcError(f"brackets must not stand more than {_DEEPEST} deep")
        factor = self._take(rf"({_NUMBER})\s*\*")
        found = self._one(deep)
        stretch = float(factor[1]) if factor else 1.0
        delay = self._number() if self._take(r"\+") else 0.0
        if (stretch, delay) == (1.0, 0.0):
            return found
        return [
            replace(each, stretch=stretch, delay=delay)
            if each == Term(worker=each.worker, place=each.place) and each.worker is not None
            else each.after(delay=delay, stretch=stretch)
            for each in found
        ]

    def _one(self, deep: int) -> list[Term]:
        if several := self._take(r"w(\d+)\s*\.\.\s*w(\d+)"):
            low, high = int(several[1]), int(several[2])
            if high < low:
                raise self.problem("workers in rising order")
            return list(answers(high - low + 1, first=low))
        if answer := self._take(r"w(\d+)(?:\[(\d+)\])?"):
            return [Term(worker=int(answer[1]), place=int(answer[2] or 0))]
        many = self._take(rf"({_NUMBER})\s*of\b")
        if many and not many[1].isdigit():
            raise FastgcError(f"{many[1]} of …: must be a whole number")
        if not self._take(r"\("):
            if many:
                raise self.problem('"("')
            return [constant(self._number())]
        found = self.terms(deep + 1)
        while self._take(","):
            found += self.terms(deep + 1)
        if not self._take(r"\)"):
            raise self.problem('")"')
        return [at_least(int(many[1]), *found)] if many else found

    def _number(self) -> float:
        if (found := self._take(f"({_NUMBER})")) is None:
            raise self.problem("a number")
        return float(found[1])

    def _take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(rf"\s*{pattern}").match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def problem(self, wanted: str) -> FastgcError:
        """Return what is to be said where something else is wanted."""
        ends = self.text[: self.at], self.text[self.at :]
        said, rest = (" ".join(re.findall(_TOKEN, part)) for part in ends)
        return FastgcError(f"expected {wanted} after {said!r} (got {rest or 'the end'!r:.40})")
