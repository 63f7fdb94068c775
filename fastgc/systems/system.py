"""What all systems share: how many workers, how loaded, and when they are done."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import pydantic

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.law import NotNegative, Positive
from fastgc.latency.time import Time
from fastgc.registry import Member, plugins, register
from fastgc.registry.makers import maker
from fastgc.systems.timing.gates import Composed
from fastgc.systems.timing.group_structures import Replicated
from fastgc.systems.timing.stars import Capped, Flat, Patient
from fastgc.systems.timing.terms import Term, answers, at_least, parse
from fastgc.systems.timing.timed_structure import Structure

#: The times of the 64 trials that a block never falls below take 51 MB for so many workers.
LARGEST = 100_000

#: Workers of systems whose time is an order statistic, for which not every time is drawn.
MOST = 1_000_000

#: Layered tasks: n · layers.
MOST_TASKS = 1_000_000


def require_either(
    system: pydantic.BaseModel, one: str, others: tuple[str, ...], said: str
) -> None:
    """Raise a ValueError unless either key ``one`` is given, or all of the ``others`` are."""
    there = [key for key in others if getattr(system, key) is not None]
    missing = [key for key in others if key not in there]
    if getattr(system, one) is not None:
        got = f"{one} and {there[0]}" if there else ""
    else:
        got = " without ".join(map(" and ".join, (there, missing))) if there else "none of them"
        got = got if missing else ""
    if got:
        raise ValueError(f"give either {said} (got {got})")


Workers = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
Count = Annotated[int, pydantic.Field(ge=0, le=LARGEST)]
Many = Annotated[int, pydantic.Field(ge=1, le=MOST)]
ManyOrNone = Annotated[int, pydantic.Field(ge=0, le=MOST)]


Part = TypeVar("Part", Flat, Replicated)
Gradient = Literal["exact", "fresh", "lost", "stale"]
#: In the order in which systems are ranked.
GRADIENTS: tuple[Gradient, ...] = ("exact", "fresh", "lost", "stale")
#: Of systems that take the same time, `fastgc.design` names the first; those of users come last.
FAMILIES = (
    *("uncoded", "ignore-stragglers", "gradient-code", "replication", "k-of-n"),
    *("ring-all-reduce", "coded-reduce", "leave-out", "balanced", "hierarchical", "spare"),
    *("bounded-wait", "clones", "local-sgd", "drop-late", "partial", "block", "batches"),
)


def _is(fits: Callable[[Any], bool], wanted: str) -> plugins.Check:
    """Return a check of what a method of a user's own returned: None where it fits."""
    return lambda system, found, *given: None if fits(found) else wanted


def _are_candidates(found: Any) -> bool:
    return isinstance(found, list | tuple) and all(
        isinstance(each, Candidates)
        and each.systems
        and all(isinstance(system, System) for system in each.systems)
        for each in found
    )


@dataclass(frozen=True)
class Cluster:
    """The workers that a system is wanted for, and what a study says of them.

    * ``workers``: number of workers.
    * ``stragglers``: workers that need not be waited for; None where the study does not say.
    * ``layers``, ``tasks``: how work is cut into layers of tasks.
    * ``deadline``: seconds after which a master stops waiting, or starts copies.
    * ``chunks``: chunks that a worker may hold, at most, and send one by one.
    * ``coordinates``: coordinates of a gradient that can be coded in blocks.
    * ``basis``: rows of a recording before each round that say how fast workers are.

    >>> from fastgc.systems import CodedReduce
    >>> found = CodedReduce.candidates(Cluster(workers=6))
    >>> [(system.n, system.layers, system.s) for each in found for system in each.systems]
    [(2, 2, 0), (2, 2, 1)]
    """

    workers: int
    stragglers: int | None = None
    layers: int | None = None
    tasks: int | None = None
    deadline: float | None = None
    basis: int = 10
    chunks: int | None = None
    coordinates: int | None = None


def composed(n: int, term: Term) -> "Capped | Composed | Flat | Replicated":
    """Return the structure of a term: a plain one where the term has its shape."""
    if (term.stretch, term.delay) != (1.0, 0.0):
        return Composed(n, term)
    if term.of == answers(n):
        return Flat(n, term.k)
    if term.k == 1 and len(term.of) == 2 and term.of[1].is_constant:
        part = composed(n, term.of[0])
        return Capped(part, term.of[1].delay) if isinstance(part, Flat) else Composed(n, term)
    size = len(term.of[0].of) if term.of else 0
    if size > 1 and n % size == 0:
        groups = (at_least(1, *answers(size, first=first)) for first in range(0, n, size))
        if term.of == tuple(groups):
            return Replicated(n, size, term.k)
    return Composed(n, term)


class System(Member):
    """Base of every system of workers: what completion means, and what it costs each worker.

    * ``load`` (float, optional): Share of the work that each worker is given, more than 0, in place
      of the system's own.
    * ``DESIGN_KEYS``: keys of a study's table ``design`` that `candidates` needs: stragglers,
      layers, tasks.
    * ``LINEAR``: whether it codes linear computations alone, like products with a matrix, no other
      gradients.
    * ``GRADIENT``: what the master has when it is done: the ``"exact"`` gradient of data that is
      dealt out; of ``"fresh"`` mini-batches, as many as wanted, of those that answered first; one
      of which a share is ``"lost"``; or a ``"stale"`` one, of parameters that workers moved on
      their own.
    * ``LOOKS_BACK``: whether rounds before say what workers do, so that a recording is replayed.

    >>> from typing import Literal
    >>> from fastgc.systems import answers, at_least, complete
    >>> class Half(System):
    ...     family: Literal["half"] = "half"
    ...     n: int
    ...     def default_share(self):
    ...         return 2 / self.n
    ...     def term(self):
    ...         return at_least(self.n // 2, *answers(self.n))
    >>> complete(Half(n=4), [3.0, 1.0, 4.0, 2.0]).time
    2.0
    """

    GROUP: ClassVar[str | None] = "system"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "workers": _is(
            lambda n: isinstance(n, int) and n >= 1, "the number of workers, an int ≥ 1"
        ),
        "structure": _is(lambda found: isinstance(found, Structure), "a fastgc.systems.Structure"),
        "term": _is(
            lambda found: isinstance(found, Term), "a term of fastgc.systems.answers and at_least"
        ),
        "default_share": _is(
            lambda share: isinstance(share, int | float) and share > 0, "a number above 0"
        ),
        "candidates": _is(
            _are_candidates, "a list of fastgc.systems.Candidates, each with at least one system"
        ),
    }
    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ()
    LINEAR: ClassVar[bool] = False
    LOOKS_BACK: ClassVar[bool] = False
    GRADIENT: ClassVar[Gradient] = "exact"

    load: Positive | None = None

    @classmethod
    def missing(cls) -> list[str]:
        """Return what the class must have and has not; structure does in place of term."""
        ways = ("structure", "term")
        found = [name for name in ways if not callable(getattr(cls, name))]
        if not any(plugins.overrides(cls, System, name) for name in ways):
            found.append("term")
        if not plugins.overrides(cls, System, "term"):
            own = ("workers", "default_share")
            found += [name for name in own if not plugins.overrides(cls, System, name)]
        return sorted(super().missing() + found)

    def workers(self) -> int:
        """Return the number of workers, by default of those that the term names."""
        return self.term().workers

    def term(self) -> Term:
        """Return when the system is done, as a term of its workers' answers.

        >>> from typing import Literal
        >>> from fastgc.systems import answers, at_least
        >>> class Pairs(System):
        ...     family: Literal["pairs"] = "pairs"
        ...     n: int
        ...     def term(self):
        ...         pairs = (at_least(1, *answers(2, first=g)) for g in range(0, self.n, 2))
        ...         return at_least(self.n // 4, *pairs)
        >>> print(Pairs(n=8).term())
        2 of (1 of (w0, w1), 1 of (w2, w3), 1 of (w4, w5), 1 of (w6, w7))
        """
        raise FastgcError(f"{plugins.path(type(self))}: needs a method term, or structure")

    def structure(self) -> Structure:
        """Return whose answers are waited for; by default what ``term`` says."""
        return composed(self.workers(), self.term())

    def default_share(self) -> float:
        """Return the share of the work that one time of the latency law stands for."""
        return 1 / self.workers()

    @classmethod
    def candidates(cls, cluster: Cluster) -> "Sequence[Candidates]":
        """Return the systems of the family that fit a cluster, for `fastgc.design` to choose from.

        By default the one with so many workers, of a family that is a term and must be given no
        other key than ``n``. Whatever of ``DESIGN_KEYS`` is named is not None in ``cluster``.
        Raises FastgcError if none fits, with the reason.
        """
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
        if not plugins.overrides(cls, System, "term") or not needed <= {"n"}:
            return ()
        try:
            system = cls.model_validate({"n": cluster.workers} if needed else {})
        except pydantic.ValidationError:
            return ()
        return [Candidates((system,))] if system.workers() == cluster.workers else ()

    @classmethod
    def offered(cls, keys: Iterable[Mapping[str, Any]]) -> "list[Candidates]":
        """Return the systems of these keys as candidates; none without any."""
        systems = tuple(cls.model_validate(each) for each in keys)
        return [Candidates(systems)] if systems else []

    def share(self) -> float:
        """Return that share, or the one given as ``load``: a time is that of ℓ = share · work."""
        return self.default_share() if self.load is None else self.load

    def shares(self, means: Values) -> Values | None:
        """Return the share of the work that each worker is given, (…, n), where workers are unlike.

        ``means`` (…, n) are mean times of the workers before a round, all with the same share.
        None, the default, where every worker has `share` of it.
        """
        return None

    def rows_before(self) -> int:
        """Return how many rows of a recording say how work is shared out; 0 if it is not so."""
        return 0

    def idle(self) -> int:
        """Return how many workers are left out of every round, and have no work."""
        return 0

    def message(self) -> float:
        """Return how long an answer is, in gradients; it takes a port so many times ``receive``."""
        return 1.0

    def burden(self) -> float:
        """Return the largest share of the work that a worker is given: the measure ``load``."""
        return self.share()

    def facts(self) -> dict[str, Any]:
        """Return what can be said of the system before any time is known, by name."""
        return {
            "workers": self.workers(),
            "load": self.burden(),
            "message": self.message(),
            "gradient": self.GRADIENT,
        }

    def settling_rule(self) -> str | None:
        """Return the name of the rule that `for_time` applies; None where there is none."""
        return None

    def for_time(self, time: Time | None) -> Self:
        """Return the system with whatever depends on the law of one time settled.

        ``time`` is the law that all workers have, None where they differ.
        """
        return self


@dataclass(frozen=True)
class Candidates:
    """Systems of a family that differ in one parameter, in its order.

    * ``systems``: one or more; their times rise and fall smoothly enough with the parameter that of
      very many not all are looked at.
    * ``group``: of the candidates of one group the best system is listed.

    >>> from fastgc.systems import k_of_n
    >>> len(Candidates(tuple(k_of_n(n=4, k=k) for k in (1, 2, 3, 4))).systems)
    4
    """

    systems: tuple[System, ...]
    group: str = ""


class SizedSystem(System):
    """Base of the systems whose parameter ``n`` is the number of workers.

    * ``n`` (int): Workers, 1 ≤ n ≤ 100 000.
    """

    n: Workers

    def workers(self) -> int:
        return self.n

    def default_share(self) -> float:
        return 1 / self.n


class PatientSystem(SizedSystem):
    """Base of the systems whose master can wait on after the fastest worker.

    * ``patience`` (float, optional): μ ≥ 0: the master waits for (1 + μ) times as long as the
      fastest worker took, or until all have answered, and only then decodes, or waits on until it
      can. It is done as soon as it can decode if this is left out.
    """

    patience: NotNegative | None = None

    def waiting(self, part: Part) -> Part | Patient:
        """Return a structure with the master's patience."""
        return Patient(part, self.patience) if self.patience else part


def _readable(text: str) -> str:
    try:
        workers = parse(text).workers
    except FastgcError as problem:
        raise ValueError(problem.sentence) from None
    if not 1 <= workers <= LARGEST:
        raise ValueError(f"must name 1 to {LARGEST} workers, from w0 on (got {workers})")
    return text


@register("system")
class TermSystem(System):
    """A system that is done when a term of its workers' answers says.

    * ``term`` (str): ``2 of (w0, w1, w2)`` is done with any two of three workers' answers, and what
      is in brackets may be such a term, too. ``w0 .. w5`` names six workers, ``w0[1]`` what worker
      0 does second, ``2 * w0 + 1.5`` is there after twice worker 0's time and 1.5 seconds; a number
      alone is a moment that comes in any case: ``1 of (4 of (w0 .. w4), 2.5)`` has a deadline.
    * ``load`` (float, optional): The share of the work that a worker's time stands for; an n-th.

    Workers are w0, w1, … up to the last that is named; those between that are not named stay idle.

    >>> term("2 of (1 of (w0, w1), 1 of (w2, w3), w4)").workers()
    5
    """

    family: Literal["term"] = "term"
    text: Annotated[str, pydantic.AfterValidator(_readable)] = pydantic.Field(alias="term")

    def term(self) -> Term:
        return parse(self.text)


term = maker(TermSystem)
