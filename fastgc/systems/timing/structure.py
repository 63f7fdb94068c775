"""Structures of systems: whose answers the master, or each parent, waits for."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.terms import Term, answers, at_least


class _OfWorkers:
    n: int

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self.n


@dataclass(frozen=True)
class Flat(_OfWorkers):
    """Done when the master has received ``need`` answers of n workers.

    >>> from fastgc.systems import k_of_n
    >>> k_of_n(n=4, k=3).structure()
    Flat(n=4, need=3)
    """

    n: int
    need: int


@dataclass(frozen=True)
class Replicated(_OfWorkers):
    """Done when the master has received an answer of ``need`` of the groups of ``size`` workers.

    Worker j is in group j // size; further answers of a group are received too.

    >>> from fastgc.systems import replication
    >>> replication(n=6, d=2).structure()
    Replicated(n=6, size=2, need=3)
    """

    n: int
    size: int
    need: int


@dataclass(frozen=True)
class Ring(_OfWorkers):
    """Done when all n workers are ready and 2 (n − 1) messages of an n-th each went round.

    >>> from fastgc.systems import ring_all_reduce
    >>> ring_all_reduce(n=4).structure()
    Ring(n=4)
    """

    n: int


@dataclass(frozen=True)
class Layers(_OfWorkers):
    """Done when ``k[j]`` workers have sent their task of layer j, for every j.

    Every worker does its tasks one after the other, one a layer. ``fresh``: each task takes a time
    of its own; otherwise a worker's tasks all take the same time.

    >>> from fastgc.systems import hierarchical
    >>> hierarchical(n=4, k=[2, 3]).structure()
    Layers(n=4, k=(2, 3), fresh=False)
    """

    n: int
    k: tuple[int, ...]
    fresh: bool = False

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return len(self.k) if self.fresh else 1


@dataclass(frozen=True)
class Blocks(Layers):
    """Layers that take unlike times: a worker with the time X has done the j-th at ``ends[j]``·X.

    * ``ends``: more than 0, and rising.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> blocks = Blocks(n=2, k=(2, 1), ends=(0.5, 2.0))
    >>> Evaluator(blocks).done(np.array([[1.0, 1.0], [3.0, 9.0]])).tolist()
    [2.0, 4.5]
    """

    ends: tuple[float, ...] = ()


@dataclass(frozen=True)
class Chunks:
    """Done when every chunk of the work has been finished by ``copies`` workers.

    Worker w does the chunks ``orders[w]`` one after the other and sends each as it is finished.

    * ``orders``: chunks, counted from 0, in the order in which each worker does them.
    * ``copies``: workers that must have finished a chunk; so many or more hold it.
    * ``fresh``: whether each chunk takes a time of its own; else all chunks of a worker take the
      same.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> chunks = Chunks(((0, 1), (1, 0)))
    >>> Evaluator(chunks).done(np.array([[1.0], [3.0]])).tolist()  # worker 0 does both by 2
    [2.0]
    """

    orders: tuple[tuple[int, ...], ...]
    copies: int = 1
    fresh: bool = False

    @property
    def workers(self) -> int:
        """Number of workers."""
        return len(self.orders)

    @property
    def d(self) -> int:
        """Chunks that a worker does."""
        return len(self.orders[0])

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return self.d if self.fresh else 1

    def after(self, place: int) -> int:
        """Return how many of its times a worker takes until the chunk at this place is there."""
        return place + 1

    @cached_property
    def holders(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Of each chunk the workers that do it, and at which place of their order, from 0."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(map(max, self.orders)))]
        for worker, order in enumerate(self.orders):
            for place, chunk in enumerate(order):
                found[chunk].append((worker, place))
        return tuple(map(tuple, found))

    def term(self) -> Term:
        """Return when every chunk has its copies, the tasks of workers one after the other."""
        return at_least(
            len(self.holders),
            *(
                at_least(self.copies, *(self._answer(worker, place) for worker, place in holders))
                for holders in self.holders
            ),
        )

    def _answer(self, worker: int, place: int) -> Term:
        if self.fresh:
            return Term(worker=worker, place=place)
        return Term(worker=worker, stretch=float(self.after(place)))

    @property
    def worst(self) -> int:
        """Q: so many finished chunks, no matter whose, are always enough, and Q − 1 may not be.

        The most that can be finished while chunk i lacks a copy: its holders stop before it, all
        but copies − 1 of them, and everybody else does everything.
        """
        most = 0
        for holders in self.holders:
            before = sum(place for _, place in holders) + self.d * (self.workers - len(holders))
            further = sorted((self.d - place for _, place in holders), reverse=True)
            most = max(most, before + sum(further[: self.copies - 1]))
        return most + 1


@dataclass(frozen=True)
class Batches(Chunks):
    """Done when every chunk is in an answer; worker w answers once, with the chunks ``orders[w]``.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> Evaluator(Batches(((0, 1), (1, 2), (2, 0)))).done(np.array([[1.0], [3.0], [2.0]])).tolist()
    [2.0]
    """

    def after(self, place: int) -> int:
        """Return 1: a time is that of the whole batch."""
        return 1


@dataclass(frozen=True)
class Tree:
    """Done when the master, node 0, has received ``need[0]`` of its children's answers.

    Worker j is node j + 1 and child of node ``parents[j]`` ≤ j. Every node v with children waits
    for ``need[v]`` of their answers and for its own work, then sends; leaves have ``need`` 0.

    * ``parents`` (tuple of int (N,)).
    * ``need`` (tuple of int (N + 1,)).
    * ``regular``: children per parent, depth and answers waited for, where these are the same
      everywhere.

    >>> from fastgc.systems import coded_reduce
    >>> coded_reduce(n=2, layers=2, s=1).structure().parents
    (0, 0, 1, 1, 2, 2)
    """

    parents: tuple[int, ...]
    need: tuple[int, ...]
    regular: tuple[int, int, int] | None = None

    @property
    def workers(self) -> int:
        """Number of workers."""
        return len(self.parents)

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (N + 2,) and nodes (N,).

        The children of node v are ``nodes[offsets[v] : offsets[v + 1]]``.
        """
        parents = np.asarray(self.parents, np.int64)
        counts = np.bincount(parents, minlength=self.workers + 1)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        nodes = np.argsort(parents, kind="stable").astype(np.int64) + 1
        return offsets, nodes


@dataclass(frozen=True)
class Own(_OfWorkers):
    """Done when a function of the workers' times says: `fastgc.systems.System.done`.

    * ``done``: given times (trials, n), the seconds at which each trial is complete, (trials,).

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> second = Own(3, lambda times: np.sort(times, axis=1)[:, 1])
    >>> Evaluator(second).done(np.array([[3.0], [1.0], [2.0]])).tolist()
    [2.0]
    """

    n: int
    done: Callable[[Values], Values]


@dataclass(frozen=True)
class Composed(_OfWorkers):
    """Done when a term of the answers of n workers says.

    * ``n``: workers, among them all that the term names.
    * ``term``: when it is done.

    >>> from fastgc.systems import answers, at_least
    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> second = Composed(3, at_least(2, *answers(3)))
    >>> Evaluator(second).done(np.array([[3.0], [1.0], [2.0]])).tolist()
    [2.0]
    """

    n: int
    term: Term

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return self.term.tasks


def composed(n: int, term: Term) -> "Capped | Composed | Flat | Replicated":
    """Return the structure of a term: a plain one where the term has its shape.

    >>> from fastgc.systems import answers, at_least
    >>> composed(3, at_least(2, *answers(3)))
    Flat(n=3, need=2)
    """
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


@dataclass(frozen=True)
class Patient:
    """A master that waits on after the fastest worker, however early it could decode.

    Let the first answer be received after F, the last of all n after L (infinite where one never
    comes), and let those that ``part`` waits for be there after C. The master waits until
    (1 + patience)·F, or until all have answered, and decodes with all answers that it has received
    by then; where they are too few, it waits on until they are enough. So it is done after

        max(C, min((1 + patience)·F, L)),

    and its messages are the answers received until then: who is missing is a straggler of this
    round. Patience makes no exact code faster. Where one answer is enough it is the only rule
    (``Flat(n, 1)``): all answers in time are used, and the result is not exact.

    * ``part`` (Flat or Replicated).
    * ``patience``: more than 0; with 0 the master is done as ``part`` is.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> Evaluator(Patient(Flat(3, 2), patience=1.0)).done(np.array([[3.0], [1.0], [1.5]])).tolist()
    [2.0]
    """

    part: Flat | Replicated
    patience: float

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self.part.n


@dataclass(frozen=True)
class Capped:
    """A master that stops waiting at a deadline, with the answers that it has by then.

    * ``part``: what it waits for until then.
    * ``deadline``: seconds.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> times = np.array([[1.0, 1.0], [1.5, 9.0]])
    >>> Evaluator(Capped(Flat(2, 2), deadline=2.0)).done(times).tolist()
    [1.5, 2.0]
    """

    part: Flat | Chunks
    deadline: float

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self.part.workers


@dataclass(frozen=True)
class Summed:
    """All n workers answer once in ``period`` rounds; a time is that of one round on average.

    Every worker does the work of its rounds one after the other, each in a time of its own.


    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> times = np.array([[[1.0], [5.0]], [[4.0], [1.0]]])  # workers, rounds, trials
    >>> Evaluator(Summed(n=2, period=2)).done(times).tolist()
    [3.0]
    """

    n: int
    period: int

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self.n


@dataclass(frozen=True)
class Rounds(_OfWorkers):
    """Rounds one after the other of a code over several; a time is that of one job on average.

    * ``code``: which code, s, burst, window, distinct and jobs, as in
      `fastgc_kernels.complete.sequences`.
    * ``factor``: how many times as long as the fastest worker takes the master waits in a round.
    * ``then``: what it does where stragglers are too many, as there.

    >>> from fastgc.systems import sr_sgc
    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> system = sr_sgc(n=3, burst=1, window=2, distinct=2)
    >>> times = np.ones((3, 5, 1))  # workers, rounds, trials
    >>> Evaluator(system.in_rounds(jobs=4, factor=2.0)).done(times).tolist()
    [1.0]
    """

    n: int
    code: tuple[int, ...]
    rounds: int
    factor: float
    then: int

    @property
    def jobs(self) -> int:
        """Jobs that are done after all rounds."""
        return self.code[-1]


@dataclass(frozen=True)
class Delayed:
    """Groups of workers on the same work, of which worker j begins ``delays[j]`` seconds late.

    When one worker of a group is done, the others of the group stop, or never begin. All groups
    are waited for.

    * ``part``: the groups.
    * ``delays``: seconds.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> clones = Delayed(Replicated(2, 2, 1), (0.0, 1.0))
    >>> Evaluator(clones).done(np.array([[5.0, 1.5], [1.0, 1.0]])).tolist()
    [2.0, 1.5]
    """

    part: Replicated
    delays: tuple[float, ...]

    def term(self) -> Term:
        """Return when one worker of every group is done."""
        each = answers(self.workers, delays=self.delays)
        size = self.part.size
        groups = [each[first : first + size] for first in range(0, len(each), size)]
        return at_least(len(groups), *(at_least(1, *group) for group in groups))

    @property
    def workers(self) -> int:
        """Number of workers."""
        return self.part.n


Structure = (
    Blocks
    | Capped
    | Chunks
    | Composed
    | Delayed
    | Rounds
    | Summed
    | Flat
    | Replicated
    | Ring
    | Layers
    | Tree
    | Own
    | Patient
)
